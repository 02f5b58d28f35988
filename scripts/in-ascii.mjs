// A plugin of a bundler: writes what is not ASCII as an escape. Node reads a file with anything else in it at half the speed.
export const inAscii = {
  name: 'in-ascii',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped);
  },
};

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

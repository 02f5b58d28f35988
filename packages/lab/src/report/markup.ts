/** Markup in which every value is escaped: only what was made by `markup` goes in as it is. */

export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Value = string | number | Markup | undefined | readonly Value[];

/** A template of HTML or SVG. Lists are joined; `undefined` is nothing. Attributes have to be quoted. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + escaped(values[i - 1]) + part));
}

/** Text that is trusted as it is: style sheets. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function escaped(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(escaped).join('');
  return String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

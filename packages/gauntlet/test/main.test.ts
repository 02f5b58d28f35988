/** The command itself; what it runs is for `npm run gauntlet`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

function gauntlet(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run gauntlet', () => {
  it('lists its scenarios', () => {
    const { status, stdout } = gauntlet('--list');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^calm .*\n.*processes/);
    expect(stdout).toMatch(/sentinel .*\(--full only\)/);
  });

  it('says how it is used', () => {
    const { status, stdout } = gauntlet('--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/Exit code: 0 all held, 1 violated, 2 wrong usage or no server, 3 inconclusive/);
  });

  it.each([
    { args: ['--only', 'nothing'], says: /'nothing' is invalid.*Allowed choices are calm/ },
    { args: ['--seed', '-1'], says: /Expected a whole number/ },
    { args: ['--ful'], says: /unknown option '--ful'/ },
  ])('refuses $args', ({ args, says }) => {
    const { status, stderr } = gauntlet(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(says);
  });
});

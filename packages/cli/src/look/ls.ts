/** `holdfast ls`. */
import { type ConnectionOptions, openSession } from '../connect/session.ts';
import { person } from '../run/busy.ts';
import { shortly } from '../say/duration.ts';
import { EXIT } from '../say/exit.ts';
import { note } from '../say/report.ts';
import { jsonDocument, printable, table } from '../say/table.ts';
import { type Entry, findAll, heldText, overview } from './overview.ts';
import type { Cut } from './scan.ts';

export interface LsOptions extends ConnectionOptions {
  readonly names?: true;
  readonly maxKeys: number;
  readonly within: number;
}

export async function ls(pattern: string | undefined, options: LsOptions): Promise<number> {
  await using session = await openSession(options);
  const bounds = { maxKeys: options.maxKeys, withinMs: options.within };
  if (options.names) {
    const { found, cut, looked } = await findAll(session, pattern ?? '*', bounds);
    const names = found.map(({ name }) => name);
    process.stdout.write(
      options.json
        ? jsonDocument({ names, looked, cut })
        : names.map((name) => `${printable(name)}\n`).join(''),
    );
    tellCut(cut, looked, options);
    return EXIT.ok;
  }
  const { entries, looked, cut } = await overview(session, pattern ?? '*', bounds);
  if (options.json) process.stdout.write(jsonDocument({ locks: entries, looked, cut }));
  else if (entries.length > 0) process.stdout.write(entryTable(entries));
  else note(`no locks${pattern === undefined ? '' : ` like ${pattern}`} among ${looked} keys`);
  tellCut(cut, looked, options);
  return EXIT.ok;
}

export function entryTable(entries: readonly Entry[]): string {
  return table(HEAD, entries.map(row));
}

export const HEAD = ['NAME', 'KIND', 'HELD', 'HOLDER', 'FOR', 'ENDS IN', 'WAITING', 'TOKEN'];

export function row(entry: Entry): string[] {
  const { name, kind, holders, queueLength, note: more } = entry;
  const [first, ...others] = holders;
  const who =
    first === undefined
      ? (more ?? '-')
      : person(first.holder) + (others.length > 0 ? ` and ${others.length} more` : '');
  return [
    name,
    kind,
    heldText(entry),
    who,
    shortly(first?.heldForMs),
    shortly(first?.remainingMs),
    String(queueLength),
    String(first?.fencingToken ?? '-'),
  ];
}

function tellCut(cut: Cut | undefined, looked: number, { json, names }: LsOptions): void {
  if (cut === undefined || (names && !process.stderr.isTTY && !json)) return;
  const more = cut === 'keys' ? '--max-keys' : '--within';
  note(
    `not complete: stopped after ${looked} keys; look further with ${more}, or narrow it with a pattern`,
    json,
  );
}

/** A bad order as rows for readers: what changed in each, who began or ceased to work, and where it went wrong. */
import type { Line } from '../explore/scenario.ts';
import type { ScenarioReport, ShownOrder } from './report.ts';
import { ABOUT_T, legible } from './words.ts';

export type Kind =
  | 'command'
  /** Something worth seeing that an actor says. */
  | 'note'
  | 'crash'
  /** The time of a key runs out. */
  | 'time'
  /** By somebody who is none of the actors: an operator, the network. */
  | 'event';

export interface Row {
  readonly kind: Kind;
  /** The actor; for what happens to none of them, `undefined`. */
  readonly actor: string | undefined;
  readonly what: string;
  readonly reply: string;
  /** The keys whose values changed; `undefined` where the key is gone. All there are, in the first row. */
  readonly changes: readonly { readonly key: string; readonly value: string | undefined }[];
  readonly inside: readonly string[];
  readonly enters: readonly string[];
  readonly leaves: readonly string[];
  /** This is the moment of the bug. */
  readonly wrong: boolean;
}

export function rowsOf({ actors, limit }: ScenarioReport, shown: ShownOrder): Row[] {
  const { lines, why } = shown;
  const names = actors.map(({ name }) => name);
  const moment = why === undefined ? -1 : (shown.moment ?? momentOf(lines, limit));
  return lines.map((line, i) => {
    const before = lines[i - 1];
    const was = before?.inside ?? [];
    return {
      ...kindOf(line, names),
      reply: legible(line.reply),
      changes: changesOf(before?.keys ?? {}, line.keys),
      inside: line.inside,
      enters: line.inside.filter((name) => !was.includes(name)),
      leaves: was.filter((name) => !line.inside.includes(name)),
      wrong: i === moment,
    };
  });
}

/** A sentence about the times in these rows, if there are any. */
export function legendOf(rows: readonly Row[]): string | undefined {
  const texts = rows.flatMap(({ what, reply, changes }) => [
    what,
    reply,
    ...changes.map(({ value }) => value ?? ''),
  ]);
  return texts.some((text) => /\bT(?![\w])/.test(text)) ? ABOUT_T : undefined;
}

/** Where more work at once than may; where that never is, what is wrong shows at the end. */
function momentOf(lines: readonly Line[], limit: number): number {
  const crowd = lines.findIndex(({ inside }) => inside.length > limit);
  return crowd >= 0 ? crowd : lines.length - 1;
}

function kindOf({ who, what, reply }: Line, names: readonly string[]): Pick<Row, 'kind' | 'actor' | 'what'> {
  const text = legible(what);
  if (names.includes(who)) return { kind: reply === '' ? 'note' : 'command', actor: who, what: text };
  const victim = names.find((name) => what.startsWith(`${name} `));
  if (who === 'crash') return { kind: 'crash', actor: victim, what: text };
  if (who === 'time') return { kind: 'time', actor: undefined, what: text };
  return { kind: 'event', actor: undefined, what: legible(`${who}: ${what}`) };
}

function changesOf(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const keys = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => ({ key: legible(key), value: after[key] === undefined ? undefined : legible(after[key]) }));
}

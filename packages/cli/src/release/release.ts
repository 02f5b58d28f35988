/** `holdfast release`. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { ForceReleaseOutcome, Holdfast } from 'holdfast';
import { type ConnectionOptions, openSession, type Session } from '../connect/session.ts';
import type { Entry, Holder } from '../look/overview.ts';
import type { Kind } from '../look/scan.ts';
import { lookUp } from '../look/show.ts';
import { leaveTrace } from '../look/trace.ts';
import { person } from '../run/busy.ts';
import { shortly } from '../say/duration.ts';
import { EXIT } from '../say/exit.ts';
import { usage } from '../say/failure.ts';
import { note } from '../say/report.ts';
import { jsonDocument, printable } from '../say/table.ts';

export interface ReleaseOptions extends ConnectionOptions {
  readonly holder?: string;
  readonly force?: true;
  readonly yes?: true;
}

/** A lease to end; without holder and token the lock of another library. */
interface Target {
  readonly holder: string | undefined;
  readonly fencingToken: number | undefined;
  readonly text: string;
}

export async function release(name: string, options: ReleaseOptions): Promise<number> {
  if (options.holder === undefined && options.force !== true)
    throw usage('whose? Say --holder ID (as "holdfast show" has it), or --force for whoever holds it');
  if (options.holder !== undefined && options.force)
    throw usage('--holder and --force say two things; use one of them');
  await using session = await openSession(options);
  const entry = await lookUp(session, name);
  const targets = targetsOf(entry, options);
  if (targets.length === 0) return nothing(entry, options);
  const asks = !options.yes && process.stdin.isTTY;
  if (asks || !options.json) process.stderr.write(plan(entry, targets));
  // Whoever calls it from a script has said what is meant: there is nobody to ask.
  if (asks && !(await confirmed())) {
    note('nothing was done', options.json);
    return EXIT.found;
  }
  const done = [];
  for (const target of targets) done.push(await end(session, entry, target));
  if (options.json) process.stdout.write(jsonDocument({ name, released: done }));
  else for (const { outcome, text } of done) process.stdout.write(`${text}: ${OUTCOMES[outcome]}\n`);
  return done.every(({ outcome }) => outcome === 'released' || outcome === 'handedOff')
    ? EXIT.ok
    : EXIT.found;
}

function targetsOf(entry: Entry, { holder: wanted }: ReleaseOptions): Target[] {
  const mine = (one: Holder) =>
    wanted === undefined ||
    [one.holder.clientId, `${one.holder.host}/${one.holder.pid}`, String(one.fencingToken)].includes(wanted);
  const known = entry.holders.filter(mine).map((one) => ({
    holder: person(one.holder),
    fencingToken: one.fencingToken,
    text: leaseText(entry, one),
  }));
  const foreign = entry.held > 0 && entry.holders.length === 0 && wanted === undefined;
  return foreign
    ? [{ holder: undefined, fencingToken: undefined, text: `${printable(entry.name)}, ${entry.note}` }]
    : known;
}

function leaseText(
  { name, kind }: Entry,
  { holder, heldForMs, permits, fencingToken, mode }: Holder,
): string {
  const part = kind === 'semaphore' ? `${permits} of ` : mode === undefined ? '' : `${mode} of `;
  const what = part + printable(name);
  return `${what}, held by ${person(holder)} for ${shortly(heldForMs)}, token ${fencingToken}`;
}

function nothing({ name, held }: Entry, { holder, json }: ReleaseOptions): number {
  const why = held === 0 ? 'nobody holds it' : `it is not held by ${holder}; see "holdfast show"`;
  note(`${printable(name)}: ${why}; nothing was done`, json);
  return EXIT.found;
}

function plan({ queue, queueLength }: Entry, targets: readonly Target[]): string {
  const [next] = queue;
  const then =
    next === undefined
      ? 'Nobody waits: it is free then.'
      : `Then ${person(next.waiter)}, who has waited for ${shortly(next.waitedMs)}, gets it (${queueLength} waiting).`;
  return [
    ...targets.map(({ text }) => `This releases ${text}.`),
    then,
    'The holder learns of it at its next renewal and may work until then.',
    '',
  ].join('\n');
}

async function confirmed(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C, Ctrl-D and a terminal that is gone close it: some with a rejection, some with no answer at all.
    const answer = lines.question('Release it? [y/N] ').catch(() => '');
    const closed = once(lines, 'close').then(() => '');
    return /^y(es)?$/i.test((await Promise.race([answer, closed])).trim());
  } finally {
    lines.close();
  }
}

const OUTCOMES: Record<ForceReleaseOutcome, string> = {
  released: 'released',
  handedOff: 'released, and handed to the next waiter',
  expired: 'had ended meanwhile; nothing was done',
  lost: 'somebody else holds it meanwhile; nothing was done',
};

type Force = (
  holdfast: Holdfast,
  name: string,
  fencingToken: number | undefined,
) => Promise<ForceReleaseOutcome>;

/** Only a lock may be another library's, which has no token. */
const FORCE: Record<Kind, Force> = {
  lock: (holdfast, name, token) => holdfast.lock(name).forceRelease(token),
  semaphore: (holdfast, name, token = 0) => holdfast.semaphore(name).forceRelease(token),
  'read-write lock': (holdfast, name, token = 0) => holdfast.readWrite(name).forceRelease(token),
};

async function end(session: Session, { name, kind }: Entry, { holder, fencingToken, text }: Target) {
  const outcome = await FORCE[kind](session.holdfast, name, fencingToken);
  const traced = await leaveTrace(session, { name, outcome, holder, fencingToken });
  if (traced === 0) note('no trace could be left on the server (needs +xadd on holdfast:trace)');
  return { outcome, holder, fencingToken, text };
}

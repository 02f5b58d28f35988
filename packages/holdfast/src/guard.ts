/** Commands of the caller's that the server runs only while the lease is held: checked here, run by `lua/guard.lua`. */
import { argumentError, GuardedWriteError, type Subject } from './errors.ts';

/**
 * One command: its name, its key, its other arguments. With another number of keys (none, or several): `{ command, keys, args }`. Keys as your own client
 * sends them: the instance's `prefix` is not put before them.
 */
export type GuardedCommand =
  | readonly [command: string, key: string, ...args: (string | number)[]]
  | {
      readonly command: string;
      readonly keys: readonly string[];
      readonly args?: readonly (string | number)[];
    };

/** Checked, in one form. */
export interface Guarded {
  readonly command: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Beyond it the server cannot call them from a script. */
const MAX_ARGUMENTS = 5_000;

export function checkGuarded(commands: readonly GuardedCommand[]): Guarded[] {
  if (!Array.isArray(commands) || commands.length === 0)
    throw argumentError("guard: expected a list of commands like [['SET', key, value]], got none");
  return commands.map(checkOne);
}

function checkOne(one: GuardedCommand, i: number): Guarded {
  const { command, keys, args = [] } = apart(one) ?? {};
  const texts = [command, ...(keys ?? []), ...args];
  if (keys === undefined || !texts.every((text) => typeof text === 'string' || typeof text === 'number'))
    throw argumentError(
      `guard: expected command ${i + 1} as [name, key, …arguments] or { command, keys, args } of strings and numbers`,
    );
  if (texts.length > MAX_ARGUMENTS)
    throw argumentError(
      `guard: expected at most ${MAX_ARGUMENTS} arguments in one command, got ${texts.length}`,
    );
  return { command: String(command), keys: keys.map(String), args: args.map(String) };
}

function apart(one: GuardedCommand): Exclude<GuardedCommand, readonly unknown[]> | undefined {
  if (isTuple(one))
    return one.length < 2 ? undefined : { command: one[0], keys: [one[1]], args: one.slice(2) };
  return typeof one === 'object' && one !== null && Array.isArray(one.keys) ? one : undefined;
}

function isTuple(one: GuardedCommand): one is Extract<GuardedCommand, readonly unknown[]> {
  return Array.isArray(one);
}

/**
 * What the script answered to each.
 * @throws GuardedWriteError when one was refused; the others have been applied all the same, as in MULTI
 */
export function repliesOf(
  subject: Subject,
  commands: readonly Guarded[],
  answer: readonly unknown[],
): unknown[] {
  const replies = commands.map((_, i) => {
    const reply = answer[2 * i + 1];
    return answer[2 * i] === 'error' ? new Error(String(reply)) : reply;
  });
  const failed = replies.findIndex((reply) => reply instanceof Error);
  if (failed < 0) return replies;
  const which = `command ${failed + 1} of ${commands.length} (${commands[failed]?.command})`;
  throw new GuardedWriteError(subject, `${which} failed: ${(replies[failed] as Error).message}`, replies);
}

/** What a client's rejection means: pure, by the server's error word or the client's own text. */
import { DeadlineError } from './deadline.ts';
import {
  ConnectionError,
  HoldfastError,
  QuorumError,
  ServerRefusedError,
  type Subject,
  WrongTypeError,
  withoutSecrets,
} from './errors.ts';

/**
 * - `no script`: send the body instead
 * - `wrong type`: the key is no lock
 * - `refused now`: retry within the deadline (fail-over, loading, slot migration, …)
 * - `refused`: retrying does not help
 * - `unreachable`: no answer; whether the command ran is unknown
 */
export interface Failure {
  readonly kind: 'no script' | 'wrong type' | 'refused now' | 'refused' | 'unreachable';
  /** The server's error word, when it answered. */
  readonly word: string;
}

const PASSING = new Set([
  'LOADING',
  'READONLY',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MOVED',
  'ASK',
  'MASTERDOWN',
  'BUSY',
]);
const LASTING = new Set([
  'OOM',
  'NOPERM',
  'NOAUTH',
  'WRONGPASS',
  'MISCONF',
  'NOREPLICAS',
  'NOPROTO',
  'CROSSSLOT',
  'ERR',
]);
/** Redis 6 wraps the error of a command in a script: "ERR Error running script … : @user_script:1: WRONGTYPE …". */
const WRAPPED = /@user_script:\s*\d+: ?-?([A-Z]{3,})\b/;

export function classify(error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  if (/^(NOSCRIPT|NoScriptError)\b/.test(text)) return { kind: 'no script', word: 'NOSCRIPT' };
  const word = serverWord(text);
  if (word === 'WRONGTYPE') return { kind: 'wrong type', word };
  if (PASSING.has(word)) return { kind: 'refused now', word };
  if (LASTING.has(word)) return { kind: 'refused', word };
  return { kind: 'unreachable', word: '' };
}

/** Refused, but worth another try within the caller's own deadline. */
export function isPassing(error: unknown): boolean {
  if (error instanceof QuorumError) return couldAgree(error);
  return (
    error instanceof ConnectionError || (error instanceof ServerRefusedError && PASSING.has(error.reply))
  );
}

/** A majority may come about as soon as what passes has passed. */
function couldAgree({ votes, majority }: QuorumError): boolean {
  return votes.filter(({ reason }) => reason === undefined || isPassing(reason)).length >= majority;
}

function serverWord(text: string): string {
  // Scripts wrap the refusal of a command, a key or a channel; Redis 7.0 does not even say NOPERM there.
  if (/can't (run|access|publish to)|No permissions/i.test(text) && /^(ERR|NOPERM)\b/.test(text))
    return 'NOPERM';
  // Our scripts have more arguments than a server takes from somebody who has not logged in.
  if (/unauthenticated/.test(text)) return 'NOAUTH';
  const wrapped = WRAPPED.exec(text)?.[1];
  return wrapped ?? /^-?([A-Z]{3,})(?=\s)/.exec(text)?.[1] ?? '';
}

const ADVICE: Record<string, string> = {
  OOM: 'the server is out of memory (maxmemory), so nothing new can be acquired; release and renewal still work',
  NOPERM: 'the user may not do this; `docs/safety.md` lists the ACL rights that Holdfast needs',
  NOAUTH: 'the server wants a password; pass a client that has one',
  WRONGPASS: 'the server refuses the password; pass a client with the right username and password',
  READONLY:
    'this server is a read-only replica; pass a client that connects to the master (Sentinel or Cluster follow it)',
  LOADING: 'the server is still loading its data; try again later',
  CLUSTERDOWN: 'the cluster is down or does not serve this slot; try again later',
  CROSSSLOT: 'the keys do not share a slot; is this a proxy or a client that rewrites keys?',
};

/** The error for the user. `deadlineMs` is how long it was tried. */
export function failureError(
  error: unknown,
  subject: Subject | undefined,
  deadlineMs: number,
): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { kind, word } = classify(error);
  if (kind === 'wrong type' && subject !== undefined) return new WrongTypeError(subject, '', error);
  if (kind === 'unreachable') {
    const what = `no answer from the server within ${Math.round(deadlineMs)} ms; is it up and reachable?`;
    return new ConnectionError(`${what}${detail(error)}`, subject, error);
  }
  return new ServerRefusedError(
    `${ADVICE[word] ?? 'the server refused'}${detail(error)}`,
    subject,
    word,
    error,
  );
}

function detail(error: unknown): string {
  // How long one attempt was given says nothing about the whole call.
  const text = error instanceof Error && !(error instanceof DeadlineError) ? error.message : '';
  return text === '' ? '' : ` (${withoutSecrets(text).slice(0, 300)})`;
}

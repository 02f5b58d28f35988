/** Every way to end badly: an exit code, and one line that says what to do. */
import { EXIT } from './exit.ts';

export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

export function usage(message: string): Failure {
  return new Failure(message, EXIT.usage);
}

export function unavailable(message: string): Failure {
  return new Failure(message, EXIT.unavailable);
}

/** By the stable codes of Holdfast's errors, so that nobody has to load the library to say that something went wrong. */
const BY_CODE: Record<string, number> = {
  HOLDFAST_ACQUIRE_TIMEOUT: EXIT.busy,
  HOLDFAST_LEASE_LOST: EXIT.lost,
  HOLDFAST_WRONG_TYPE: EXIT.wrongType,
  HOLDFAST_CONNECTION: EXIT.unavailable,
  HOLDFAST_QUORUM: EXIT.unavailable,
  HOLDFAST_CLOSED: EXIT.unavailable,
  HOLDFAST_SERVER_REFUSED: EXIT.unavailable,
};

const DENIED = /^(NOAUTH|NOPERM|WRONGPASS|ERR invalid password|ERR AUTH)/;

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return new Failure(String(error), EXIT.software);
  const { code, reply } = error as Error & { code?: unknown; reply?: unknown };
  const said = typeof reply === 'string' ? reply : error.message;
  if (DENIED.test(said)) return new Failure(denied(error.message), EXIT.noPermission);
  if (/^(MOVED|CROSSSLOT)/.test(said)) return unavailable(IN_A_CLUSTER);
  if (typeof code === 'string' && code in BY_CODE)
    return new Failure(error.message, BY_CODE[code] ?? EXIT.software);
  if (/^(Command timed out|Connection is closed)/.test(error.message))
    return unavailable('no answer from the server within 5 s; is it up and reachable?');
  if (error.name === 'ReplyError') return unavailable(`the server refused: ${error.message}`);
  // The library checks names and numbers, and names the argument.
  if (error instanceof TypeError || error instanceof RangeError) return usage(error.message);
  return new Failure(`${error.message}; this should not happen, please report it`, EXIT.software);
}

export const IN_A_CLUSTER =
  'this server is a node of a Redis Cluster; give its address as redis-cluster://HOST:PORT';

function denied(message: string): string {
  const what = message.replace(/^lock .*?: |^semaphore .*?: /, '').replace(/\.$/, '');
  if (/NOPERM/.test(message))
    return `the user of this connection lacks a right: ${what}; "holdfast doctor" prints the ACL line to grant`;
  return `the server wants another password: ${what}; put it into the URL, or into REDIS_URL`;
}

/** Sends one script or command until it is answered: NOSCRIPT, passing refusals and deadlines are dealt with here. */
import { backoffMs } from '../backoff.ts';
import type { Client, Command } from '../client.ts';
import type { Clock } from '../clock.ts';
import { pause, withDeadline } from '../deadline.ts';
import { ClosedError, ConnectionError } from '../errors.ts';
import { classify, failureError } from '../failure.ts';
import type { CallLimits } from './store.ts';

export interface Script {
  readonly sha: string;
  readonly body: string;
}

/** A passing failure is retried this soon, then more slowly. */
const RETRY = { firstMs: 10, maxMs: 250 };

export interface Call extends CallLimits {
  readonly lockName?: string | undefined;
  /** Gets the answer that came after the deadline. */
  readonly late?: ((reply: unknown) => void) | undefined;
}

export class ScriptRunner {
  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly commandTimeoutMs: number,
  ) {}

  /** One round trip when the server knows the script, two when it does not. */
  script(script: Script, keys: readonly string[], args: readonly string[], call: Call): Promise<unknown> {
    const count = String(keys.length);
    const bySha = { name: 'EVALSHA', head: [script.sha, count], keys, tail: args };
    const byBody = { name: 'EVAL', head: [script.body, count], keys, tail: args };
    return this.untilAnswered(call, (ms) =>
      this.once(bySha, ms, call).catch((error: unknown) => {
        if (classify(error).kind !== 'no script') throw error;
        return this.once(byBody, ms, call);
      }),
    );
  }

  command(command: Command, call: Call): Promise<unknown> {
    return this.untilAnswered(call, (ms) => this.once(command, ms, call));
  }

  assertUsable(lockName?: string): void {
    const { state, kind } = this.client;
    if (state === 'usable') return;
    const advice = state === 'closed' ? 'pass one that is open' : 'call its connect() first';
    throw new ClosedError(`the ${kind} client is ${state}; ${advice}`, lockName);
  }

  private once(command: Command, ms: number, call: Call): Promise<unknown> {
    return withDeadline(this.client.send(command), ms, call.late);
  }

  private async untilAnswered(call: Call, send: (ms: number) => Promise<unknown>): Promise<unknown> {
    const startedAt = this.clock.now();
    for (let attempt = 0; ; attempt++) {
      try {
        return await send(Math.min(this.commandTimeoutMs, call.deadlineAt - this.clock.now()));
      } catch (error) {
        await this.pauseOrThrow(error, attempt, startedAt, call);
      }
    }
  }

  private async pauseOrThrow(error: unknown, attempt: number, startedAt: number, call: Call): Promise<void> {
    this.assertUsable(call.lockName);
    const { kind } = classify(error);
    const now = this.clock.now();
    const delay = backoffMs(attempt, RETRY, Math.random());
    const passing = kind === 'refused now' || kind === 'unreachable';
    if (!passing || now + delay >= call.deadlineAt) throw failureError(error, call.lockName, now - startedAt);
    await pause(delay, call.signal);
    if (call.signal?.aborted)
      throw new ConnectionError('given up while the server did not answer', call.lockName, error);
  }
}

/** Sends one script or command until it is answered: NOSCRIPT, passing refusals and deadlines are dealt with here. */
import { backoffBefore } from '../backoff.ts';
import type { Client, Command } from '../client.ts';
import type { Clock } from '../clock.ts';
import { pause, withDeadline } from '../deadline.ts';
import { ClosedError, GivenUpError, type Subject, WrongTypeError } from '../errors.ts';
import { classify, failureError } from '../failure.ts';
import { scripts } from '../lua/generated.ts';
import type { CallLimits } from './store.ts';

export interface Script {
  readonly sha: string;
  readonly body: string;
}

/** A passing failure is retried this soon, then more slowly. */
const RETRY = { firstMs: 10, maxMs: 250 };

export interface Call extends CallLimits {
  readonly subject?: Subject | undefined;
  /** Gets an answer that came after the call had failed. */
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
    return this.untilAnswered(bySha, call, script.body);
  }

  command(command: Command, call: Call): Promise<unknown> {
    return this.untilAnswered(command, call);
  }

  assertUsable(subject?: Subject): void {
    const { state, kind } = this.client;
    if (state === 'usable') return;
    const advice = state === 'closed' ? 'pass one that is open' : 'call its connect() first';
    throw new ClosedError(`the ${kind} client is ${state}; ${advice}`, subject);
  }

  private once(command: Command, call: Call, late: LateReplies | undefined): Promise<unknown> {
    const reply = this.client.send(command);
    const ms = Math.min(this.commandTimeoutMs, call.deadlineAt - this.clock.now());
    return call.untimed ? reply : withDeadline(reply, ms, late?.put);
  }

  /** @param body of the script that the command calls by its SHA */
  private async untilAnswered(first: Command, call: Call, body?: string): Promise<unknown> {
    const startedAt = this.clock.now();
    const late = call.late && new LateReplies(call.late);
    let command = first;
    for (let attempt = 0; ; ) {
      try {
        const answer = await this.once(command, call, late);
        late?.answered();
        return answer;
      } catch (error) {
        const unknown = body !== undefined && command === first && classify(error).kind === 'no script';
        command = unknown ? withBody(first, body) : first;
        // Unwanted, it would come after what its caller has sent meanwhile.
        if (unknown && !call.unwanted?.()) continue;
        await this.pauseOrThrow(error, attempt++, startedAt, call).catch(async (final: unknown) => {
          late?.failed();
          throw final instanceof WrongTypeError ? await this.wrongType(final, call, first.keys[0]) : final;
        });
      }
    }
  }

  private async pauseOrThrow(error: unknown, attempt: number, startedAt: number, call: Call): Promise<void> {
    this.assertUsable(call.subject);
    const { kind } = classify(error);
    if (kind === 'no script' && call.unwanted?.()) throw new GivenUpError(call.subject, error);
    const now = this.clock.now();
    const delay = backoffBefore(call.deadlineAt - now, attempt, RETRY, Math.random());
    const passing = kind === 'refused now' || kind === 'unreachable';
    if (!passing || delay === undefined) throw failureError(error, call.subject, now - startedAt);
    await pause(delay);
    if (call.unwanted?.()) throw new GivenUpError(call.subject, error);
    if (kind === 'unreachable') call.resent?.();
  }

  /** For the message only: where it cannot be told what is there, the rest is said all the same. */
  private async wrongType(
    error: WrongTypeError,
    call: Call,
    mainKey: string | undefined,
  ): Promise<WrongTypeError> {
    if (call.subject === undefined || mainKey === undefined) return error;
    const asked = this.script(scripts.whatIs, [mainKey], [], { deadlineAt: call.deadlineAt });
    return new WrongTypeError(call.subject, String(await asked.catch(() => '')), error.cause);
  }
}

function withBody(bySha: Command, body: string): Command {
  return { ...bySha, name: 'EVAL', head: [body, ...(bySha.head ?? []).slice(1)] };
}

/**
 * Replies to attempts that were given up. While a further attempt is under way they are nobody's business: it finds what
 * they did, and taking that back would take it from the caller who is told that it has it.
 */
class LateReplies {
  private state: 'under way' | 'answered' | 'failed' = 'under way';
  private readonly replies: unknown[] = [];

  constructor(private readonly late: (reply: unknown) => void) {}

  readonly put = (reply: unknown): void => {
    if (this.state === 'failed') this.late(reply);
    else if (this.state === 'under way') this.replies.push(reply);
  };

  answered(): void {
    this.state = 'answered';
  }

  failed(): void {
    this.state = 'failed';
    for (const reply of this.replies) this.late(reply);
  }
}

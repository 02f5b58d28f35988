/** Sends one script or command until it is answered: NOSCRIPT, passing refusals and deadlines are dealt with here. */
import { backoffBefore } from '../backoff.ts';
import type { Client, Command } from '../client.ts';
import type { Clock } from '../clock.ts';
import { pause, withDeadline } from '../deadline.ts';
import { ClosedError, GivenUpError, type Subject, WrongTypeError } from '../errors.ts';
import { classify, failureError } from '../failure.ts';
import { scripts } from '../lua/generated.ts';
import { byBody, type Outgoing, type Script } from './outgoing.ts';
import type { CallLimits } from './store.ts';

/** A passing failure is retried this soon, then more slowly. */
const RETRY = { firstMs: 10, maxMs: 250 };

export interface Call extends CallLimits {
  readonly subject?: Subject | undefined;
  /** Gets an answer that came after the call had failed. */
  readonly late?: ((reply: unknown) => void) | undefined;
}

type Send = () => Promise<unknown>;

export class ScriptRunner {
  constructor(
    private readonly client: Client,
    private readonly outgoing: Outgoing,
    private readonly clock: Clock,
    private readonly commandTimeoutMs: number,
  ) {}

  /** One round trip when the server knows the script, two when it does not. */
  script(script: Script, keys: readonly string[], args: readonly string[], call: Call): Promise<unknown> {
    const { outgoing } = this;
    const bySha = () => outgoing.call(script, keys, args);
    return this.untilAnswered(bySha, call, keys, () => outgoing.send(byBody(script.body, keys, args)));
  }

  command(command: Command, call: Call): Promise<unknown> {
    return this.untilAnswered(() => this.outgoing.send(command), call, command.keys);
  }

  assertUsable(subject?: Subject): void {
    const { state, kind } = this.client;
    if (state === 'usable') return;
    const advice = state === 'closed' ? 'pass one that is open' : 'call its connect() first';
    throw new ClosedError(`the ${kind} client is ${state}; ${advice}`, subject);
  }

  private once(send: Send, call: Call, late: LateReplies | undefined): Promise<unknown> {
    const reply = send();
    const ms = Math.min(this.commandTimeoutMs, call.deadlineAt - this.clock.now());
    return call.untimed ? reply : withDeadline(reply, ms, late?.put);
  }

  /** @param withBody instead, for a server that does not know the script */
  private async untilAnswered(
    first: Send,
    call: Call,
    [mainKey]: readonly string[],
    withBody?: Send,
  ): Promise<unknown> {
    const startedAt = this.clock.now();
    const late = call.late && new LateReplies(call.late);
    let send = first;
    for (let attempt = 0; ; ) {
      try {
        const answer = await this.once(send, call, late);
        late?.answered();
        return answer;
      } catch (error) {
        const unknown = withBody !== undefined && send === first && classify(error).kind === 'no script';
        send = unknown ? withBody : first;
        // Unwanted, it would come after what its caller has sent meanwhile.
        if (unknown && !call.unwanted?.()) continue;
        await this.pauseOrThrow(error, attempt++, startedAt, call).catch(async (final: unknown) => {
          late?.failed();
          throw final instanceof WrongTypeError ? await this.wrongType(final, call, mainKey) : final;
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

/** One question to all nodes at once: open until the answers decide, or nobody is left who may still answer. */
import type { Clock } from '../clock.ts';
import { DeadlineError } from '../deadline.ts';
import { ConnectionError, GivenUpError, type Subject } from '../errors.ts';
import { failureError } from '../failure.ts';
import type { QuorumNode } from './node.ts';
import { type Answer, spoken } from './votes.ts';

/** So long a node that was silent before is waited for when all others have answered. */
const SILENT_GRACE_MS = 5;
const PENDING = { state: 'pending' } as const;

export interface Asked<T> {
  ask(node: number): Promise<T>;
  decided(answers: readonly Answer<T>[]): boolean;
  /** One timer for all nodes, where the calls themselves are `untimed`. */
  readonly deadlineAt?: number;
  readonly subject?: Subject;
  /** Each answer that came before the deadline. */
  heard?(node: number, value: T): void;
  /** A node has answered, failed, or had its time; once each. */
  settled?(): void;
  /** Gets what came after the decision or the deadline. */
  straggler?(node: number, value: T): void;
}

export class Question<T> {
  /** Never rejects. */
  readonly decision: Promise<readonly Answer<T>[]>;
  private readonly answers: Answer<T>[];
  private readonly open: Set<QuorumNode>;
  private readonly startedAt: number;
  private timer: NodeJS.Timeout | undefined;
  private grace: NodeJS.Timeout | undefined;
  private over = false;
  private resolve!: (answers: readonly Answer<T>[]) => void;

  constructor(
    nodes: readonly QuorumNode[],
    private readonly clock: Clock,
    private readonly asked: Asked<T>,
  ) {
    this.decision = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.startedAt = clock.now();
    this.answers = nodes.map(() => PENDING);
    this.open = new Set(nodes);
    for (const node of nodes) this.askOne(node);
    const { deadlineAt } = asked;
    // After the sending: whoever waits for it gains by every microsecond.
    if (deadlineAt !== undefined)
      this.timer = setTimeout(expire, Math.max(1, deadlineAt - this.startedAt), this);
  }

  /** @internal The timer's turn. */
  expire(): void {
    const error = new DeadlineError('no answer from a node');
    const tookMs = this.clock.now() - this.startedAt;
    for (const node of this.open) this.failed(node, failureError(error, this.asked.subject, tookMs));
  }

  private askOne(node: QuorumNode): void {
    this.asked.ask(node.index).then(
      (value) => this.answered(node, value),
      (error: unknown) => this.failed(node, error),
    );
  }

  private answered(node: QuorumNode, value: T): void {
    const inTime = this.settle(node);
    if (inTime) {
      node.silent = false;
      this.asked.heard?.(node.index, value);
    }
    if (this.over || !inTime) {
      this.asked.straggler?.(node.index, value);
    } else {
      this.answers[node.index] = { state: 'answered', value };
      this.look();
    }
  }

  private failed(node: QuorumNode, error: unknown): void {
    if (!this.settle(node)) return;
    // What was given up before its deadline says nothing about the node.
    node.silent = error instanceof ConnectionError && !(error instanceof GivenUpError);
    if (this.over) return;
    this.answers[node.index] = { state: 'failed', error };
    this.look();
  }

  /** False when its time was over before. */
  private settle(node: QuorumNode): boolean {
    if (!this.open.delete(node)) return false;
    if (this.open.size === 0) clearTimeout(this.timer);
    this.asked.settled?.();
    return true;
  }

  private look(): void {
    if (this.open.size === 0 || this.asked.decided(this.answers)) this.end();
    else if (this.grace === undefined && this.canDoWithout(this.open))
      this.grace = setTimeout(end, SILENT_GRACE_MS + 2 * (this.clock.now() - this.startedAt), this);
  }

  /** All of them were silent the last time, and none is needed for a majority of answers. */
  private canDoWithout(nodes: Iterable<QuorumNode>): boolean {
    for (const { silent } of nodes) if (!silent) return false;
    return spoken(this.answers);
  }

  /** @internal */
  end(): void {
    this.over = true;
    clearTimeout(this.grace);
    this.resolve(this.answers);
  }
}

/** One function for all timers. */
function expire(question: { expire(): void }): void {
  question.expire();
}

function end(question: { end(): void }): void {
  question.end();
}

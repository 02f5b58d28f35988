/** The nodes of one instance: asked in parallel, until a majority has decided. */
import { backoffBefore } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { pause } from '../deadline.ts';
import { argumentError, NO_ANSWER, QuorumError, type Subject, WrongTypeError } from '../errors.ts';
import { isPassing } from '../failure.ts';
import type { RedisStore } from '../store/redis-store.ts';
import type { CallLimits } from '../store/store.ts';
import { QuorumNode } from './node.ts';
import { type Asked, Question } from './question.ts';
import { Stamps } from './stamps.ts';
import { type Answer, majorityOf, verdict } from './votes.ts';

/** One node may take this long for an answer: long for a node, short beside a ttl. */
const NODE_MS = 1_000;
const MIN_NODE_MS = 50;
/** At first use all nodes are waited for a little, so that one that is in the list twice is found. */
const IDENTIFY_GRACE_MS = 100;

export class Quorum {
  readonly nodes: readonly QuorumNode[];
  readonly majority: number;
  readonly stamps: Stamps;
  /** Why this list can never work. */
  fault: Error | undefined;
  private isReady = false;

  constructor(
    stores: readonly RedisStore[],
    readonly clock: Clock,
    private readonly commandTimeoutMs: number,
  ) {
    this.majority = majorityOf(stores.length);
    this.stamps = new Stamps(clock, this.majority);
    this.nodes = stores.map((store, i) => new QuorumNode(i, store, clock, this.identified));
  }

  /** Until when one node may answer in a call that starts now. */
  nodeDeadline({ deadlineAt }: CallLimits, ttlMs = Number.POSITIVE_INFINITY): number {
    const ms = Math.min(this.commandTimeoutMs, NODE_MS, Math.max(MIN_NODE_MS, ttlMs / 10));
    return Math.min(deadlineAt, this.clock.now() + ms);
  }

  nodeLimits(limits: CallLimits, ttlMs?: number): CallLimits {
    return { ...limits, deadlineAt: this.nodeDeadline(limits, ttlMs) };
  }

  /** Asks all nodes at once. Resolves as soon as it is decided, or when nobody is left who may still answer. Never rejects. */
  ask<T>(asked: Asked<T>): Promise<readonly Answer<T>[]> {
    return new Question(this.nodes, this.clock, asked).decision;
  }

  /** Why there was no majority, where the nodes' own reasons are alike; else all of them. */
  reason<T>(answers: readonly Answer<T>[]): unknown {
    const errors = answers.flatMap((answer) => (answer.state === 'failed' ? [answer.error] : []));
    return errors.find((error) => !isPassing(error)) ?? this.error(undefined, answers, String);
  }

  /** Each node is asked who it is before anything else; a majority has to say so. `undefined` when all is well already. */
  ready(subject: Subject | undefined, limits: CallLimits): Promise<void> | undefined {
    return this.isReady && this.fault === undefined ? undefined : this.getReady(subject, limits);
  }

  private async getReady(subject: Subject | undefined, limits: CallLimits): Promise<void> {
    for (let failures = 0; !this.isReady; failures++) {
      const error = await this.meet(subject, limits);
      if (error !== undefined) await this.pauseOrThrow(error, failures, limits);
    }
    if (this.fault !== undefined) throw this.fault;
  }

  /**
   * The error for too few answers: each node's own reason. What too many nodes say alike, and what no time cures, is told as one server
   * tells it: a wrong type, too many permits.
   */
  error<T>(subject: Subject | undefined, answers: readonly Answer<T>[], said: (value: T) => string): Error {
    const failures = answers.flatMap((answer) => (answer.state === 'failed' ? [asError(answer.error)] : []));
    const plain = failures.filter(isPlain);
    if (plain[0] !== undefined && plain.length > answers.length - this.majority) return plain[0];
    const votes = answers.map((answer, i) => {
      const node = this.nodes[i]?.label ?? '';
      if (answer.state === 'answered') return { node, vote: said(answer.value), reason: undefined };
      const reason = answer.state === 'failed' ? asError(answer.error) : undefined;
      return { node, vote: reason === undefined ? NO_ANSWER : 'none', reason };
    });
    return new QuorumError(subject, this.majority, votes);
  }

  /** What may pass is tried again within the caller's deadline. */
  async pauseOrThrow(error: unknown, failures: number, limits: CallLimits): Promise<void> {
    const delay = backoffBefore(limits.deadlineAt - this.clock.now(), failures, RETRY, Math.random());
    if (!isPassing(error) || delay === undefined) throw error;
    await pause(delay);
    if (limits.unwanted?.()) throw error;
  }

  private async meet(subject: Subject | undefined, limits: CallLimits): Promise<Error | undefined> {
    const nodeLimits = this.nodeLimits(limits);
    const all = this.nodes.map(async (node) => node.identify(nodeLimits));
    const enough = (answers: readonly Answer<void>[]) => verdict(answers, () => true) === true;
    const answers = await this.ask({ ask: async (i) => all[i], decided: enough });
    if (!enough(answers)) return this.error(subject, answers, () => 'reached');
    await Promise.race([Promise.allSettled(all), pause(IDENTIFY_GRACE_MS)]);
    this.isReady = true;
    return undefined;
  }

  private readonly identified = (node: QuorumNode, serverUs: number, askedAt: number): void => {
    this.stamps.learn(node.index, serverUs, askedAt);
    const twin = this.nodes.find(({ runId, index }) => runId === node.runId && index !== node.index);
    if (node.runId === undefined || twin === undefined) return;
    this.fault ??= argumentError(
      `clients: ${twin.label} and ${node.label} are the same server (run_id ${node.runId}), so they are one vote and not two; pass clients of independent servers`,
    );
  };
}

/** A failure of too many nodes is tried again this soon, then more slowly. */
const RETRY = { firstMs: 10, maxMs: 250 };

function isPlain(error: Error): boolean {
  return error instanceof WrongTypeError || error instanceof TypeError || error instanceof RangeError;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

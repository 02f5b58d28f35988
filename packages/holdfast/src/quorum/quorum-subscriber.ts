/**
 * One subscription at each node, and what the nodes' messages mean together: a waiter is granted when a majority gave it the same token. When
 * they did not (or only keep the lock for it) it is told to ask, a little after the first message: before that would mostly be too early.
 */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import { type GrantMessage, parseMessage } from '../store/store.ts';
import type { QuorumNode } from './node.ts';
import type { Proposals } from './proposals.ts';
import type { Quorum } from './quorum.ts';
import { isClear, verdict } from './votes.ts';

/** After the first node's message, the others get this long. */
const OTHERS_MS = 10;

/** What the nodes have said to one waiter. */
interface Called {
  readonly nodes: Set<number>;
  readonly grants: Map<number, Grants>;
  told: boolean;
}

/** Of one token. The start is the earliest, on our own clock, of the nodes that gave it. */
interface Grants {
  startedAt: number;
  leaseMs: number;
  /** How many nodes gave each slot; of a lock there is one, without a number. */
  readonly slots: Map<number | undefined, number>;
}

/** Grants over a quorum are told in our own clock: each node has another one. */
export function toUs(ms: number): number {
  return Math.floor(ms * 1000);
}

export class QuorumSubscriber implements Subscriber {
  private readonly subscribers: readonly Promise<Subscriber>[];
  private readonly called = new Map<string, Called>();
  private closed = false;
  /** The channel of a node → that of all. */
  private readonly logical = new Map<string, string>();

  constructor(
    private readonly quorum: Quorum,
    private readonly proposals: Proposals,
    private readonly events: SubscriberEvents,
  ) {
    this.subscribers = quorum.nodes.map((node) => this.open(node));
    for (const one of this.subscribers) one.catch(() => {});
  }

  /** Resolves when a majority has confirmed. The clients go on trying at the others by themselves. */
  async subscribe(channel: string): Promise<void> {
    const parts = channel.split(' ');
    for (const part of parts) this.logical.set(part, channel);
    const confirm = async (i: number) => {
      await (await this.subscribers[i])?.subscribe(parts[i] ?? '');
      return true;
    };
    const answers = await this.quorum.ask({ ask: confirm, decided: isClear });
    if (verdict(answers, Boolean) !== true) throw this.quorum.reason(answers);
  }

  async unsubscribe(channel: string): Promise<void> {
    const parts = channel.split(' ');
    const each = this.subscribers.map(async (one, i) => (await one).unsubscribe(parts[i] ?? ''));
    await Promise.allSettled(each);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.called.clear();
    await Promise.allSettled(this.subscribers.map(async (one) => (await one).close()));
  }

  private open({ index, store }: QuorumNode): Promise<Subscriber> {
    return store.listen({
      message: (channel, text) => this.hear(index, channel, text),
      resubscribed: () => this.events.resubscribed(),
      dropped: (channel) => this.events.dropped(this.logical.get(channel) ?? channel),
    });
  }

  private hear(node: number, channel: string, text: string): void {
    const message = parseMessage(text);
    if (message === undefined) return;
    const { holderId } = message.kind === 'grant' ? message.grant : message;
    if (this.proposals.isOver(holderId, node)) return;
    const tell = (what: string) =>
      this.events.message(this.logical.get(channel) ?? channel, `${holderId} ${what}`);
    const called = this.called.get(holderId) ?? this.call(holderId, () => tell('ask'));
    called.nodes.add(node);
    const granted = message.kind === 'grant' ? this.granted(called, node, message.grant) : undefined;
    if (called.told) return;
    const everybody = called.nodes.size === this.quorum.nodes.length;
    if (granted === undefined && !everybody) return;
    called.told = true;
    if (granted !== undefined) this.proposals.granted(holderId);
    tell(granted ?? 'ask');
  }

  /** As one server would tell it, once a majority has given the same token. */
  private granted({ grants }: Called, node: number, grant: GrantMessage): string | undefined {
    const startedAt = this.quorum.stamps.oursAt(node, grant.startedUs);
    if (startedAt === undefined || !this.proposals.counts(grant.holderId, grant.fencingToken))
      return undefined;
    const { slots = [undefined], leaseMs, fencingToken } = grant;
    const all = grants.get(fencingToken) ?? { startedAt, leaseMs, slots: new Map() };
    all.startedAt = Math.min(all.startedAt, startedAt);
    all.leaseMs = Math.min(all.leaseMs, leaseMs);
    for (const slot of slots) all.slots.set(slot, (all.slots.get(slot) ?? 0) + 1);
    grants.set(fencingToken, all);
    const won = [...all.slots].filter(([, nodes]) => nodes >= this.quorum.majority).map(([slot]) => slot);
    if (won.length < slots.length) return undefined;
    const numbers = won[0] === undefined ? '' : ` ${won.slice(0, slots.length).join(',')}`;
    return `${fencingToken} ${Math.max(0, toUs(all.startedAt))} ${all.leaseMs}${numbers}`;
  }

  private call(holderId: string, ask: () => void): Called {
    const called: Called = { nodes: new Set(), grants: new Map(), told: false };
    const forget = () => {
      this.called.delete(holderId);
      if (!called.told && !this.closed) ask();
    };
    setTimeout(forget, OTHERS_MS).unref();
    this.called.set(holderId, called);
    return called;
  }
}

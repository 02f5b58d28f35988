/**
 * One subscription at each node. A waiter is told to ask when a majority of the nodes keeps the lock for it, or a little after the first
 * did: to ask before that would mostly be too early.
 */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import { parseMessage } from '../store/store.ts';
import type { QuorumNode } from './node.ts';
import type { Quorum } from './quorum.ts';
import { verdict } from './votes.ts';

/** After the first node's message, the others get this long. */
const OTHERS_MS = 10;

interface Called {
  readonly nodes: Set<number>;
  readonly timer: NodeJS.Timeout;
}

export class QuorumSubscriber implements Subscriber {
  private readonly subscribers: readonly Promise<Subscriber>[];
  private readonly called = new Map<string, Called>();
  /** The channel of a node → that of all. */
  private readonly logical = new Map<string, string>();

  constructor(
    private readonly quorum: Quorum,
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
    const answers = await this.quorum.ask(confirm, (sofar) => verdict(sofar, Boolean) !== undefined);
    if (verdict(answers, Boolean) !== true) throw this.quorum.reason(answers);
  }

  async unsubscribe(channel: string): Promise<void> {
    const parts = channel.split(' ');
    const each = this.subscribers.map(async (one, i) => (await one).unsubscribe(parts[i] ?? ''));
    await Promise.allSettled(each);
  }

  async close(): Promise<void> {
    for (const { timer } of this.called.values()) clearTimeout(timer);
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
    if (message?.kind !== 'ask') return;
    const { holderId } = message;
    const tell = () => {
      clearTimeout(this.called.get(holderId)?.timer);
      this.called.delete(holderId);
      this.events.message(this.logical.get(channel) ?? channel, text);
    };
    const called = this.called.get(holderId) ?? this.call(holderId, tell);
    called.nodes.add(node);
    if (called.nodes.size >= this.quorum.majority) tell();
  }

  private call(holderId: string, tell: () => void): Called {
    const called = { nodes: new Set<number>(), timer: setTimeout(tell, OTHERS_MS).unref() };
    this.called.set(holderId, called);
    return called;
  }
}

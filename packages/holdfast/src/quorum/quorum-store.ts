/** The store on N independent servers. Everything above cannot tell it from one server. */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import type { Clock } from '../clock.ts';
import { argumentError, quote, type Subject } from '../errors.ts';
import type { RedisStore } from '../store/redis-store.ts';
import type {
  Advice,
  CallLimits,
  SemaphoreRules,
  Store,
  StoredLock,
  StoredReadWrite,
  StoredSemaphore,
} from '../store/store.ts';
import { at } from './at.ts';
import { Polls } from './polls.ts';
import { Proposals } from './proposals.ts';
import { Quorum } from './quorum.ts';
import { QuorumLock } from './quorum-lock.ts';
import { QuorumSemaphore } from './quorum-semaphore.ts';
import { QuorumSubscriber } from './quorum-subscriber.ts';
import { QuorumWaits } from './quorum-waits.ts';
import type { Arena } from './rules.ts';
import { MAX_SLOTS, tooManySlots } from './slots.ts';
import { answered, isClear, never, verdict } from './votes.ts';

export class QuorumStore implements Store {
  readonly minReplicas = 0;
  readonly waits: QuorumWaits;
  private readonly quorum: Quorum;
  private readonly arena: Arena;

  constructor(
    private readonly stores: readonly RedisStore[],
    clock: Clock,
    commandTimeoutMs: number,
  ) {
    this.quorum = new Quorum(stores, clock, commandTimeoutMs);
    this.waits = new QuorumWaits(this.quorum, stores);
    this.arena = { quorum: this.quorum, polls: new Polls(), proposals: new Proposals() };
  }

  get drops(): number {
    return this.stores.reduce((sum, { drops }) => sum + drops, 0);
  }

  lock(name: string): StoredLock {
    const voters = this.stores.map((store) => store.voter(name));
    return new QuorumLock(name, this.arena, voters);
  }

  semaphore(name: string, rules: SemaphoreRules): StoredSemaphore {
    if (rules.limit !== undefined && rules.limit > MAX_SLOTS) throw tooManySlots(rules.limit);
    const nodes = this.stores.map((store) => store.slots(name));
    return new QuorumSemaphore(name, this.arena, nodes, rules);
  }

  /** No node knows who reads at the others, so no batch of readers, upgrade or downgrade could be one step. */
  readWrite(name: string): StoredReadWrite {
    throw argumentError(
      `read-write lock ${quote(name)}: needs one server (alone, with Sentinel, or a Cluster), and cannot be had over a quorum; use lock() or semaphore() here, or make a Holdfast with one client`,
    );
  }

  async announce(clientId: string, card: string, limits: CallLimits): Promise<void> {
    await this.quorum.ask({ ask: (i) => this.node(i).announce(clientId, card, limits), decided: never });
  }

  /** The first node that knows it. */
  async card(clientId: string, limits: CallLimits): Promise<string | undefined> {
    const found = (card: string | undefined) => card !== undefined;
    const answers = await this.quorum.ask({
      ask: (i) => this.node(i).card(clientId, limits),
      decided: (sofar) => sofar.some((answer) => answer.state === 'answered' && found(answer.value)),
    });
    return answered(answers).find(found);
  }

  async listen(events: SubscriberEvents): Promise<Subscriber> {
    return new QuorumSubscriber(this.quorum, this.arena.proposals, events);
  }

  async probe(channel: string, limits: CallLimits): Promise<void> {
    const parts = channel.split(' ');
    const probed = async (i: number) => {
      await this.node(i).probe(parts[i] ?? '', this.quorum.nodeLimits(limits));
      return true;
    };
    const answers = await this.quorum.ask({ ask: probed, decided: isClear });
    if (verdict(answers, Boolean) !== true) throw this.quorum.reason(answers);
  }

  assertUsable(subject?: Subject): void {
    if (this.quorum.fault !== undefined) throw this.quorum.fault;
    const unusable: unknown[] = [];
    for (const store of this.stores) {
      try {
        store.assertUsable(subject);
      } catch (error) {
        unusable.push(error);
      }
    }
    if (unusable.length > this.stores.length - this.quorum.majority) throw unusable[0];
  }

  async advice(limits: CallLimits): Promise<readonly Advice[]> {
    const { quorum } = this;
    const answers = await quorum.ask({ ask: (i) => this.node(i).advice(limits), decided: never });
    const each = answers.flatMap((answer, i) => {
      const node = quorum.nodes[i]?.label;
      const found = answer.state === 'answered' ? answer.value : [];
      return found.map(({ code, message }) => ({ code, message: `${node}: ${message}` }));
    });
    return [...sizeAdvice(this.stores.length), ...each];
  }

  async replicas(): Promise<number> {
    return 0;
  }

  detach(): void {
    for (const store of this.stores) store.detach();
  }

  private node(index: number): RedisStore {
    return at(this.stores, index);
  }
}

function sizeAdvice(nodes: number): Advice[] {
  if (nodes >= 3 && nodes % 2 === 1) return [];
  const what =
    nodes < 3
      ? 'a quorum of two stops when one of them does, so it is less available than one server'
      : `a quorum of ${nodes} bears no more failures than one of ${nodes - 1}`;
  return [{ code: 'HOLDFAST_QUORUM_SIZE', message: `${what}; use 3 or 5 independent servers` }];
}

/** The store within this process, for users' unit tests: the same answers as the scripts give, without a server. */
import type { Subscriber, SubscriberEvents } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { Subject } from '../errors.ts';
import { grantChannel, type KeyRules, lockKeys, readWriteKeys, semaphoreKeys } from '../keys.ts';
import type {
  Advice,
  SemaphoreRules,
  Store,
  StoredLock,
  StoredReadWrite,
  StoredSemaphore,
} from '../store/store.ts';
import { MemoryLock } from './memory-lock.ts';
import { MemoryReadWrite } from './memory-read-write.ts';
import { MemorySemaphore } from './memory-semaphore.ts';
import type { MemoryServer } from './memory-server.ts';
import { MemoryWaits } from './memory-waits.ts';

export class MemoryStore implements Store {
  readonly drops = 0;
  readonly minReplicas = 0;
  readonly waits: MemoryWaits;
  private readonly rules: KeyRules;

  constructor(
    private readonly server: MemoryServer,
    private readonly clock: Clock,
    prefix: string,
    private readonly clientId: string,
  ) {
    this.rules = { prefix, clientPrefix: '' };
    const keyOf = ({ kind, name }: Subject) =>
      kind === 'lock' ? lockKeys(name, this.rules).lock : semaphoreKeys(name, this.rules).permits;
    this.waits = new MemoryWaits(server, clock, keyOf, prefix);
  }

  lock(name: string): StoredLock {
    const { lock } = lockKeys(name, this.rules);
    return new MemoryLock(this.server, this.clock, name, lock, this.channelOf(lock));
  }

  semaphore(name: string, rules: SemaphoreRules): StoredSemaphore {
    const { permits } = semaphoreKeys(name, this.rules);
    return new MemorySemaphore(this.server, this.clock, name, permits, this.channelOf(permits), rules);
  }

  readWrite(name: string): StoredReadWrite {
    const { leases } = readWriteKeys(name, this.rules);
    return new MemoryReadWrite(this.server, this.clock, name, leases, this.channelOf(leases));
  }

  async announce(clientId: string, card: string): Promise<void> {
    this.server.cards.set(clientId, card);
  }

  async card(clientId: string): Promise<string | undefined> {
    return this.server.cards.get(clientId);
  }

  async listen(events: SubscriberEvents): Promise<Subscriber> {
    const mine: string[] = [];
    const { listeners } = this.server;
    return {
      subscribe: async (channel) => {
        mine.push(channel);
        listeners.set(channel, (text) => events.message(channel, text));
      },
      unsubscribe: async (channel) => void listeners.delete(channel),
      close: async () => {
        for (const channel of mine) listeners.delete(channel);
      },
    };
  }

  async probe(): Promise<void> {}

  assertUsable(): void {}

  async replicas(): Promise<number> {
    return 0;
  }

  async advice(): Promise<readonly Advice[]> {
    return [];
  }

  detach(): void {
    this.server.cards.delete(this.clientId);
  }

  private channelOf(mainKey: string): string {
    return grantChannel(this.clientId, mainKey, this.rules, false);
  }
}

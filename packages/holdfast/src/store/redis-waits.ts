/** Who holds what on a real server, and what they wait for. */
import type { Subject } from '../errors.ts';
import { type KeyRules, lockKeys, readWriteKeys, semaphoreKeys, waitsKey } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import { texts } from './replies.ts';
import type { ScriptRunner } from './script-runner.ts';
import type { CallLimits, Waits, WantedBy } from './store.ts';

/** With more holders than this somebody will surely leave. */
const MAX_HOLDERS = 100;

export class RedisWaits implements Waits {
  constructor(
    private readonly runner: ScriptRunner,
    private readonly rules: KeyRules,
  ) {}

  async holders(
    { kind, name, permits }: WantedBy,
    limits: CallLimits,
  ): Promise<readonly string[] | undefined> {
    const args = [String(MAX_HOLDERS), permits === undefined ? '' : String(permits)];
    const reply = await this.runner.script(scripts.holders, this.keysOf(kind, name), args, limits);
    return Array.isArray(reply) ? texts(reply) : undefined;
  }

  async note(digest: string, text: string | undefined, ttlMs: number, limits: CallLimits): Promise<void> {
    const keys = [waitsKey(digest, this.rules.prefix)];
    const command =
      text === undefined ? { name: 'DEL', keys } : { name: 'SET', keys, tail: [text, 'PX', String(ttlMs)] };
    await this.runner.command(command, limits);
  }

  async noted(digest: string, limits: CallLimits): Promise<string | undefined> {
    const keys = [waitsKey(digest, this.rules.prefix)];
    const text = await this.runner.command({ name: 'GET', keys }, limits);
    return text === null || text === undefined ? undefined : String(text);
  }

  /** The main key and the queue. */
  private keysOf(kind: Subject['kind'], name: string): readonly string[] {
    if (kind === 'semaphore') {
      const { permits, waiters } = semaphoreKeys(name, this.rules);
      return [permits, waiters];
    }
    if (kind === 'read-write lock') {
      const { leases, turns } = readWriteKeys(name, this.rules);
      return [leases, turns];
    }
    const { lock, queue } = lockKeys(name, this.rules);
    return [lock, queue];
  }
}

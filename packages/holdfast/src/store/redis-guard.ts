/** Runs guarded commands on a real server. See `lua/guard.lua`. */
import { argumentError, quote, type Subject } from '../errors.ts';
import type { Guarded } from '../guard.ts';
import { guardKey, type KeyRules, lockKeys } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import { keySlot } from '../slot.ts';
import type { ScriptRunner } from './script-runner.ts';
import type { CallLimits, Guarding, GuardReply } from './store.ts';

export class RedisGuard {
  constructor(
    private readonly runner: ScriptRunner,
    private readonly rules: KeyRules,
    private readonly cluster: boolean,
  ) {}

  async run(
    subject: Subject,
    { value, number, cooldownMs }: Guarding,
    commands: readonly Guarded[],
    limits: CallLimits,
  ): Promise<GuardReply> {
    const lock = lockKeys(subject.name, this.rules).lock;
    const own = commands.flatMap(({ keys }) => keys);
    if (this.cluster) this.assertOneSlot(lock, own);
    const args = commands.flatMap(({ command, keys, args }) => [
      ...[command, String(keys.length), String(args.length)],
      ...args,
    ]);
    const reply = (await this.runner.script(
      scripts.guard,
      [lock, guardKey(subject.name, this.rules), ...own],
      [value, String(cooldownMs), String(number), ...args],
      { ...limits, subject },
    )) as unknown[];
    const [status, ...replies] = reply;
    return { status: String(status) as GuardReply['status'], replies };
  }

  private assertOneSlot(lock: string, keys: readonly string[]): void {
    const slotOf = (key: string) => keySlot(this.rules.clientPrefix + key);
    const other = keys.find((key) => slotOf(key) !== slotOf(lock));
    if (other === undefined) return;
    throw argumentError(
      `guard: ${quote(other)} is not in the slot of the lock ${quote(lock)}; in a Cluster put the same {tag} into both names`,
    );
  }
}

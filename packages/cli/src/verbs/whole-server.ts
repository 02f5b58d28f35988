/** The verbs that look at a whole server: top, audit, doctor. */
import type { Command } from 'commander';
import type { AuditOptions } from '../audit/audit.ts';
import type { ConnectionOptions } from '../connect/session.ts';
import { atLeastOneMs } from '../say/duration.ts';
import { wholeFrom } from '../say/numbers.ts';
import type { TopOptions } from '../top/top.ts';
import { type Ended, lasting, withConnection, withServer } from './options.ts';

const TOP_MORE = `
Examples:
  holdfast top
  holdfast top 'invoice:*' --interval 500ms
  holdfast top --json | jq -r '.waits[]'

Keys: q quits, s sorts by the next column, / filters, Enter shows one, Esc goes
back, p pauses, the arrows (or j and k) move.`;

export function addTop(program: Command, ended: Ended): void {
  withConnection(
    program
      .command('top')
      .description('a live view: locks, semaphores, queues, hold times, who waits for whom')
      .argument('[pattern]', 'of their names, as in SCAN')
      .addOption(lasting('--interval <duration>', 'between two looks', '1s', atLeastOneMs))
      .option('--max-keys <n>', 'look at so many keys of each server at most', wholeFrom(1), 20_000)
      .option('--once', 'print one look, and end'),
  )
    .addHelpText('after', TOP_MORE)
    .action((pattern: string | undefined, options: TopOptions) =>
      ended(import('../top/top.ts').then(({ top }) => top(pattern, options))),
    );
}

const AUDIT_MORE = `
Examples:
  holdfast audit
  holdfast audit --prefix lock: cron: --max-ttl 1h
  holdfast audit --json --all > audit.json

Reads only; no value is ever printed. It knows the layouts of Holdfast, Redlock,
redis-semaphore, redis-py, Redisson, Sidekiq, Laravel, Celery, ShedLock and
others, and what looks like a lock by its name and value.

Exit code: 1 when something never comes back (and is likely or certain), else 0.`;

export function addAudit(program: Command, ended: Ended): void {
  withServer(
    program
      .command('audit')
      .description("reads a live server for anybody's locks, and reports those that never come back")
      .option('--prefix <text...>', 'only keys that begin so; several may be given')
      .option('--sample <n>', 'look at so many keys of each server at most', wholeFrom(1), 1_000_000)
      .addOption(
        lasting('--max-ttl <duration>', 'an expiry longer than this is reported', '1d', atLeastOneMs),
      )
      .option('--all', 'also what is merely possible'),
  )
    .addHelpText('after', AUDIT_MORE)
    .action((options: AuditOptions) =>
      ended(import('../audit/audit.ts').then(({ audit }) => audit(options))),
    );
}

const DOCTOR_MORE = `
Examples:
  holdfast doctor --url rediss://redis.example.com --prefix billing
  holdfast doctor --quorum redis://a,redis://b,redis://c --json

To find out what the user may do it does that, with one key of its own
(holdfast-doctor:…) that is gone in the end.

Exit code: 1 when locks are not safe there or a right is missing, else 0.`;

export function addDoctor(program: Command, ended: Ended): void {
  withConnection(
    program
      .command('doctor')
      .description('checks the server: version, memory policy, persistence, clocks, rights, round trip'),
  )
    .addHelpText('after', DOCTOR_MORE)
    .action((options: ConnectionOptions) =>
      ended(import('../doctor/doctor.ts').then(({ doctor }) => doctor(options))),
    );
}

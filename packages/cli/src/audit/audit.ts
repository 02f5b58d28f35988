/** `holdfast audit`. */
import type { Redis } from 'ioredis';
import { type ConnectionOptions, openConnections, servers } from '../connect/session.ts';
import { scanKeys } from '../look/scan.ts';
import { shortly } from '../say/duration.ts';
import { EXIT } from '../say/exit.ts';
import { bad, bold, dim, good, warn } from '../say/paint.ts';
import { jsonDocument, printable } from '../say/table.ts';
import type { Finding } from './finding.ts';
import { judge, type Rules } from './judge.ts';
import { observe } from './observe.ts';
import { deadQueues } from './queues.ts';

export interface AuditOptions extends Omit<ConnectionOptions, 'prefix'> {
  readonly prefix?: readonly string[];
  readonly sample: number;
  readonly maxTtl: number;
  readonly all?: true;
}

interface Audited {
  looked: number;
  complete: boolean;
  /** Keys that are locks, by library. */
  readonly locks: Map<string, number>;
  readonly findings: Finding[];
}

export async function audit(options: AuditOptions): Promise<number> {
  const connections = await openConnections(options);
  const result: Audited = { looked: 0, complete: true, locks: new Map(), findings: [] };
  for (const { redis } of servers(connections)) await auditServer(redis, options, result);
  for (const { client } of connections) client.disconnect();
  const never = result.findings.filter(({ severity, sure }) => severity === 'never' && sure !== 'possible');
  const shown = result.findings.filter(({ sure }) => options.all || sure !== 'possible').sort(worstFirst);
  const hidden = result.findings.length - shown.length;
  if (options.json)
    process.stdout.write(
      jsonDocument({ ...result, locks: Object.fromEntries(result.locks), findings: shown, hidden }),
    );
  else process.stdout.write(text(result, shown, hidden, never.length));
  return never.length > 0 ? EXIT.found : EXIT.ok;
}

async function auditServer(redis: Redis, options: AuditOptions, result: Audited): Promise<void> {
  // From 7.2 on: then a look does not make a lock look used.
  await redis.call('CLIENT', 'NO-TOUCH', 'ON').catch(() => {});
  const rules: Rules = { nowMs: await serverNowMs(redis), maxTtlMs: options.maxTtl };
  const seen = new Set<string>();
  for (const prefix of options.prefix ?? ['']) {
    const bounds = {
      pattern: `${escaped(prefix)}*`,
      maxKeys: options.sample,
      withinMs: Number.POSITIVE_INFINITY,
    };
    const { cut } = await scanKeys(redis, bounds, async (keys) => {
      const fresh = [...new Set(keys)].filter((key) => !seen.has(key));
      for (const key of fresh) seen.add(key);
      result.looked += fresh.length;
      await auditKeys(redis, fresh, rules, result);
    });
    result.complete &&= cut === undefined;
  }
}

async function auditKeys(
  redis: Redis,
  keys: readonly string[],
  rules: Rules,
  result: Audited,
): Promise<void> {
  const observed = await observe(redis, keys);
  for (const one of observed) {
    const { library, findings } = judge(one, rules);
    if (library !== undefined) result.locks.set(library, (result.locks.get(library) ?? 0) + 1);
    result.findings.push(...findings);
  }
  result.findings.push(...(await deadQueues(redis, observed)));
}

/** Times in keys were mostly written by clients, but whoever runs the audit may be anywhere. */
async function serverNowMs(redis: Redis): Promise<number> {
  const [seconds] = await redis.time();
  return Number(seconds) * 1_000;
}

function escaped(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&');
}

const SURE = { certain: 0, likely: 1, possible: 2 } as const;

function worstFirst(a: Finding, b: Finding): number {
  if (a.severity !== b.severity) return a.severity === 'never' ? -1 : 1;
  return SURE[a.sure] - SURE[b.sure] || (a.key < b.key ? -1 : 1);
}

function text(result: Audited, shown: readonly Finding[], hidden: number, never: number): string {
  return [...shown.flatMap(block), ...summary(result, shown.length, hidden, never), ''].join('\n');
}

function block({ key, type, problem, severity, sure, what, ttlMs, idleMs, why, todo }: Finding): string[] {
  const mark = severity === 'never' ? bad('NEVER COMES BACK') : warn('RISK');
  const expiry = ttlMs === undefined ? 'no expiry' : `ends in ${shortly(ttlMs)}`;
  const idle = idleMs === undefined ? '' : `, idle ${shortly(idleMs)}`;
  return [
    `${mark}  ${bold(printable(key))}  ${dim(`(${type}, ${expiry}${idle})`)}`,
    `  ${problem}, ${sure}: ${what}`,
    `  why: ${why}`,
    `  do:  ${todo}`,
    '',
  ];
}

function summary(
  { looked, complete, locks }: Audited,
  shown: number,
  hidden: number,
  never: number,
): string[] {
  const libraries = [...locks].map(([library, count]) => `${count} ${library}`).join(', ');
  const more = complete ? '' : ' (a sample; --sample looks further)';
  return [
    `Looked at ${looked} keys${more}: ${libraries || 'no locks'}.`,
    ...(hidden > 0 ? [`${hidden} more are merely possible: --all shows them.`] : []),
    never > 0
      ? bad(`${never} never come back.`)
      : good(shown > 0 ? 'All come back by themselves.' : 'Nothing is wrong with them.'),
  ];
}

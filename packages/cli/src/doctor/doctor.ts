/** `holdfast doctor`. */

import type { ConnectionOptions } from '../connect/session.ts';
import { openConnections, servers } from '../connect/session.ts';
import { EXIT } from '../say/exit.ts';
import { bad, bold, dim, good, warn } from '../say/paint.ts';
import { jsonDocument } from '../say/table.ts';
import { auditAclLine } from './acl.ts';
import { type Check, checks, clocks } from './checks.ts';
import { type Facts, factsOf } from './facts.ts';
import { type Rights, rightsOf } from './rights.ts';

interface Node {
  readonly server: string;
  readonly checks: readonly Check[];
}

export async function doctor(options: ConnectionOptions): Promise<number> {
  const connections = await openConnections(options);
  const quorum = connections.length > 1;
  const prefix = options.prefix === undefined ? '' : `${options.prefix.replace(/:$/, '')}:`;
  const asked = { prefix, quorum, cluster: connections.some(({ place }) => place.kind === 'cluster') };
  const facts: Facts[] = [];
  const down: Node[] = [];
  for (const { shown, redis } of servers(connections)) {
    const one = redis.status === 'ready' || !quorum ? await within(factsOf(redis, shown)) : undefined;
    if (one === undefined) down.push({ server: shown, checks: [SILENT] });
    else facts.push(one);
  }
  const rights = await Promise.all(
    connections
      .filter(({ client }) => client.status === 'ready')
      .map(({ client }) => rightsOf(client, asked)),
  );
  const nodes = [...facts.map((one) => ({ server: one.shown, checks: checks(one, quorum) })), ...down];
  const common = [clocks(facts), ...rights.map(rightsCheck)];
  // The oldest server has to understand it.
  const versions = facts.map(({ info }) => info.redis_version ?? '').sort();
  const auditLine = auditAclLine(asked, versions[0] ?? '');
  const lines = [...new Set(rights.map(({ aclLine: line }) => line))];
  for (const { client } of connections) client.disconnect();
  const all = [...nodes.flatMap((node) => node.checks), ...common];
  if (options.json)
    process.stdout.write(
      jsonDocument({
        nodes,
        common,
        acl: lines,
        auditAcl: auditLine,
        missing: rights.flatMap(({ missing }) => missing),
      }),
    );
  else process.stdout.write(text(nodes, common, lines, auditLine));
  return all.some(({ status }) => status === 'bad') ? EXIT.found : EXIT.ok;
}

const SILENT: Check = {
  check: 'server',
  status: 'bad',
  found: 'no answer',
  means: 'one node less of the majority; locks go on as long as a majority answers',
};

const PATIENCE_MS = 10_000;

async function within(work: Promise<Facts>): Promise<Facts | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function rightsCheck({ user, missing }: Rights): Check {
  if (missing.length === 0)
    return {
      check: 'rights',
      status: 'ok',
      found: `user ${user}: all that is needed`,
      means: 'the ACL is the boundary: whoever may write to the keys can forge a lock',
    };
  const onlyWaiting = missing.every((one) => /publish|subscribe|pubsub|^&/.test(one));
  const means = onlyWaiting
    ? 'waiting has to poll: it is neither fair nor cheap; grant the line below'
    : 'locks fail with NOPERM; grant the line below';
  return {
    check: 'rights',
    status: onlyWaiting ? 'warn' : 'bad',
    found: `user ${user} lacks ${missing.join(' ')}`,
    means,
  };
}

const MARKS = { ok: good('ok  '), note: dim('note'), warn: warn('warn'), bad: bad('BAD ') } as const;

function text(
  nodes: readonly Node[],
  common: readonly Check[],
  lines: readonly string[],
  auditLine: string,
): string {
  const node = ({ server, checks: its }: Node) => [bold(server), ...its.flatMap(checkLines), ''];
  return [
    ...nodes.flatMap(node),
    ...common.flatMap(checkLines),
    '',
    'All rights that are needed, and no more:',
    ...lines.map((line) => `  ${line}`),
    '',
    'For holdfast audit, which reads the keys of all and writes none, a user of its own:',
    `  ${auditLine}`,
    '',
  ].join('\n');
}

function checkLines({ check, status, found, means }: Check): string[] {
  return [`${MARKS[status]}  ${check.padEnd(13)}${found}`, `      ${' '.repeat(13)}${dim(means)}`];
}

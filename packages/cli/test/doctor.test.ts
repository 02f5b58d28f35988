/** `holdfast doctor`: what it finds on servers that are set up in ways that matter. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type RedisProcess, startReplica, startServer } from '../../testkit/src/index.ts';
import type { Finding } from '../src/audit/finding.ts';
import type { Check } from '../src/doctor/checks.ts';
import { run } from './support/cli.ts';

const servers: RedisProcess[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.shutdown()));
});
async function started(...args: Parameters<typeof startServer>): Promise<RedisProcess> {
  const server = await startServer(...args);
  servers.push(server);
  return server;
}

interface Told {
  readonly code: number | null;
  readonly checks: Record<string, Check>;
  readonly acl: string[];
  readonly missing: string[];
  readonly auditAcl: string;
}

async function doctor(url: string, ...args: string[]): Promise<Told> {
  const { code, stdout, stderr } = await run(url, ['doctor', '--json', ...args]);
  expect(stderr).toBe('');
  const { nodes, common, acl, auditAcl, missing } = JSON.parse(stdout);
  const all: Check[] = [...nodes.flatMap(({ checks }: { checks: Check[] }) => checks), ...common];
  return {
    code,
    acl,
    auditAcl,
    missing,
    checks: Object.fromEntries(all.map((check) => [check.check, check])),
  };
}

test('a server as it should be', async () => {
  const { url, binary } = await started({ appendonly: true });
  const { code, checks, missing } = await doctor(url);
  expect(code).toBe(0);
  expect(missing).toEqual([]);
  expect(Object.fromEntries(Object.values(checks).map(({ check, status }) => [check, status]))).toEqual({
    server: 'ok',
    capabilities: 'ok',
    memory: 'ok',
    persistence: 'ok',
    replicas: 'ok',
    encryption: 'ok',
    'round trip': 'ok',
    clocks: 'ok',
    rights: 'ok',
  });
  expect(checks.server?.found).toBe(binary.label);
  for (const { means, found } of Object.values(checks))
    expect(Math.min(means.length, found.length)).toBeGreaterThan(1);
});

test('an eviction policy that throws locks away, and no persistence', async () => {
  const { url } = await started({ args: ['--maxmemory', '64mb', '--maxmemory-policy', 'volatile-lru'] });
  const { code, checks } = await doctor(url);
  expect(code).toBe(1);
  expect(checks.memory).toMatchObject({ status: 'bad', found: expect.stringContaining('volatile-lru') });
  expect(checks.memory?.means).toContain('noeviction');
  expect(checks.persistence).toMatchObject({ status: 'warn', found: 'none' });
});

test('replicas, and the address of a replica', async () => {
  const master = await started();
  const replica = await startReplica(master);
  servers.push(replica);
  expect((await doctor(master.url)).checks.replicas).toMatchObject({
    status: 'warn',
    found: expect.stringMatching(/^1, /),
  });
  const { code, checks } = await doctor(replica.url);
  expect(code).toBe(1);
  expect(checks.replicas).toMatchObject({ status: 'bad', found: 'this is a replica' });
});

test('rights that are missing are named, and the line that it prints gives all of them', async () => {
  const { url, port } = await started({
    aclLines: ['user app on >pw-of-app ~x:* resetchannels -@all +ping +get +set +eval'],
  });
  const mine = `redis://app:pw-of-app@127.0.0.1:${port}`;
  const before = await doctor(mine, '--prefix', 'x');
  expect(before.code).toBe(1);
  expect(before.missing).toEqual(expect.arrayContaining(['+evalsha', '+zadd', '+publish', '+subscribe']));
  expect(before.missing).not.toContain('+get');
  expect(before.checks.rights?.status).toBe('bad');
  const [line = ''] = before.acl;
  expect(line).toMatch(/^ACL SETUSER app on ~x:\* &x:holdfast:\* /);
  const [server] = servers;
  await server?.command(...line.split(' '));
  const after = await doctor(mine, '--prefix', 'x');
  expect(after.missing).toEqual([]);
  expect(after.checks.rights).toMatchObject({ status: 'ok', found: expect.stringContaining('user app') });
  for (const args of [['run', 'a', '--', 'true'], ['ls'], ['show', 'a']])
    expect(await run(mine, [...args.slice(0, 1), '--prefix', 'x', ...args.slice(1)])).toMatchObject({
      code: 0,
    });
  expect(url).not.toContain('app');
});

test('the line for audits gives what audit needs, and nothing that writes', async () => {
  const server = await started();
  const { auditAcl } = await doctor(server.url);
  await server.command(...auditAcl.split(' '));
  for (const [name, ...args] of [
    ['SET', 'lock:import', '1'],
    ['HSET', 'hash', `${randomUUID()}:1`, '1'],
    ['ZADD', 'semaphore:x', '1', 'a'],
    ['RPUSH', 'bull:mail:active', '1'],
    ['SADD', 'semaphore:y', '1'],
  ])
    await server.command(name ?? '', ...args);
  const auditor = `redis://auditor:PASSWORD@127.0.0.1:${server.port}`;
  const told = async (url: string) => {
    const { code, stdout, stderr } = await run(url, ['audit', '--all', '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    return JSON.parse(stdout).findings.map(({ key, problem }: Finding) => `${key} ${problem}`);
  };
  expect(await told(auditor)).toEqual(await told(server.url));
  const refused = await run(auditor, ['run', 'x', '--', 'true']);
  expect(refused).toMatchObject({ code: 77, stdout: '' });
});

test('keys or channels that the user may not use', async () => {
  const { port } = await started({ aclLines: ['user app on >pw ~mine:* resetchannels +@all'] });
  const { missing } = await doctor(`redis://app:pw@127.0.0.1:${port}`);
  expect(missing).toEqual(['~*', '&holdfast:*']);
});

test('a quorum whose nodes keep no data, and whose clocks differ', async () => {
  const nodes = [await started({ clockShift: true }), await started(), await started()];
  await nodes[0]?.shiftClock(60_000);
  const { code, checks } = await doctor('', '--quorum', nodes.map(({ url }) => url).join(','));
  expect(code).toBe(1);
  expect(checks.persistence?.status).toBe('bad');
  expect(checks.clocks?.status).toBe('warn');
});

test('leaves nothing behind', async () => {
  const { url } = await started();
  await doctor(url);
  expect(await servers[0]?.command('DBSIZE')).toBe(0);
});

test('for people: a line for each check, with what it means, and the ACL line', async () => {
  const { url } = await started();
  const { code, stdout } = await run(url, ['doctor']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/warn {2}persistence +none\n +a restart forgets the locks/);
  expect(stdout).toMatch(/ACL SETUSER default on ~\* &holdfast:\* \+eval/);
});

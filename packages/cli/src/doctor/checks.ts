/** What the facts mean for the safety of locks: pure. */
import { shortly } from '../say/duration.ts';
import { CAPABILITIES, type Facts } from './facts.ts';

export interface Check {
  readonly check: string;
  /** `bad`: locks are not safe, or do not work. */
  readonly status: 'ok' | 'note' | 'warn' | 'bad';
  readonly found: string;
  /** For safety. */
  readonly means: string;
}

/** A lease's time is told by each node's own clock: they need not agree, but one that is far off will be set right one day, with a jump. */
const CLOCKS_APART_MS = 500;
const SLOW_MS = 50;

export function checks(facts: Facts, quorum: boolean): Check[] {
  return [
    version(facts),
    capabilities(facts),
    memory(facts),
    persistence(facts, quorum),
    ...replication(facts, quorum),
    ...cluster(facts),
    encryption(facts),
    roundTrip(facts),
  ];
}

function version({ info }: Facts): Check {
  const valkey = info.valkey_version;
  const number = valkey ?? info.redis_version;
  const found = number === undefined ? 'not told' : `${valkey === undefined ? 'Redis' : 'Valkey'} ${number}`;
  if (number === undefined)
    return {
      check: 'server',
      status: 'warn',
      found,
      means: 'the user may not ask (+info); Holdfast needs 7.0 or later',
    };
  const old = Number(number.split('.')[0]) < 7;
  const means = old
    ? 'Holdfast needs Redis or Valkey 7.0 or later: its scripts will fail'
    : 'Holdfast works with it';
  return { check: 'server', status: old ? 'bad' : 'ok', found, means };
}

const USES: Record<string, string> = {
  delex: 'DELEX',
  delifeq: 'DELIFEQ',
  spublish: 'sharded pub/sub',
  waitaof: 'WAITAOF',
};

function capabilities({ knows }: Facts): Check {
  const found = CAPABILITIES.map((one) => `${USES[one]} ${knows.includes(one) ? 'yes' : 'no'}`).join(', ');
  const sharded = knows.includes('spublish');
  const means = sharded
    ? 'none of the others is needed: a compare-and-delete without DELEX or DELIFEQ is a script'
    : 'in a Cluster waiting needs sharded pub/sub (7.0)';
  return { check: 'capabilities', status: sharded ? 'ok' : 'note', found, means };
}

function memory({ info }: Facts): Check {
  const policy = info.maxmemory_policy;
  const limited = Number(info.maxmemory ?? 0) > 0;
  const found =
    policy === undefined
      ? 'not told'
      : `maxmemory-policy ${policy}, maxmemory ${limited ? info.maxmemory_human : 'unlimited'}`;
  const check = 'memory';
  if (policy === undefined)
    return { check, status: 'warn', found, means: 'the user may not ask (+info); it has to be noeviction' };
  if (policy === 'noeviction')
    return { check, status: 'ok', found, means: 'no lock is thrown away; a full server refuses new ones' };
  const means =
    'when memory runs short, locks are thrown away while they are held; set maxmemory-policy to noeviction';
  return limited
    ? { check, status: 'bad', found, means }
    : { check, status: 'warn', found, means: `without a limit that does not happen; with one: ${means}` };
}

function persistence({ info, config }: Facts, quorum: boolean): Check {
  const check = 'persistence';
  const fsync = config.appendfsync;
  if (info.aof_enabled === undefined)
    return { check, status: 'warn', found: 'not told', means: 'the user may not ask (+info)' };
  if (info.aof_enabled === '1') {
    const found = `append-only file, appendfsync ${fsync ?? 'not told'}`;
    if (fsync === 'always')
      return { check, status: 'ok', found, means: 'a restart forgets no lock that was granted' };
    const means = 'a crash of the machine may forget the last second of grants; appendfsync always does not';
    return { check, status: quorum ? 'warn' : 'note', found, means };
  }
  const snapshots =
    config.save === undefined ? info.rdb_last_save_time !== undefined && 'not told' : config.save;
  const found =
    snapshots === ''
      ? 'none'
      : `snapshots only${typeof snapshots === 'string' ? ` (save ${snapshots})` : ''}`;
  const means = quorum
    ? 'a node that comes back without its data can give a held lock away: appendonly yes and appendfsync always'
    : 'a restart forgets the locks that are held (their holders are told at the next renewal; tokens still grow): appendonly yes';
  return { check, status: quorum ? 'bad' : 'warn', found, means };
}

function replication({ info, config }: Facts, quorum: boolean): Check[] {
  const check = 'replicas';
  if (info.role === 'slave')
    return [
      {
        check,
        status: 'bad',
        found: 'this is a replica',
        means: 'it refuses writes: give the address of the master, or redis-sentinel://',
      },
    ];
  const count = Number(info.connected_slaves ?? 0);
  if (count === 0)
    return [
      {
        check,
        status: 'ok',
        found: 'none',
        means: 'no fail-over that could lose a lock; nor anybody to fail over to',
      },
    ];
  const found = `${count}, min-replicas-to-write ${config['min-replicas-to-write'] ?? 'not told'}`;
  const means = quorum
    ? 'a node of a quorum should have no fail-over: its replica may not have what it voted'
    : 'replication is asynchronous: a fail-over can lose a lock that was just granted; minReplicas makes that rarer, the fencing token harmless';
  return [{ check, status: 'warn', found, means }];
}

function cluster({ info }: Facts): Check[] {
  if (info.cluster_enabled !== '1') return [];
  return [
    {
      check: 'cluster',
      status: 'ok',
      found: 'a node of a Cluster',
      means: 'all keys of a name are in one slot; a fail-over can lose a lock, as above',
    },
  ];
}

function encryption({ encrypted, local }: Facts): Check {
  const check = 'encryption';
  if (encrypted)
    return { check, status: 'ok', found: 'TLS', means: 'holderIds and passwords cannot be read on the way' };
  if (local)
    return { check, status: 'ok', found: 'none, on this machine', means: 'nothing crosses a network' };
  return {
    check,
    status: 'warn',
    found: 'none',
    means: 'holderIds and the password cross the network in plain text: use rediss://',
  };
}

function roundTrip({ roundTrips }: Facts): Check {
  const median = roundTrips[roundTrips.length >> 1] ?? 0;
  const found = `${median.toFixed(2)} ms (median of ${roundTrips.length}), ${(roundTrips.at(-1) ?? 0).toFixed(2)} ms at most`;
  const slow = median > SLOW_MS;
  const means = slow ? 'slow: choose a ttl of several seconds at least' : 'a free lock costs one of these';
  return { check: 'round trip', status: slow ? 'warn' : 'ok', found, means };
}

/** Of all nodes together. */
export function clocks(all: readonly Facts[]): Check {
  const offsets = all.map(({ offsetMs }) => offsetMs);
  const error = Math.max(...all.map(({ offsetErrorMs }) => offsetErrorMs));
  const ahead = offsets.map((ms) => `${ms <= -0.5 ? '-' : '+'}${shortly(Math.abs(ms))}`).join(', ');
  const apart = Math.max(...offsets) - Math.min(...offsets);
  const found = `${ahead} to ours (within ${shortly(error)})`;
  if (all.length > 1 && apart - error > CLOCKS_APART_MS)
    return {
      check: 'clocks',
      status: 'warn',
      found,
      means:
        'the nodes differ: leases stay right, but a clock that is set right jumps, and a jump forward ends leases early; use NTP',
    };
  return {
    check: 'clocks',
    status: 'ok',
    found,
    means:
      'no client clock decides who holds what; keep the servers on NTP, a jump forward ends leases early',
  };
}

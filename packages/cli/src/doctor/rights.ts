/** What the user of the connection may do, found out by doing it, with keys of our own that expire. */
import { randomBytes } from 'node:crypto';
import type { Client } from '../connect/client.ts';
import { type Asked, aclLine, channelPattern, keyPattern } from './acl.ts';

export interface Rights {
  /** `default` where nobody has logged in. */
  readonly user: string;
  /** Commands as in an ACL: `+zadd`, `+pubsub|numsub`; `~pattern` and `&pattern` for keys and channels. */
  readonly missing: readonly string[];
  /** Grants all that Holdfast and this program need. */
  readonly aclLine: string;
}

type Probe = readonly [right: string, ...command: string[]];

const LIVE_MS = '5000';

export async function rightsOf(client: Client, asked: Asked): Promise<Rights> {
  const id = randomBytes(6).toString('hex');
  const missing = new Set<string>();
  for (const [right, name = '', ...args] of probes(asked, id)) {
    const what = await refusal(client, name, args);
    if (what === 'command') missing.add(right);
    if (what === 'key') missing.add(keyPattern(asked));
    if (what === 'channel') missing.add(channelPattern(asked));
  }
  const mute = await subscribing(client, asked, id);
  if (mute !== undefined) missing.add(mute);
  const user = String(
    await client.call('ACL', 'WHOAMI').catch(() => (client.options ? userOf(client) : 'app')),
  );
  return { user, missing: [...missing], aclLine: aclLine(user, asked) };
}

function userOf(client: Client): string {
  const { username } = client.options as { username?: string };
  return username ?? 'app';
}

function keysOf({ prefix }: Asked, id: string) {
  const main = `${prefix}holdfast-doctor:{${id}}`;
  return {
    main,
    set: `${main}:z`,
    hash: `${main}:h`,
    helper: `${prefix}holdfast:{holdfast-doctor:${id}}:probe:`,
  };
}

/** Each does nothing that would stay; the server checks the right before anything else. */
function probes(asked: Asked, id: string): Probe[] {
  const { main, set, hash, helper } = keysOf(asked, id);
  const channel = channelOf(asked, id);
  const plain: Probe[] = [
    ['+ping', 'PING'],
    ['+info', 'INFO', 'server'],
    ['+time', 'TIME'],
    ['+eval', 'EVAL', 'return 1', '1', main],
    ['+evalsha', 'EVALSHA', 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db', '1', main],
    ['+set', 'SET', main, id, 'PX', LIVE_MS],
    ['+get', 'GET', main],
    ['+get', 'GET', helper],
    ['+exists', 'EXISTS', main],
    ['+type', 'TYPE', main],
    ['+pttl', 'PTTL', main],
    ['+pexpire', 'PEXPIRE', main, LIVE_MS],
    ['+zadd', 'ZADD', set, 'XX', '1', 'nobody'],
    ['+zrem', 'ZREM', set, 'nobody'],
    ['+zrange', 'ZRANGE', set, '0', '0'],
    ['+zcard', 'ZCARD', set],
    ['+zscore', 'ZSCORE', set, 'nobody'],
    ['+zmscore', 'ZMSCORE', set, 'nobody'],
    ['+zrank', 'ZRANK', set, 'nobody'],
    ['+zpopmin', 'ZPOPMIN', set],
    ['+del', 'DEL', main],
    ['+publish', 'PUBLISH', channel, ''],
    ['+pubsub|numsub', 'PUBSUB', 'NUMSUB', channel],
  ];
  const overQuorum: Probe[] = [
    ['+hget', 'HGET', hash, 'a'],
    ['+hset', 'HSET', set, 'a', id],
    ['+hdel', 'HDEL', hash, 'a'],
    ['+hmget', 'HMGET', hash, 'a'],
    ['+hgetall', 'HGETALL', hash],
    ['+hexists', 'HEXISTS', hash, 'a'],
  ];
  // Without a key the client could not tell which node to ask; the script names one.
  const inCluster: Probe[] = [
    ['+spublish', 'SPUBLISH', channel, ''],
    ['+pubsub|shardnumsub', 'PUBSUB', 'SHARDNUMSUB', channel],
  ];
  return [...plain, ...(asked.quorum ? overQuorum : []), ...(asked.cluster ? inCluster : [])];
}

async function refusal(
  client: Client,
  name: string,
  args: string[],
): Promise<'command' | 'key' | 'channel' | undefined> {
  try {
    await client.call(name, ...args);
  } catch (error) {
    return kindOf(error as Error);
  }
  return undefined;
}

/** Any other refusal (NOSCRIPT, a wrong type) came after the right was found good. */
function kindOf(error: Error): 'command' | 'key' | 'channel' | undefined {
  if (error.name !== 'ReplyError') throw error;
  if (!error.message.startsWith('NOPERM')) return undefined;
  if (/\bkeys?\b/.test(error.message)) return 'key';
  return /channel/.test(error.message) ? 'channel' : 'command';
}

async function subscribing(client: Client, asked: Asked, id: string): Promise<string | undefined> {
  // A cluster's client has subscribers of its own; there waiting shows what is missing.
  if (asked.cluster || !('subscribe' in client) || client.isCluster) return undefined;
  const ear = client.duplicate() as Client;
  ear.on('error', () => {});
  try {
    await ear.connect();
    await ear.subscribe(channelOf(asked, id));
    return undefined;
  } catch (error) {
    const kind = kindOf(error as Error);
    return kind === 'channel' ? channelPattern(asked) : kind && '+subscribe';
  } finally {
    ear.disconnect();
  }
}

function channelOf({ prefix }: Asked, id: string): string {
  return `${prefix}holdfast:grants:doctor-${id}`;
}

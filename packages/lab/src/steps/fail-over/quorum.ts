/** The library's own quorum, when one of its servers is lost, or loses its data. */
import { type RedisProcess, startProxy, startServer } from '@holdfast/testkit';
import { Holdfast, type Lease } from 'holdfast';
import { Redis } from 'ioredis';
import { type Drama, type Place, type Played, Recorder } from '../../explore/drama.ts';
import { cutPair, place } from './cut-replica.ts';

const LOCK = 'lock';

interface Node extends Place {
  readonly port: number;
}

interface Member {
  readonly who: string;
  readonly lease: Lease | undefined;
  leave(): Promise<void>;
}

/** A and B, each with the servers as they are when it comes. */
class Members implements AsyncDisposable {
  readonly recorder = new Recorder(() => this.#shown());
  readonly #all: Member[] = [];

  constructor(readonly nodes: Node[]) {}

  /** The lease is not renewed, so that nobody learns anything before the end of the run. */
  async take(who: string, from: readonly { port: number }[] = this.nodes): Promise<void> {
    const clients = from.map(({ port }) => new Redis({ host: '127.0.0.1', port }));
    // One of the servers may be out of reach.
    for (const client of clients) client.on('error', () => {});
    const holdfast = new Holdfast(clients);
    // At the end there may be too few servers for a release.
    holdfast.on('warning', () => {});
    const leave = async () => {
      await holdfast.close();
      for (const client of clients) client.disconnect();
    };
    const lease = await holdfast
      .lock(LOCK, { renew: false })
      .tryAcquire()
      .catch(async (error: unknown) => {
        await leave();
        throw error;
      });
    this.#all.push({ who, lease, leave });
    if (lease !== undefined) this.recorder.enter(who);
    const reply = lease === undefined ? 'busy' : `lease with fencing token ${lease.fencingToken}`;
    await this.recorder.say(who, `asks ${clients.length} servers for ${LOCK} with Holdfast`, reply);
  }

  async renew(who: string): Promise<void> {
    const lease = this.#all.find((member) => member.who === who)?.lease;
    await this.recorder.say(who, 'renews its lease', await lease?.renew());
  }

  verdict(): Played {
    const valid = this.#all.filter(({ lease }) => lease !== undefined && lease.remainingMs() > 0);
    const names = valid.map(({ who }) => who).join(' and ');
    return {
      lines: this.recorder.lines,
      why: valid.length > 1 ? `${names} each have a majority` : undefined,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(({ leave }) => leave()));
  }

  /** Whose lock it is at each node; a node that does not answer is left out. */
  async #shown(): Promise<Record<string, string>> {
    const found = await Promise.all(
      this.nodes.map(async (node) => {
        const value = await node.command('GET', LOCK).catch(() => null);
        return [`${LOCK} on ${node.name}`, this.#all.find(({ lease }) => lease?.holderId === value)?.who];
      }),
    );
    return Object.fromEntries(found.filter(([, who]) => who !== undefined));
  }
}

function node(number: number, server: RedisProcess, what = ''): Node {
  return { ...place(`node ${number}${what}`, server), port: server.port };
}

async function withServers(
  count: number,
  play: (servers: RedisProcess[]) => Promise<Played>,
): Promise<Played> {
  const servers = await Promise.all(Array.from({ length: count }, () => startServer()));
  try {
    return await play(servers);
  } finally {
    await Promise.all(servers.map((server) => server.shutdown()));
  }
}

/** All have agreed. Node 1 is the master of a replica that is behind. */
async function oneFailsOver(servers: readonly RedisProcess[]): Promise<Played> {
  await using pair = await cutPair();
  const others = servers.map((server, i) => node(i + 2, server));
  await using members = new Members([node(1, pair.master), ...others]);
  await members.recorder.say('network', 'the link from node 1 to its replica is cut');
  await members.take('A');
  await pair.promote(members.recorder, 'node 1');
  members.nodes[0] = node(1, pair.replica, ' (promoted)');
  await members.take('B');
  await members.renew('A');
  return members.verdict();
}

/** All have agreed, and as many die as a majority can do without. */
async function someAreKilled(servers: readonly RedisProcess[]): Promise<Played> {
  await using members = new Members(servers.map((server, i) => node(i + 1, server)));
  await members.take('A');
  const victims = servers.slice(majorityOf(servers.length));
  for (const server of victims) await server.kill9();
  await members.recorder.say('crash', `killed: ${namesFrom(majorityOf(servers.length), victims)}`);
  await members.take('B');
  await members.renew('A');
  return members.verdict();
}

/** A bare majority has agreed, since A reaches no more, and one of it forgets. Nobody keeps anything on a disk. */
async function oneForgets(servers: readonly RedisProcess[]): Promise<Played> {
  const majority = majorityOf(servers.length);
  const far = servers.slice(majority);
  const links = await Promise.all(far.map(({ port }) => startProxy({ port })));
  await using members = new Members(servers.map((server, i) => node(i + 1, server)));
  const { recorder } = members;
  try {
    for (const link of links) await link.refuse();
    await recorder.say('network', `cut off from A: ${namesFrom(majority, far)}`);
    await members.take('A', [...servers.slice(0, majority), ...links]);
    await servers[majority - 1]?.kill9();
    await servers[majority - 1]?.restart();
    await recorder.say('crash', `node ${majority} restarts without its data`);
    await members.take('B');
    return members.verdict();
  } finally {
    await Promise.all(links.map((link) => link[Symbol.asyncDispose]()));
  }
}

const majorityOf = (count: number) => Math.floor(count / 2) + 1;
const namesFrom = (first: number, servers: readonly RedisProcess[]) =>
  servers.map((_, i) => `node ${first + i + 1}`).join(' and ');

type Run = Pick<Drama, 'actors' | 'run'>;
const ACTORS = ['A', 'B'];
/** @param count of independent servers */
export const quorumFailOver = (count: number): Run => ({
  actors: ACTORS,
  run: () => withServers(count - 1, oneFailsOver),
});
export const quorumKilled = (count: number): Run => ({
  actors: ACTORS,
  run: () => withServers(count, someAreKilled),
});
export const quorumForgets = (count: number): Run => ({
  actors: ACTORS,
  run: () => withServers(count, oneForgets),
});

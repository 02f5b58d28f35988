/** A master and a replica whose link is cut: replication is asynchronous, so the master says OK all the same. */
import { eventually, type RedisProcess, startProxy, startReplica, startServer } from '@holdfast/testkit';
import type { Place, Recorder } from '../../explore/drama.ts';

export class Pair implements AsyncDisposable {
  readonly #link: AsyncDisposable;

  constructor(
    readonly master: RedisProcess,
    readonly replica: RedisProcess,
    link: AsyncDisposable,
  ) {
    this.#link = link;
  }

  /** As Sentinel does when it takes the master for dead. */
  async promote(recorder: Recorder, name: string): Promise<void> {
    await this.replica.command('REPLICAOF', 'NO', 'ONE');
    await recorder.say('sentinel', `cannot reach ${name}, and promotes its replica`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.replica.shutdown(), this.master.shutdown(), this.#link[Symbol.asyncDispose]()]);
  }
}

/** Resolves when the replica was in step with its master, and hears no more of it. */
export async function cutPair(): Promise<Pair> {
  const master = await startServer();
  const link = await startProxy({ port: master.port });
  const replica = await startReplica(master, { lines: [`replicaof 127.0.0.1 ${link.port}`] });
  await link.refuse();
  link.cut();
  const isDown = async () =>
    /master_link_status:down/.test(String(await replica.command('INFO', 'replication')));
  await eventually(isDown, { what: 'the replica has lost its master' });
  return new Pair(master, replica, link);
}

/** A server as a place of a drama. */
export const place = (name: string, server: RedisProcess): Place => ({
  name,
  command: (...args) => server.command(...args),
});

/** Who has the key on which server; a server that does not answer is left out. */
export async function holders(places: readonly Place[], key: string): Promise<Record<string, string>> {
  const values = await Promise.all(
    places.map(async (one) => [`${key} on ${one.name}`, await one.command('GET', key).catch(() => null)]),
  );
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

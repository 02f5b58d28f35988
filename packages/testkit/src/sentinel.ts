import type { RedisProcess } from './redis-process.ts';
import { roleOf } from './replica.ts';
import type { Reply } from './resp-parser.ts';
import { eventually } from './wait.ts';

export const MASTER_NAME = 'holdfast';

export class SentinelGroup implements AsyncDisposable {
  readonly masterName = MASTER_NAME;
  /** The first master, then its replicas: the roles they started with. */
  readonly servers: RedisProcess[] = [];
  readonly sentinels: RedisProcess[] = [];
  readonly #wanted: number;

  constructor(sentinels: number) {
    this.#wanted = sentinels;
  }

  get master(): RedisProcess {
    return this.#server(0);
  }

  /** The first replica. */
  get replica(): RedisProcess {
    return this.#server(1);
  }

  get sentinelPorts(): number[] {
    return this.sentinels.map(({ port }) => port);
  }

  /** What the first Sentinel that answers says. It may still name a master that has just died. */
  async currentMasterPort(): Promise<number> {
    const address = await this.#ask('GET-MASTER-ADDR-BY-NAME');
    return Array.isArray(address) ? Number(address[1]) : Number.NaN;
  }

  /** Makes a replica the master, as planned maintenance does, and resolves with the new master's port. */
  async failover(): Promise<number> {
    const before = await this.currentMasterPort();
    await eventually(() => this.#ask('FAILOVER'), {
      withinMs: 10_000,
      what: 'a Sentinel agrees to fail over',
    });
    return this.failedOver(before);
  }

  /** Resolves with the new master's port once a Sentinel names one and that server is a master. */
  failedOver(oldPort: number, withinMs = 15_000): Promise<number> {
    const look = async () => {
      const port = await this.currentMasterPort();
      const server = this.servers.find((one) => one.port === port);
      return port !== oldPort && server && (await roleOf(server)) === 'master' ? port : undefined;
    };
    return eventually(look, { withinMs, what: 'a new master' });
  }

  /** All Sentinels name the same master, and the others follow it: before that, another fail-over may leave nobody the master. */
  async agreed(withinMs = 20_000): Promise<void> {
    const look = async () => {
      const named = await Promise.all(this.sentinels.filter((one) => one.running).map(masterOf));
      const port = named[0];
      if (port === undefined || named.some((one) => one !== port)) return false;
      const others = this.servers.filter((server) => server.port !== port && server.running);
      return (await Promise.all(others.map((server) => follows(server, port)))).every(Boolean);
    };
    await eventually(look, { withinMs, everyMs: 50, what: 'one master, and all others in step with it' });
  }

  /** Every Sentinel knows the other Sentinels and the replicas, so that a fail-over can succeed. */
  async settled(): Promise<void> {
    await Promise.all(this.sentinels.map(hasten));
    const all = () => Promise.all(this.sentinels.map((one) => this.#knowsAll(one)));
    const what = 'every Sentinel knows the others';
    await eventually(async () => (await all()).every(Boolean), { withinMs: 20_000, everyMs: 50, what });
  }

  async #knowsAll(sentinel: RedisProcess): Promise<boolean> {
    const info = String(await sentinel.command('INFO', 'sentinel'));
    const replicas = this.servers.length - 1;
    return info.includes(
      `status=ok,address=127.0.0.1:${this.master.port},slaves=${replicas},sentinels=${this.#wanted}`,
    );
  }

  async #ask(subcommand: string): Promise<Reply> {
    const sentinel = this.sentinels.find((one) => one.running);
    if (!sentinel) throw new Error('no Sentinel runs');
    return sentinel.command('SENTINEL', subcommand, MASTER_NAME);
  }

  #server(index: number): RedisProcess {
    const server = this.servers[index];
    if (!server) throw new Error(`there is no server ${index} in this group`);
    return server;
  }

  async shutdown(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((one) => one.shutdown()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }
}

async function masterOf(sentinel: RedisProcess): Promise<number | undefined> {
  const address = await sentinel.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME);
  return Array.isArray(address) ? Number(address[1]) : undefined;
}

async function follows(server: RedisProcess, port: number): Promise<boolean> {
  const info = String(await server.command('INFO', 'replication'));
  return info.includes(`master_port:${port}\r`) && info.includes('master_link_status:up');
}

/** Sentinels look for each other every 2 s and ask servers every 10 s; Redis 7 can be told to do it more often. */
async function hasten(sentinel: RedisProcess): Promise<void> {
  await sentinel
    .command('SENTINEL', 'DEBUG', 'PUBLISH-PERIOD', 200, 'INFO-PERIOD', 500)
    .catch(() => undefined);
}

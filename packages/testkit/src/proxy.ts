/*
 * A TCP proxy in front of a server, to make the network slow, silent or broken at will. It works on any bytes, TLS too.
 * What it cannot do: a black hole for new connections, since the kernel accepts them before the proxy is asked.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Gate, Lane, type Way } from './proxy-lane.ts';
import { freePort } from './wait.ts';

/** `up` is towards the server: commands. `down` is towards the client: replies. */
export type Direction = 'up' | 'down' | 'both';

export interface ProxyStats {
  accepted: number;
  open: number;
  upBytes: number;
  downBytes: number;
  droppedUpBytes: number;
  droppedDownBytes: number;
}

interface Link {
  client: Socket;
  server: Socket;
  lanes: Lane[];
}

/** Starts a proxy on a free port of 127.0.0.1 in front of `port`. */
export async function startProxy(target: { port: number; host?: string }): Promise<TcpProxy> {
  const proxy = new TcpProxy(await freePort(), target.port, target.host ?? '127.0.0.1');
  await proxy.refuse(false);
  return proxy;
}

class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #target: { port: number; host: string };
  readonly #up: Way = { gate: 'open', delayMs: 0, passedBytes: 0, droppedBytes: 0 };
  readonly #down: Way = { gate: 'open', delayMs: 0, passedBytes: 0, droppedBytes: 0 };
  readonly #links = new Set<Link>();
  #listener: Server | undefined;
  #accepted = 0;

  constructor(port: number, targetPort: number, host: string) {
    this.port = port;
    this.#target = { port: targetPort, host };
  }

  get stats(): ProxyStats {
    return {
      accepted: this.#accepted,
      open: this.#links.size,
      upBytes: this.#up.passedBytes,
      downBytes: this.#down.passedBytes,
      droppedUpBytes: this.#up.droppedBytes,
      droppedDownBytes: this.#down.droppedBytes,
    };
  }

  /** Delays what arrives from now on; the order stays. */
  delay({ upMs = 0, downMs = 0 }: { upMs?: number; downMs?: number }): void {
    this.#up.delayMs = upMs;
    this.#down.delayMs = downMs;
  }

  /**
   * Silences a direction, ends of connections included. With `hold` (default) everything is kept and delivered on
   * `heal()`, as TCP does after a short outage. With `drop` it is swallowed, and a connection that lost something stays
   * silent in that direction even after `heal()`: it is half-open for ever, as TCP never delivers what follows a gap.
   */
  silence(direction: Direction, how: 'hold' | 'drop' = 'hold'): void {
    this.#set(direction, how);
  }

  /** Ends silences. Delays and refusing stay as they are. */
  heal(direction: Direction = 'both'): void {
    this.#set(direction, 'open');
  }

  #set(direction: Direction, gate: Gate): void {
    if (direction !== 'down') this.#up.gate = gate;
    if (direction !== 'up') this.#down.gate = gate;
    for (const { lanes } of this.#links) for (const lane of lanes) lane.pump();
  }

  /** Closes every connection now, both sides; what was under way is lost. */
  cut(): void {
    for (const { client, server } of this.#links) for (const socket of [client, server]) socket.destroy();
  }

  /** As `cut`, with RST: the peers see ECONNRESET. */
  reset(): void {
    for (const { client, server } of this.#links)
      for (const socket of [client, server]) socket.resetAndDestroy();
  }

  /** Stops accepting (ECONNREFUSED), or accepts again. Open connections stay. */
  async refuse(yes = true): Promise<void> {
    if (yes) {
      this.#listener?.close();
      this.#listener = undefined;
    } else {
      this.#listener ??= await this.#listen();
    }
  }

  #listen(): Promise<Server> {
    return new Promise((resolve, reject) => {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', () => resolve(server));
    });
  }

  #accept(client: Socket): void {
    this.#accepted++;
    const server = connect({ ...this.#target, allowHalfOpen: true, noDelay: true });
    const lanes = [new Lane(client, server, this.#up), new Lane(server, client, this.#down)];
    const link = { client, server, lanes };
    this.#links.add(link);
    const gone = () => client.destroyed && server.destroyed && this.#links.delete(link);
    client.once('close', gone);
    server.once('close', gone);
  }

  async shutdown(): Promise<void> {
    await this.refuse();
    this.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }
}

export type { TcpProxy };

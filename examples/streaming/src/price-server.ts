/* A real HTTP server that pushes a price every 50 ms to whoever is connected (Server-Sent Events). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Connection, Judge, type Ticket } from './judge.ts';
import { eventText } from './sse.ts';

const PUSH_EVERY_MS = 50;

export class PriceServer {
  readonly judge = new Judge();
  private readonly server: Server;
  private readonly streams = new Map<Connection, ServerResponse>();
  private readonly timer: NodeJS.Timeout;
  private lastId = 0;

  static async start(): Promise<PriceServer> {
    const server = new PriceServer();
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor() {
    this.server = createServer((request, response) => this.answer(request, response));
    this.timer = setInterval(() => this.push(), PUSH_EVERY_MS);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/prices`;
  }

  close(): void {
    clearInterval(this.timer);
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === 'HEAD') return void response.end();
    const ticket = ticketOf(request);
    if (!this.makeRoom(ticket)) return void response.writeHead(409).end();
    const connection = this.judge.admit(ticket);
    this.streams.set(connection, response);
    response.on('close', () => {
      this.streams.delete(connection);
      this.judge.close(connection);
    });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
  }

  /** A seat belongs to its highest token: a holder that sleeps through the end of its lease is found out here. */
  private makeRoom({ seat, token }: Ticket): boolean {
    const before = this.judge.open.find((connection) => connection.seat === seat);
    if (!before) return true;
    if (before.token >= token) return false;
    before.displaced = true;
    this.judge.close(before);
    this.streams.get(before)?.destroy();
    return true;
  }

  private push(): void {
    const text = eventText(++this.lastId, { symbol: 'HOLD', price: (100 + Math.random()).toFixed(2) });
    for (const [connection, response] of this.streams) {
      connection.sent++;
      response.write(text);
    }
  }
}

function ticketOf({ headers }: IncomingMessage): Ticket {
  const { 'x-subscriber': subscriber, 'x-seat': seat, 'x-seat-token': token } = headers;
  return { subscriber: String(subscriber), seat: Number(seat), token: Number(token) };
}

/* A real HTTP server in the place of a database: each query keeps it busy for a while, and it counts them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Judge } from './judge.ts';

const QUERY_MS = { least: 120, most: 280 };

export class Database {
  readonly judge = new Judge();
  private readonly server: Server;

  static async start(): Promise<Database> {
    const database = new Database();
    await new Promise<void>((resolve) => database.server.listen(0, '127.0.0.1', resolve));
    return database;
  }

  private constructor() {
    this.server = createServer((request, response) => this.answer(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/query`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer({ method, headers }: IncomingMessage, response: ServerResponse): void {
    if (method !== 'POST') return void response.end();
    const { judge } = this;
    const token = Number(headers['x-permit']);
    judge.begin(token);
    const timer = setTimeout(
      () => {
        judge.end(token);
        response.end();
      },
      QUERY_MS.least + Math.random() * (QUERY_MS.most - QUERY_MS.least),
    );
    response.on('close', () => {
      if (response.writableEnded) return;
      clearTimeout(timer);
      judge.interrupted++;
      judge.end(token);
    });
  }
}

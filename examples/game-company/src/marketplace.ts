/*
 * The marketplace: an HTTP API that belongs to somebody else. It allows five calls at once per account, and counts them
 * itself. A sixth call is refused with 429 "account blocked", and so is every call of the next 100 ms.
 *
 * Every open call counts, a refused one as well: refusing takes as long as working. So the count shows how many really
 * called at once. A call whose connection breaks counts until its work is done: the API has begun and does not look back.
 * That is the harder rule for the semaphore, since a dead process's calls go on without it.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Books } from './books.ts';
import { between, CALL_MS } from './rules.ts';

export class Marketplace {
  /** The current scene's. */
  books = new Books();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  private constructor() {
    // Longer than any pause between two calls: a connection must not be closed while a call is on its way.
    this.server.keepAliveTimeout = 60_000;
  }

  static async open(): Promise<Marketplace> {
    const marketplace = new Marketplace();
    await once(marketplace.server.listen(0, '127.0.0.1'), 'listening');
    return marketplace;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  openBooks(): Books {
    this.books = new Books();
    return this.books;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { books } = this;
    const account = Number(/^\/accounts\/(\d+)\/offers$/.exec(request.url ?? '')?.[1]);
    if (!books.pages[account - 1]) return void response.writeHead(404).end();
    response.once('close', () => {
      if (!response.writableEnded) books.brokenOff++;
    });
    const admitted = books.page(account).begin(performance.now());
    await sleep(between(CALL_MS));
    // Before the answer goes out: whoever has it may rely on this call counting no more.
    books.page(account).end();
    if (response.destroyed) return;
    response.writeHead(admitted ? 200 : 429).end(admitted ? 'offered' : 'account blocked');
  }
}

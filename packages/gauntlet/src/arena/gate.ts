/**
 * A way to a server on which every chunk of bytes waits until it is let through, commands and replies alike: whoever lets them through decides in which
 * order things happen. On each connection the order of each direction stays.
 */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Calls `pass` when the chunk may go on. */
export type Keeper = (what: string, pass: () => void) => void;

const OPEN: Keeper = (_, pass) => pass();

export class Gate implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Set<() => void>();
  #keeper: Keeper = OPEN;

  private constructor(targetPort: number) {
    this.#server = createServer({ noDelay: true }, (client) => this.#join(client, targetPort));
  }

  static async before(targetPort: number): Promise<Gate> {
    const gate = new Gate(targetPort);
    await once(gate.#server.listen(0, '127.0.0.1'), 'listening');
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  keep(keeper: Keeper): void {
    this.#keeper = keeper;
  }

  /** Lets everything through, also what is held. */
  open(): void {
    this.#keeper = OPEN;
    for (const pass of [...this.#held]) pass();
  }

  #join(client: Socket, targetPort: number): void {
    const server = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    this.#lead(client, server, 'command');
    this.#lead(server, client, 'reply');
  }

  #lead(from: Socket, to: Socket, what: string): void {
    const chunks: Buffer[] = [];
    this.#sockets.add(from);
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on('data', (chunk) => {
      chunks.push(chunk);
      this.#hold(what, () => to.write(chunks.shift() as Buffer));
    });
  }

  #hold(what: string, write: () => void): void {
    const pass = () => {
      if (this.#held.delete(pass)) write();
    };
    this.#held.add(pass);
    this.#keeper(what, pass);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

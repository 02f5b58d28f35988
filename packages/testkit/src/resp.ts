/*
 * The kit's own small client, so that what the kit says about a server does not depend on a client under test.
 * RESP2 over TCP, TLS or a unix socket. An idle connection does not keep the process alive.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { encodeCommand, type Reply, ReplyError, RespParser } from './resp-parser.ts';

export type Arg = string | number | Buffer;

export interface RespOptions {
  host?: string;
  port?: number;
  /** A unix socket, instead of a port. */
  path?: string;
  username?: string;
  password?: string;
  /** The certificate (PEM) to trust; gives a TLS connection. */
  ca?: string;
  /** Milliseconds a connect or a reply may take, then the connection is dropped. Default 5000; 0 waits for ever. */
  timeoutMs?: number;
  /** Called with every reply that answers no command: messages on a subscribed connection. */
  onMessage?: (message: Reply) => void;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** Connects, and authenticates if a password is given. Rejects if either fails. */
export async function connectResp(options: RespOptions): Promise<RespClient> {
  const { username, password, timeoutMs = 5_000 } = options;
  const socket = openSocket(options);
  const client = new RespClient(socket, timeoutMs, options.onMessage);
  try {
    await connected(socket, options.ca === undefined ? 'connect' : 'secureConnect', timeoutMs);
    if (password !== undefined) await client.command('AUTH', ...(username ? [username] : []), password);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

function openSocket({ host = '127.0.0.1', port = 6379, path, ca }: RespOptions): Socket {
  const socket =
    ca === undefined
      ? connectTcp(path === undefined ? { host, port } : { path })
      : connectTls({ host, port, ca, servername: 'localhost' });
  return socket.setNoDelay(true);
}

function connected(socket: Socket, event: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`));
    const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined;
    const settle = (error?: Error) => {
      clearTimeout(timer);
      error ? reject(error) : resolve();
    };
    socket.once(event, () => settle());
    socket.once('error', settle);
    socket.once('close', () => settle(new Error('connection closed before it was ready')));
  });
}

export class RespClient {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #onMessage: ((message: Reply) => void) | undefined;
  readonly #parser = new RespParser();
  readonly #waiting: Waiting[] = [];

  constructor(socket: Socket, timeoutMs: number, onMessage?: (message: Reply) => void) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    this.#onMessage = onMessage;
    let reason = new Error('connection closed');
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => {
      reason = error;
    });
    socket.on('close', () => this.#failAll(reason));
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  /** Sends one command. An error reply rejects with a `ReplyError`. */
  async command(...args: Arg[]): Promise<Reply> {
    const [reply] = await this.pipeline([args]);
    if (reply instanceof ReplyError) throw reply;
    return reply as Reply;
  }

  /** Sends all commands in one write; error replies are values in the result. */
  pipeline(commands: Arg[][]): Promise<Reply[]> {
    if (this.closed) return Promise.reject(new Error('connection closed'));
    const replies = commands.map(() => this.#expect());
    this.#socket.ref();
    this.#socket.write(Buffer.concat(commands.map(encodeCommand)));
    return this.#inTime(Promise.all(replies), commands[0]?.[0]);
  }

  close(): void {
    this.#socket.destroy();
  }

  #expect(): Promise<Reply> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async #inTime(replies: Promise<Reply[]>, name: Arg | undefined): Promise<Reply[]> {
    const late = () => this.#socket.destroy(new Error(`no reply to ${name} within ${this.#timeoutMs} ms`));
    const timer = this.#timeoutMs > 0 ? setTimeout(late, this.#timeoutMs) : undefined;
    try {
      return await replies;
    } finally {
      clearTimeout(timer);
    }
  }

  #take(chunk: Buffer): void {
    try {
      for (const reply of this.#parser.push(chunk)) this.#deliver(reply);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
    if (this.#waiting.length === 0 && !this.#onMessage) this.#socket.unref();
  }

  #deliver(reply: Reply): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(reply);
    else this.#onMessage?.(reply);
  }

  #failAll(reason: Error): void {
    for (const waiting of this.#waiting.splice(0)) waiting.reject(reason);
  }
}

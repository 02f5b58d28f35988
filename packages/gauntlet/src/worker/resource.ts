/** A worker's way to the resource. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Shown } from '../resource/fenced.ts';

export interface Resource {
  /** Resolves when the resource has taken it: whether it accepted all of it. */
  show(shown: Shown): Promise<boolean>;
  /** Not waited for: it only tells the faults whom to hit. */
  stands(id: string, name: string, waits: boolean): void;
  close(): void;
}

export async function connectResource(path: string): Promise<Resource> {
  const socket = connect(path);
  await once(socket, 'connect');
  const answers = new Map<number, (accepted: boolean) => void>();
  createInterface({ input: socket }).on('line', (line) => {
    const { n, accepted } = JSON.parse(line) as { n: number; accepted: boolean };
    answers.get(n)?.(accepted);
    answers.delete(n);
  });
  send(socket, { pid: process.pid });
  let asked = 0;
  return {
    show: (shown) =>
      new Promise((resolve) => {
        answers.set(++asked, resolve);
        send(socket, { n: asked, ...shown });
      }),
    stands: (id, name, waits) => send(socket, { id, name, waits }),
    close: () => socket.destroy(),
  };
}

function send(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\n`);
}

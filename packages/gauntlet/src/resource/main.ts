/**
 * The resource as a process of its own, on a unix socket: its order of operations is the real order of their effects. Told the path, its
 * history's file and whether it looks at tokens; asked over IPC who is inside.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { openHistory } from '@holdfast/testkit';
import { FencedResource, type Shown } from './fenced.ts';

interface Settings {
  readonly path: string;
  readonly file: string;
  readonly fenced: boolean;
}

/** A lane stands in the queue, or does so no more. */
interface Stands {
  readonly n?: undefined;
  readonly waits: boolean;
  readonly name: string;
  readonly id: string;
}

const { path, file, fenced } = JSON.parse(process.argv[2] ?? '') as Settings;
const history = openHistory(file);
const resource = new FencedResource({ fenced });
const waiting = new Map<string, { readonly name: string; readonly pid: number }>();

function serve(socket: Socket): void {
  let pid = 0;
  socket.on('error', () => {});
  socket.on('close', () => forget(pid));
  const lines = createInterface({ input: socket });
  lines.on('error', () => {});
  lines.on('line', (line) => {
    const message = JSON.parse(line) as { pid: number } | Stands | (Shown & { readonly n: number });
    if ('pid' in message) pid = message.pid;
    else if (message.n === undefined) stand(message, pid);
    else answer(socket, pid, message);
  });
}

function stand({ id, name, waits }: Stands, pid: number): void {
  if (waits) waiting.set(id, { name, pid });
  else waiting.delete(id);
}

function answer(socket: Socket, pid: number, { n, ...shown }: Shown & { readonly n: number }): void {
  waiting.delete(shown.id);
  const operations = resource.take(pid, shown);
  for (const operation of operations) history.record({ type: 'write', what: shown.what, ...operation });
  const accepted = operations.every((operation) => operation.accepted);
  socket.write(`${JSON.stringify({ n, accepted })}\n`);
}

function forget(pid: number): void {
  resource.gone(pid);
  for (const [id, one] of waiting) if (one.pid === pid) waiting.delete(id);
}

const waitersFor = (name: string) =>
  [...waiting.values()].filter((one) => one.name === name).map(({ pid }) => pid);

process.on('message', (message: { readonly who?: string }) => {
  const { who } = message;
  if (who !== undefined) process.send?.({ who, holders: resource.holders(who), waiters: waitersFor(who) });
  else process.send?.({ most: resource.most });
});
process.on('disconnect', () => process.exit());

createServer(serve).listen(path, () => process.send?.('ready'));

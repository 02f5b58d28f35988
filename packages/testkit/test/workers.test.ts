import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dyingWithParent } from '../src/processes.ts';
import { eventually } from '../src/wait.ts';
import { startWorker } from '../src/workers.ts';
import { isAlive } from './is-alive.ts';

const SCRIPT = new URL('./fixtures/worker.mjs', import.meta.url);
const ofType = (type: string) => (message: { type: string }) => message.type === type;

test('a worker answers, with its arguments and environment', async () => {
  await using worker = startWorker(SCRIPT, { args: ['--one'], env: { WORKER_NOTE: 'note' } });
  worker.send({ task: 'echo', text: 'hello' });
  const answer = await worker.waitFor(ofType('echoed'));
  expect(answer).toEqual({ type: 'echoed', text: 'hello', args: ['--one'], env: 'note' });
});

test('messages can be iterated, and end with the process', async () => {
  const worker = startWorker(SCRIPT);
  const types: unknown[] = [];
  for await (const message of worker.messages) {
    types.push((message as { type: string }).type);
    if (types.length === 3) await worker.kill9();
  }
  expect(types.slice(0, 3)).toEqual(['ready', 'tick', 'tick']);
});

test.each([1, 2, 3])('the death of a worker is seen by who waits for it (%i)', async () => {
  const worker = startWorker(SCRIPT);
  await worker.waitFor(ofType('ready'));
  const waiting = worker.waitFor(ofType('never'));
  const seen = expect(waiting).rejects.toThrow('the worker ended by SIGKILL');
  expect(await worker.kill9()).toEqual({ code: null, signal: 'SIGKILL' });
  await seen;
  expect(isAlive(worker.pid)).toBe(false);
});

test('an exit code and what was written are seen', async () => {
  const worker = startWorker(SCRIPT);
  worker.send({ task: 'write', text: 'some text' });
  await worker.waitFor(ofType('written'));
  worker.send({ task: 'throw', text: 'broken on purpose' });
  await expect(worker.waitFor(ofType('never'))).rejects.toThrow('broken on purpose');
  expect(await worker.exited).toEqual({ code: 1, signal: null });
  expect(worker.stdout).toBe('some text');
});

test('a stopped worker says nothing until it goes on', async () => {
  await using worker = startWorker(SCRIPT);
  await worker.waitFor(ofType('ready'));
  worker.stop();
  worker.send({ task: 'echo', text: 'late' });
  await expect(worker.waitFor(ofType('echoed'), 200)).rejects.toThrow('no such message within 200 ms');
  worker.cont();
  expect(await worker.waitFor(ofType('echoed'))).toMatchObject({ text: 'late' });
});

test('a script that is not there ends the worker', async () => {
  const worker = startWorker('no-such-script.mjs');
  await expect(worker.waitFor(ofType('ready'))).rejects.toThrow('Cannot find module');
});

test.runIf(process.platform === 'linux')('what a worker started dies with it, even by kill -9', async () => {
  const worker = startWorker(SCRIPT);
  worker.send({ task: 'spawn', ...dyingWithParent({ command: 'sleep', args: ['60'] }) });
  const { pid } = (await worker.waitFor(ofType('spawned'))) as unknown as { pid: number };
  // The tie is made between fork and exec: before that nobody could have heard of the child.
  await eventually(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n', { what: 'the child runs' });
  await worker.kill9();
  await eventually(() => !isAlive(pid), { what: 'the child of the dead worker is gone' });
});

/** A client that is paused between its last look at its lease and its write. No lock can prevent it; the resource can. */

import { startServer, startWorker } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import { Redis } from 'ioredis';
import { type Drama, type Played, Recorder } from '../../explore/drama.ts';
import { Register } from './register.ts';

/** The same way from `src` and from `dist`. */
const PAUSED_HOLDER = new URL('../../../workers/paused-holder.mjs', import.meta.url);
const LOCK = 'lock';
/** Short, since B waits until it is over. */
const TTL_MS = 600;

interface Told {
  readonly is: 'holding' | 'write' | 'lost';
  readonly fencingToken: number;
  readonly reason?: string;
}

export const pausedClient = (fenced: boolean): Pick<Drama, 'actors' | 'run'> => ({
  actors: ['A', 'B'],
  run: () => play(new Register(fenced)),
});

async function play(register: Register): Promise<Played> {
  await using server = await startServer();
  const recorder = new Recorder(async () => shown(register));
  await using worker = startWorker(PAUSED_HOLDER, { args: [String(server.port), LOCK, String(TTL_MS)] });
  const told = (is: Told['is']) => worker.waitFor<Told>((message) => message.is === is);

  const { fencingToken } = await told('holding');
  recorder.enter('A');
  await recorder.say('A', `acquires ${LOCK} with Holdfast, in a process of its own`, tokenOf(fencingToken));
  await recorder.say('A', 'its lease is good, so it is about to write');
  await recorder.say('pause', 'the process of A is stopped (SIGSTOP), longer than its lease lasts');
  let wrote = false;
  const write = told('write').finally(() => {
    wrote = true;
  });
  write.catch(() => {}); // it is awaited below, unless something fails before
  await takeOver(server.port, register, recorder);
  if (wrote) throw new Error('the process of A was not stopped');
  worker.cont();
  await recorder.say('pause', 'the process of A goes on');
  const late = register.write('from A', (await write).fencingToken);
  const moment = recorder.lines.length;
  await recorder.say('A', `writes "from A" with token ${fencingToken}`, late);
  recorder.leave('A');
  await recorder.say('A', `learns that its lease was lost: ${(await told('lost')).reason}`);
  return { lines: recorder.lines, why: overwritten(register), moment };
}

/** B waits for the lock, works and is done while A is stopped. */
async function takeOver(port: number, register: Register, recorder: Recorder): Promise<void> {
  const redis = new Redis({ port, host: '127.0.0.1' });
  const holdfast = new Holdfast(redis);
  try {
    await holdfast.lock(LOCK).use(async ({ fencingToken }) => {
      await recorder.say('time', 'the lease of A runs out');
      recorder.enter('B');
      await recorder.say('B', `acquires ${LOCK} with Holdfast`, tokenOf(fencingToken));
      const reply = register.write('from B', fencingToken);
      await recorder.say('B', `writes "from B" with token ${fencingToken}`, reply);
      recorder.leave('B');
    });
    await recorder.say('B', `releases ${LOCK}`);
  } finally {
    await holdfast.close();
    redis.disconnect();
  }
}

const tokenOf = (token: number) => `lease with fencing token ${token}`;

const shown = ({ value, highestToken }: Register): Record<string, string> => ({
  ...(value !== '' && { resource: value }),
  ...(highestToken > 0 && { 'highest token seen': String(highestToken) }),
});

function overwritten({ value }: Register): string | undefined {
  return value === 'from B' ? undefined : 'A has overwritten what B wrote, long after its lease was over';
}

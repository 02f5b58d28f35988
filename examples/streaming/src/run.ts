/* The whole run: a place, a stream, subscribers, six scenes. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cleanup,
  dim,
  type MakeStory,
  machineNow,
  needPlace,
  type Place,
  type Story,
} from '@holdfast/example-common';
import { Board } from './board.ts';
import { CUT_OFF, prepare } from './prepare.ts';
import { PriceServer } from './price-server.ts';
import { NAMES, SEATS } from './protocol.ts';
import type { Result } from './result.ts';
import { cutOff } from './scenes/cut-off.ts';
import { empty } from './scenes/empty.ts';
import { fill } from './scenes/fill.ts';
import { handOver } from './scenes/handed-over.ts';
import { keep } from './scenes/kept.ts';
import { kill } from './scenes/killed.ts';
import { queueUp, type Stage, type Visit } from './stage.ts';

/** Time to read, and for renewals to be at work. */
const PAUSE_MS = 800;

export async function run(makeStory: MakeStory, cleanup: Cleanup): Promise<Result> {
  const place = await needPlace('streaming', cleanup);
  const startedAt = machineNow();
  const board = new Board();
  const server = await PriceServer.start();
  cleanup.add(() => server.close());
  const story = makeStory(() => board.block(server.judge));
  cleanup.add(() => story.close());
  introduce(story, place);
  const stage = await prepare({ place, board, server, story, cleanup });
  const scenes = await play(stage);
  const { all, maxOpen } = server.judge;
  const displaced = all.filter((each) => each.displaced).map(({ subscriber }) => subscriber);
  return {
    server: place.label,
    seats: SEATS.limit,
    subscribers: NAMES.length,
    ttlMs: stage.ttlMs,
    asked: board.asked,
    seated: board.seated,
    ...scenes,
    connections: { total: all.length, maxOpen, displaced },
    tookMs: machineNow() - startedAt,
  };
}

function introduce(story: Story, { label, where, data }: Place): void {
  story.heading(`Holdfast: ${NAMES.length} subscribers, ${SEATS.limit} seats at a stream of prices.`);
  story.say(dim(`   Server: ${label}, ${where}`), dim(`           ${data}`));
  story.say('   The stream is real (HTTP, Server-Sent Events); each subscriber is a process.');
}

async function play(stage: Stage) {
  const [first, second, third] = (await fill(stage)) as [Visit, Visit, Visit];
  stage.story.heading('2  One leaves: the next one in the queue gets its seat');
  const handedOver = await handOver(stage, 'D', first);
  await sleep(PAUSE_MS);
  const cut = await cutOff(stage, CUT_OFF, second);
  const again = await comeBack(stage);
  await sleep(PAUSE_MS);
  const killed = await kill(stage, 'C', third);
  const { kept, returned } = await keep(stage, 'A', again);
  return { handedOver, cutOff: cut, killed, kept, returned, end: await empty(stage) };
}

/** Redis can be reached again. Its seat is somebody else's by now, so it waits behind the others. */
async function comeBack(stage: Stage): Promise<Visit> {
  stage.proxy.heal();
  stage.proxy.cut(); // what has lost bytes stays silent; a new connection does not
  return queueUp(stage, CUT_OFF);
}

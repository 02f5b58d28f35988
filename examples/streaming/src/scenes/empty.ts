import { good } from '@holdfast/example-common';
import { SEATS } from '../protocol.ts';
import type { Result } from '../result.ts';
import { leave, type Stage } from '../stage.ts';

/** Nothing is left behind: all seats can be had by one call. */
export async function empty(stage: Stage): Promise<Result['end']> {
  const { story, server, seats } = stage;
  story.heading('6  All leave');
  await Promise.all(server.judge.open.map(({ subscriber }) => leave(stage, subscriber)));
  const { held, queueLength: waiting } = await seats.inspect();
  const all = await seats.tryAcquire(SEATS.limit);
  const more = await seats.tryAcquire();
  const slots = all?.slots.map(({ slot }) => slot).join(', ');
  await Promise.all([all?.release(), more?.release()]);
  story.say(
    `   Redis: ${held} held, ${waiting} waiting. One tryAcquire(${SEATS.limit}) had seats ${good(slots ?? 'none')}.`,
  );
  return { held, waiting, allAtOnce: all !== undefined, oneMore: more !== undefined };
}

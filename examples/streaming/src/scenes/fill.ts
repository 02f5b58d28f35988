import { setTimeout as sleep } from 'node:timers/promises';
import { dim, ms } from '@holdfast/example-common';
import { TTL_MS } from '../prepare.ts';
import { NAMES, SEATS } from '../protocol.ts';
import { queueUp, type Stage, subscribe, type Visit } from '../stage.ts';

/** Time to see that nothing changes while all seats are taken. */
const WATCH_MS = 1_000;

/** Everybody asks, one after the other. @returns those who wait, in their order */
export async function fill(stage: Stage): Promise<Visit[]> {
  const { story, server, seats, ttlMs } = stage;
  const { limit } = SEATS;
  story.heading(`1  The seats fill, the others wait (ttl ${ms(ttlMs)})`);
  if (ttlMs !== TTL_MS) story.say(dim('   This machine is busy, so the ttl is longer than usual.'));
  story.say('   Each subscriber acquires a seat first, and connects only when it has one.');
  for (const name of NAMES.slice(0, limit)) await takeSeat(stage, name);
  const waiting: Visit[] = [];
  for (const name of NAMES.slice(limit)) waiting.push(await queueUp(stage, name));
  await sleep(WATCH_MS);
  const { held, queue } = await seats.inspect();
  const order = queue.map(({ waiter }) => waiter.label?.replace('subscriber ', '')).join(', ');
  story.say(`   Redis: ${held} of ${limit} seats held, waiting in this order: ${order}.`);
  story.say(
    `   The server: ${server.judge.open.length} connections. Each lease is renewed in the background.`,
  );
  return waiting;
}

async function takeSeat(stage: Stage, name: string): Promise<void> {
  const visit = subscribe(stage, name);
  const { seat } = await visit.seated;
  await visit.listening;
  stage.story.say(`   ${name} has seat ${seat} and is connected.`);
}

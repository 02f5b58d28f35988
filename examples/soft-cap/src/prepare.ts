/* What the scenes need: a database, worker processes, and a place to tell what happens. */
import {
  type Cleanup,
  dim,
  type MakeStory,
  Member,
  type Place,
  Reports,
  type Story,
} from '@holdfast/example-common';
import { Holdfast } from 'holdfast';
import { Database } from './database.ts';
import { block } from './live.ts';
import { CAP, CONFIGURED, type Order, type Report, TASKS } from './protocol.ts';
import type { Stage } from './stage.ts';
import { rowText, Timeline } from './timeline.ts';
import { Warnings } from './warnings.ts';

/** @returns when every worker is ready, and none has begun */
export async function prepare(place: Place, makeStory: MakeStory, cleanup: Cleanup): Promise<Stage> {
  const database = await Database.start();
  cleanup.add(() => database.close());
  const { judge } = database;
  const holdfast = new Holdfast(place.redis, { prefix: place.prefix, label: 'operator' });
  cleanup.add(() => holdfast.close());
  const permits = holdfast.semaphore(CAP.name);
  const timeline: Timeline = new Timeline(permits, judge, (row) => story.say(rowText(row)));
  const story = makeStory(() => block(timeline, judge));
  cleanup.add(() => story.close());
  introduce(story, place);
  const warnings = new Warnings(story);
  const reports = new Reports<Report>((report) => warnings.see(report));
  const members = await hire(place, database, reports, cleanup);
  return { members, reports, judge, permits, timeline, warnings, story };
}

function introduce(story: Story, { label, where, data }: Place): void {
  const workers = Object.keys(CONFIGURED).length;
  story.heading(
    `Holdfast: ${workers} workers with ${TASKS} tasks each, and a database that bears only so much.`,
  );
  story.say(dim(`   Server: ${label}, ${where}`), dim(`           ${data}`));
  story.say('   Each query needs a permit. An operator changes how many there are, meanwhile.');
}

async function hire(
  { url, prefix }: Place,
  database: Database,
  reports: Reports<Report>,
  cleanup: Cleanup,
): Promise<Member<Order, Report>[]> {
  const script = new URL('./worker.js', import.meta.url);
  const all = Object.entries(CONFIGURED).map(([name, limit]) => {
    const ready = reports.until('ready', name);
    const worker = new Member<Order, Report>(name, script, reports);
    worker.send({ do: 'open', url, prefix, limit, database: database.url });
    return { worker, ready };
  });
  cleanup.add(() => Promise.all(all.map(({ worker }) => worker.kill())));
  await Promise.all(all.map(({ ready }) => ready));
  return all.map(({ worker }) => worker);
}

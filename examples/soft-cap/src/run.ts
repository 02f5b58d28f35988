/* The whole run: a place, workers, an operator who changes his mind three times, and the end. */
import { type Cleanup, type MakeStory, machineNow, needPlace } from '@holdfast/example-common';
import { lower, type Measured, raise, start } from './operator.ts';
import { prepare } from './prepare.ts';
import { CONFIGURED, TASKS } from './protocol.ts';
import type { Change, Result } from './result.ts';
import type { Stage } from './stage.ts';
import { HEADER } from './timeline.ts';

export async function run(makeStory: MakeStory, cleanup: Cleanup): Promise<Result> {
  const place = await needPlace('soft-cap', cleanup);
  const startedAt = machineNow();
  const stage = await prepare(place, makeStory, cleanup);
  const changes = await operate(stage);
  const { queries, end } = await stop(stage);
  const { judge, warnings, timeline } = stage;
  return {
    server: place.label,
    workers: stage.members.length,
    tasks: TASKS,
    queries,
    interrupted: judge.interrupted,
    lost: warnings.lost,
    changes,
    warnings: Object.entries(CONFIGURED).map(([worker, limit]) => ({
      worker,
      limit,
      times: warnings.times(worker),
    })),
    warning: warnings.first,
    timeline: timeline.rows,
    end,
    tookMs: machineNow() - startedAt,
  };
}

async function operate(stage: Stage): Promise<Change[]> {
  const heading = (text: string, ...lines: string[]) => {
    stage.story.heading(text);
    stage.story.say(...lines, HEADER);
  };
  const work = () => {
    for (const member of stage.members) member.send({ do: 'work', tasks: TASKS });
    stage.timeline.watch().catch((error: Error) => stage.reports.fail(error));
  };
  const measured: Measured[] = [];
  heading(
    '1  The limit is 4',
    '   The operator has set it; the stored limit counts, whatever a worker believes.',
  );
  measured.push(await start(stage, 4, work));
  heading(
    '2  The operator raises it to 10',
    '   Whoever waits is served at once, in order, by setLimit itself.',
  );
  measured.push(await raise(stage, 4, 10));
  heading(
    '3  The operator lowers it to 3',
    '   Nobody is interrupted. Nobody is admitted until enough have left.',
  );
  measured.push(await lower(stage, 10, 3));
  heading('4  The operator raises it to 6');
  measured.push(await raise(stage, 3, 6));
  return measured.map((change) => change());
}

async function stop({ members, reports, timeline, permits, story }: Stage) {
  timeline.stop();
  story.heading('5  All stop');
  const stopped = members.map(({ name }) => reports.until('stopped', name));
  for (const member of members) member.send({ do: 'stop' });
  const sent = (await Promise.all(stopped)).map(({ queries }) => queries);
  const { limit, held, queueLength: waiting } = await permits.inspect();
  story.say('   Queries under way end; waits are cancelled and leave the queue.');
  story.say(`   Redis: limit ${limit}, ${held} held, ${waiting} waiting.`);
  return { queries: sent.reduce((sum, each) => sum + each, 0), end: { limit, held, waiting } };
}

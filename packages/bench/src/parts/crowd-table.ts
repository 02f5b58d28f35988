/** The figures of a crowd, as rows: several runs of each contender, in turns. */
import type { RedisProcess } from '@holdfast/testkit';
import { type Crowd, type Crowded, type Tried, tryCrowd } from '../crowd/crowd.ts';
import { type Column, type Row, rowOf } from '../part.ts';
import type { Contender } from '../rivals/contender.ts';
import { median } from '../stats.ts';

export const CROWD_COLUMNS: readonly Column[] = [
  { id: 'use', label: 'in use, %', digits: 1, better: 'more' },
  { id: 'perSecond', label: 'grants/s', digits: 0, better: 'more' },
  { id: 'p50', label: 'p50 wait, ms', digits: 1 },
  { id: 'p99', label: 'p99, ms', digits: 0, better: 'less' },
  { id: 'max', label: 'longest, ms', digits: 0, better: 'less' },
  { id: 'jain', label: 'Jain', digits: 3, better: 'more' },
  { id: 'commands', label: 'commands', digits: 1, better: 'less' },
  { id: 'bytes', label: 'bytes', digits: 0, better: 'less' },
  { id: 'serverUs', label: 'server CPU, µs', digits: 0, better: 'less' },
];

export const CROWD_NOTE =
  'In use: time held / time run (holding by a timer). Waits: from the first ask to the grant, over all failures; those cut off by the end count as long as they had lasted. Jain: 1 when every worker got the lock as often as the others. Commands, bytes (both ways) and the processor time of the server: per acquisition.';

export async function crowdRows(
  contenders: readonly Contender[],
  servers: readonly RedisProcess[],
  crowd: Crowd,
  rounds: number,
  progress: (text: string) => void,
): Promise<Row[]> {
  const tried = new Map<Contender, Tried<Crowded>[]>(contenders.map((one) => [one, []]));
  for (let i = 0; i < rounds; i++)
    for (const [one, seen] of tried) {
      // Whoever broke down does not get better.
      if (seen.some((run) => 'failed' in run)) continue;
      progress(`${one.label}, held ${crowd.holdMs} ms`);
      seen.push(await tryCrowd(one, servers, crowd));
    }
  return [...tried].map(([one, seen]) => rowOfRuns(one, seen));
}

function rowOfRuns(contender: Contender, runs: readonly Tried<Crowded>[]): Row {
  const seen = runs.flatMap((run) => ('seen' in run ? [run.seen] : []));
  const broken = runs.find((run) => 'failed' in run);
  if (broken !== undefined) return rowOf(contender, {}, `did not run: ${broken.failed}`);
  const over = (key: keyof Omit<Crowded, 'word'>) => median(seen.map((one) => one[key]));
  return rowOf(
    contender,
    {
      use: over('use') * 100,
      perSecond: over('perSecond'),
      p50: over('waitP50Ms'),
      p99: over('waitP99Ms'),
      max: Math.max(...seen.map(({ waitMaxMs }) => waitMaxMs)),
      jain: over('jain'),
      commands: over('commands'),
      bytes: over('bytes'),
      serverUs: over('serverUs'),
    },
    seen.find(({ word }) => word)?.word,
  );
}

/**
 * The event loop of a holder stands still between its look at the signal and its write, for longer than its lease lasts. No lock can prevent
 * that write; the resource refuses it by its token.
 */
import { contest, type Result } from '../arena/contest.ts';
import { stageOf } from '../arena/stage.ts';
import { outcomeOf, type Scenario } from './scenario.ts';

/** While one is blocked somebody else has got the lock, and has written. */
export const BLOCKING = { workers: 8, blocks: 0.08, ttlMs: 150, longHolds: 0 } as const;

/** The writes of those that were blocked, after somebody else's. */
export const lateWrites = ({ evidence: { writes, blocked } }: Result, accepted: boolean): number =>
  writes.filter((write) => blocked.has(write.id) && write.accepted === accepted && isLate(write, writes))
    .length;

interface Written {
  readonly id: string;
  readonly name: string;
  readonly token: number;
  readonly at: number;
}

const isLate = (write: Written, all: readonly Written[]): boolean =>
  all.some(({ name, token, at }) => name === write.name && token > write.token && at < write.at);

export const blocked: Scenario = {
  id: 'blocked',
  what: 'event loop blocked between check and write; the fenced resource refuses the late write',
  async run({ full, seed }) {
    await using stage = await stageOf();
    const result = await contest(stage, { ...BLOCKING, durationMs: full ? 27_000 : 4_500 }, seed);
    const refused = lateWrites(result, false);
    const wanted = full ? 200 : 30;
    const outcome = outcomeOf({ what: '8 locks', result, wanted: { block: wanted } });
    return [
      {
        ...outcome,
        hits: [...outcome.hits, { fault: 'late writes refused', hits: refused, wanted }],
        notes: [`${lateWrites(result, true)} late writes accepted, ${refused} refused`],
      },
    ];
  },
};

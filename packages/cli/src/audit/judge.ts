/** From what was observed of one key to what is wrong with it: pure. */
import { shortly } from '../say/duration.ts';
import { type Finding, type Problem, type Sure, TEXTS } from './finding.ts';
import { BULL_ACTIVE, isRedisson, libraryByName, REDISSON_QUEUE, SIDEKIQ_PRIVATE_QUEUE } from './layouts.ts';
import { nameSays } from './names.ts';
import type { Observed } from './observe.ts';
import { OWNED, SHAPE_TEXT, shapeOf, timeMs, uuidTimeMs } from './values.ts';

export interface Rules {
  readonly nowMs: number;
  /** An expiry longer than this is reported. */
  readonly maxTtlMs: number;
}

export interface Verdict {
  /** `redis-py`, `hand-written`, …; `undefined` = no lock. */
  readonly library: string | undefined;
  readonly findings: readonly Finding[];
}

const NO_LOCK: Verdict = { library: undefined, findings: [] };
/** Too little to count it among the locks. */
const VALUE_ALONE = 'its value alone';
/** Of its semaphores and read-write locks. */
const HOLDFAST_MEMBER = /^(?:#(?:limit|weight|token)$|[=^+]?hf1-)/;
const IDLE_MS = 600_000;
const STALE_MS = 86_400_000;

export function judge(seen: Observed, rules: Rules): Verdict {
  if (seen.type === 'string') return judgeString(seen, rules);
  if (seen.type === 'hash') return judgeHash(seen, rules);
  if (seen.type === 'zset') return judgeSortedSet(seen, rules);
  return judgeCollection(seen);
}

interface Recognised {
  readonly library: string;
  readonly sure: Sure;
  /** How it is known. */
  readonly by: string;
}

function judgeString(seen: Observed, rules: Rules): Verdict {
  const value = seen.value ?? '';
  const shape = shapeOf(value, rules.nowMs);
  const known = recogniseString(seen, shape);
  if (known === undefined) return NO_LOCK;
  const problems: Problem[] = expiryProblems(seen, rules);
  const counter = nameSays(seen.key).semaphore && (shape === 'number' || shape === 'constant');
  if (counter && seen.ttlMs === undefined) {
    // A counter at 0 is a semaphore that nobody holds.
    if (Number(value) > 0) return verdict(seen, known, ['permits without time']);
    return { library: known.library, findings: [] };
  }
  const ownerless = !OWNED.has(shape) && shape !== 'other' && !OWNERLESS_ON_PURPOSE.has(known.library);
  if (ownerless) problems.push('no owner');
  const madeMs = uuidTimeMs(value, rules.nowMs);
  const since = madeMs === undefined ? '' : `; acquired ${shortly(Math.max(0, rules.nowMs - madeMs))} ago`;
  const told = verdict(
    seen,
    { ...known, by: `${known.by}; its value is ${SHAPE_TEXT[shape]}${since}` },
    problems,
  );
  return known.by === VALUE_ALONE ? { ...told, library: undefined } : told;
}

/** Marks that a job is there, released by the job system and not by an owner. */
const OWNERLESS_ON_PURPOSE = new Set([
  'Holdfast',
  'Celery (kombu)',
  'celery-once',
  'Laravel (withoutOverlapping)',
]);

function recogniseString(
  { key, ttlMs }: Observed,
  shape: ReturnType<typeof shapeOf>,
): Recognised | undefined {
  if (shape === 'holdfast') return { library: 'Holdfast', sure: 'certain', by: 'its value' };
  const named = libraryByName(key);
  // A helper key: a process's card, a fence.
  if (named?.library === 'Holdfast') return undefined;
  if (named?.certain) return { library: named.library, sure: 'certain', by: 'its name' };
  if (named !== undefined && OWNED.has(shape))
    return { library: named.library, sure: 'likely', by: 'its name and value' };
  const { lock, semaphore, prominent } = nameSays(key);
  if (shape === 'time uuid') return { library: 'redis-py', sure: 'likely', by: 'its value' };
  if (lock || semaphore) {
    // A text or document in a key that has such a word in its name is a text about something.
    if (shape === 'other') return undefined;
    const library = shape === 'hex' ? 'Redlock' : 'hand-written, or a library that cannot be told';
    return { library, sure: OWNED.has(shape) || prominent ? 'likely' : 'possible', by: 'its name' };
  }
  const setnx = ttlMs === undefined && (shape === 'uuid' || shape === 'host');
  return setnx ? { library: 'perhaps SETNX', sure: 'possible', by: VALUE_ALONE } : undefined;
}

function judgeHash(seen: Observed, rules: Rules): Verdict {
  if (isRedisson(seen.fields))
    return verdict(
      seen,
      { library: 'Redisson', sure: 'certain', by: 'its field, a UUID with a thread' },
      expiryProblems(seen, rules),
    );
  const named = libraryByName(seen.key);
  if (named?.certain && named.library !== 'Holdfast') {
    // Of sidekiq-unique-jobs the hash with LOCKED in its name is the lock; the rest are its lists.
    const isLock =
      named.library !== 'sidekiq-unique-jobs' ||
      !/:(?:QUEUED|PRIMED|INFO)$|^uniquejobs:digests?$/.test(seen.key);
    return isLock
      ? verdict(
          seen,
          { library: named.library, sure: 'certain', by: 'its name' },
          expiryProblems(seen, rules),
        )
      : NO_LOCK;
  }
  return NO_LOCK;
}

function expiryProblems({ ttlMs, idleMs }: Observed, { maxTtlMs }: Rules): Problem[] {
  if (ttlMs === undefined) return ['no expiry'];
  if (ttlMs > maxTtlMs) return ['long expiry'];
  return idleMs !== undefined && idleMs > IDLE_MS && ttlMs > IDLE_MS ? ['idle'] : [];
}

function judgeSortedSet(seen: Observed, rules: Rules): Verdict {
  const { key, ttlMs, scores = [], size = 0 } = seen;
  const named = libraryByName(key);
  if (named?.library === 'Holdfast' || scores.some(({ member }) => HOLDFAST_MEMBER.test(member)))
    return { library: 'Holdfast', findings: [] };
  if (scores.some(({ member }) => member === '__write__'))
    return verdict(
      seen,
      { library: 'Symfony', sure: 'certain', by: 'its member __write__' },
      expiryProblems(seen, rules),
    );
  const { lock, semaphore, prominent, queue } = nameSays(key);
  if ((!semaphore && !lock) || size === 0) return NO_LOCK;
  if (queue) return judgeCollection(seen);
  const library = named?.library ?? 'hand-written semaphore';
  const known: Recognised = {
    library,
    sure: prominent ? 'likely' : 'possible',
    by: `its name; ${size} entries`,
  };
  if (ttlMs !== undefined) return verdict(seen, known, ttlMs > rules.maxTtlMs ? ['long expiry'] : []);
  return verdict(seen, known, permitProblems(seen, rules));
}

/** Entries end by their score, if it is a time; whoever acquires next takes the ended ones out. */
function permitProblems({ scores = [] }: Observed, { nowMs }: Rules): Problem[] {
  const times = scores.map(({ score }) => timeMs(score, nowMs));
  if (times.some((ms) => ms === undefined)) return ['permits without time'];
  const oldest = Math.min(...times.map((ms) => ms ?? nowMs));
  return nowMs - oldest > STALE_MS ? ['stale permits'] : [];
}

/** Lists and sets. */
function judgeCollection(seen: Observed): Verdict {
  const { key, ttlMs, idleMs = 0, size = 0, type } = seen;
  const named = libraryByName(key);
  // Whether somebody is still there takes another look: see queues.ts.
  if (BULL_ACTIVE.test(key) || REDISSON_QUEUE.test(key)) return { library: named?.library, findings: [] };
  if (SIDEKIQ_PRIVATE_QUEUE.test(key) && size > 0 && idleMs > IDLE_MS)
    return verdict(seen, { library: named?.library ?? '', sure: 'likely', by: `its name; ${size} jobs` }, [
      'dead queue',
    ]);
  if (named?.certain) return { library: named.library, findings: [] };
  const { lock, semaphore, queue, prominent } = nameSays(key);
  if ((!lock && !semaphore) || ttlMs !== undefined || size === 0) return NO_LOCK;
  const known: Recognised = { library: 'hand-written', sure: 'possible', by: `its name; ${size} entries` };
  if (queue)
    return verdict(seen, { ...known, sure: idleMs > 6 * IDLE_MS ? 'likely' : 'possible' }, ['dead queue']);
  if (type === 'set' && semaphore && prominent)
    return verdict(seen, { ...known, sure: 'likely' }, ['permits without time']);
  return verdict(seen, known, semaphore ? ['permits without time'] : []);
}

export function verdict(
  seen: Observed,
  { library, sure, by }: Recognised,
  problems: readonly Problem[],
): Verdict {
  const { key, type, ttlMs, idleMs } = seen;
  const what = `${library} (known by ${by})`;
  return {
    library,
    findings: problems.map((problem) => ({
      key,
      type,
      problem,
      sure,
      what,
      ttlMs,
      idleMs,
      ...TEXTS[problem],
    })),
  };
}

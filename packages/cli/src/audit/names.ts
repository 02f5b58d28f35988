/** Whether a key's name says that it is a lock or a semaphore. Words, not letters: a clock, a block or a padlock is none. */

const LOCK_WORDS = new Set(['lock', 'locker', 'lck', 'mutex']);
/** Of locks, or of something else: there are leases of cars, leaders of parties, and counts of locks. */
const WEAK_LOCK_WORDS = new Set(['locks', 'mutexes', 'lease', 'leader', 'leadership', 'singleton']);
const SEMAPHORE_WORDS = new Set(['sem', 'sema', 'semaphore', 'semaphores']);
const QUEUE_WORDS = new Set(['queue', 'waiters', 'waiting', 'waitlist']);
/** English words that end in "lock", unlike `cronlock` and `redlock`. */
const OTHER =
  /(?:(?<!^(?:jo|d|we|jo|u|gr))block|(?<!^(?:rp|syn|asyn|do|pro|exe))clock|flock)$|^(?:un|dead|grid|pad|wed|war|hem|sher|shy|have|mat|ox|fet|air|inter|pol|bul|hil|gar|row)lock$/;

export interface NameSays {
  readonly lock: boolean;
  readonly semaphore: boolean;
  readonly queue: boolean;
  /** The word stands at the front or at the end (but for ids), where people put it. */
  readonly prominent: boolean;
}

export function nameSays(key: string): NameSays {
  const words = wordsOf(key);
  const isLock = (word: string) => LOCK_WORDS.has(word) || (/^\w{2,}lock$/.test(word) && !OTHER.test(word));
  const isWeak = (word: string) => WEAK_LOCK_WORDS.has(word);
  const isSemaphore = (word: string) => SEMAPHORE_WORDS.has(word);
  const telling = words.filter((word) => !isId(word));
  const ends = [telling[0] ?? '', telling.at(-1) ?? ''];
  return {
    lock: words.some((word) => isLock(word) || isWeak(word)),
    semaphore: words.some(isSemaphore),
    queue: words.some((word) => QUEUE_WORDS.has(word)),
    prominent: ends.some((word) => isLock(word) || isSemaphore(word)),
  };
}

function wordsOf(key: string): string[] {
  return key
    .slice(0, 512)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function isId(word: string): boolean {
  return /^\d+$/.test(word) || /^(?=.*\d)[\da-f]{4,}$/.test(word);
}

/** How the known libraries lay out their locks. */

interface NameLayout {
  readonly library: string;
  readonly name: RegExp;
  /** The name alone is enough. */
  readonly certain?: true;
}

const BY_NAME: readonly NameLayout[] = [
  { library: 'Holdfast', name: /(?:^|:)holdfast:(?:\{|process:|waits:|trace$|name:)/, certain: true },
  { library: 'sidekiq-unique-jobs', name: /(?:^|:)uniquejobs:/, certain: true },
  { library: 'Laravel (unique job)', name: /laravel_unique_job:/, certain: true },
  { library: 'Laravel (withoutOverlapping)', name: /framework[/\\]schedule-[\da-f]{40}/, certain: true },
  { library: 'celery-singleton', name: /^SINGLETONLOCK_/, certain: true },
  { library: 'celery-once', name: /^qo_\w/, certain: true },
  { library: 'Celery (redbeat)', name: /redbeat:{1,2}lock$/, certain: true },
  { library: 'Celery (kombu)', name: /(?:^|[:_])unacked_mutex$/, certain: true },
  { library: 'ShedLock', name: /^job-lock:/, certain: true },
  { library: 'BullMQ', name: /^bull:[^:]+:[^:]+:lock$/, certain: true },
  {
    library: 'Resque',
    name: /^resque:(?:.*:)?(?:lock|workerslock)(?::|$)|resque_scheduler_master_lock/,
    certain: true,
  },
  { library: 'phpredis (session)', name: /^PHPREDIS_SESSION:.*_LOCK$/, certain: true },
  { library: 'Redisson', name: /^redisson_(?:lock|rwlock|sp)_?/, certain: true },
  { library: 'redis-semaphore', name: /^mutex:|^semaphore:/ },
];

/** Of lists that say what their workers were at. */
export const BULL_ACTIVE = /^(bull:[^:]+):active$/;
export const REDISSON_QUEUE = /^redisson_lock_queue:\{(.+)\}$/;
export const SIDEKIQ_PRIVATE_QUEUE = /^(?:.*:)?queue:sq\|/;

export function libraryByName(key: string): { library: string; certain: boolean } | undefined {
  if (BULL_ACTIVE.test(key)) return { library: 'BullMQ', certain: true };
  if (SIDEKIQ_PRIVATE_QUEUE.test(key)) return { library: 'Sidekiq Pro (super_fetch)', certain: true };
  const found = BY_NAME.find(({ name }) => name.test(key));
  return found && { library: found.library, certain: found.certain ?? false };
}

const REDISSON_FIELD = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:\d+$/i;

/** Redisson's locks are hashes: `uuid:thread` → how often; of a read-write lock also `mode`. */
export function isRedisson(fields: readonly string[] | undefined): boolean {
  return fields?.some((field) => REDISSON_FIELD.test(field)) === true;
}

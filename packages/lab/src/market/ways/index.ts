/** All ways by name, in the order of the table. */
import { holdfastLock } from './holdfast-lock.ts';
import { locked } from './locked.ts';
import { pollingLock } from './polling-lock.ts';
import { noLock } from './unprotected.ts';
import { watching } from './watch.ts';
import type { Way, WayOptions } from './way.ts';

const WAYS = {
  watch: watching,
  'chapter-market': ({ redis }) => locked(redis, pollingLock(redis), 'market'),
  'chapter-item': ({ redis }) => locked(redis, pollingLock(redis), 'item'),
  'holdfast-market': ({ redis }) => locked(redis, holdfastLock(redis), 'market'),
  'holdfast-item': ({ redis }) => locked(redis, holdfastLock(redis), 'item'),
  unprotected: ({ redis }) => locked(redis, noLock, 'item'),
} satisfies Record<string, (options: WayOptions) => Way>;

export type WayName = keyof typeof WAYS;

/** Those of the table. */
export const PROTECTED: readonly WayName[] = [
  'watch',
  'chapter-market',
  'chapter-item',
  'holdfast-market',
  'holdfast-item',
];

export const WAY_LABELS: Readonly<Record<WayName, string>> = {
  watch: 'WATCH/MULTI/EXEC',
  'chapter-market': "chapter's lock, market",
  'chapter-item': "chapter's lock, item",
  'holdfast-market': 'Holdfast, market',
  'holdfast-item': 'Holdfast, item',
  unprotected: 'no protection',
};

export function makeWay(name: WayName, options: WayOptions): Way {
  return WAYS[name](options);
}

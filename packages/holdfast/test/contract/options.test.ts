/** Each client as its users may have set it up. */
import { serverBackend } from '../suites/backends.ts';
import type { ClientName } from '../suites/clients.ts';
import { contract } from '../suites/contract.ts';

const VARIANTS: readonly (readonly [ClientName, string, object])[] = [
  [
    'ioredis 5',
    'keyPrefix, database 3, lazy, no offline queue',
    { keyPrefix: 'app:', db: 3, lazyConnect: true, enableOfflineQueue: true },
  ],
  ['ioredis 5', 'automatic pipelines', { enableAutoPipelining: true, stringNumbers: true }],
  ['ioredis 6', 'keyPrefix with a tag', { keyPrefix: '{app}:', db: 2 }],
  ['iovalkey', 'keyPrefix', { keyPrefix: 'app:' }],
  ['node-redis 5', 'RESP 3, database 3', { RESP: 3, database: 3 }],
  [
    'node-redis 6',
    'RESP 2, database 3, no offline queue',
    { RESP: 2, database: 3, disableOfflineQueue: true },
  ],
  ['node-redis 6', 'keyPrefix', { keyPrefix: 'app:' }],
];

// To a read-write lock only the keys' names can matter; all of its contract everywhere takes minutes.
for (const [name, what, options] of VARIANTS)
  contract(`${name}: ${what}`, () => serverBackend(name, options), undefined, {
    readsAndWrites: 'keyPrefix' in options,
  });

for (const name of ['ioredis 5', 'node-redis 6'] as const) {
  const server = { tls: true, password: 'secret word' };
  contract(`${name}: TLS and a password`, () => serverBackend(name, {}, server), undefined, {
    readsAndWrites: false,
  });
}

/** Where a worker's servers are, and by which of the clients it reaches them: it crosses a process boundary as JSON. */

export const CLIENTS = ['ioredis 5', 'node-redis 6', 'ioredis 6', 'node-redis 5', 'iovalkey'] as const;
export type ClientKind = (typeof CLIENTS)[number];

export type Place =
  | { readonly kind: 'single'; readonly ports: readonly [number] }
  | { readonly kind: 'sentinel'; readonly ports: readonly number[]; readonly master: string }
  | { readonly kind: 'cluster'; readonly ports: readonly number[] }
  | { readonly kind: 'quorum'; readonly ports: readonly number[] };

/**
 * Those that can go there: iovalkey's Cluster has no sharded subscriber that works, and it is not tested with Sentinel; `minReplicas` wants a client
 * with one connection, which node-redis's Sentinel client is not.
 */
export function clientsFor({ kind }: Place, minReplicas: number): readonly ClientKind[] {
  if (kind === 'single' || kind === 'quorum') return CLIENTS;
  const single = minReplicas > 0 ? CLIENTS.filter((one) => one.startsWith('ioredis')) : CLIENTS;
  return single.filter((one) => one !== 'iovalkey');
}

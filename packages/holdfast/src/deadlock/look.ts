/** Reads who waits for whom from the server, beginning with one wait. Two round trips for each step of the chain. */
import type { CallLimits, Store } from '../store/store.ts';
import type { Edges, Graph } from './graph.ts';
import { digestOf, type Wait, waitsOf } from './notes.ts';

/** Whoever is in a larger tangle is told of by its deadline. */
const MAX_WAITS = 500;

export async function lookFrom(store: Store, start: Wait, limits: CallLimits): Promise<Graph> {
  const graph = new Map<string, Edges>();
  let open: readonly Wait[] = [start];
  while (open.length > 0 && graph.size < MAX_WAITS) {
    const found = await Promise.all(open.map((wait) => edgesOf(store, wait, limits)));
    for (const edges of found) graph.set(edges.wait.id, edges);
    const next = found.flatMap(({ inTheWay }) => [...inTheWay.values()].flat());
    open = unseen(next, graph);
  }
  return graph;
}

function unseen(waits: readonly Wait[], graph: Graph): readonly Wait[] {
  const byId = new Map(waits.map((wait) => [wait.id, wait]));
  return [...byId.values()].filter(({ id }) => !graph.has(id));
}

async function edgesOf(store: Store, wait: Wait, limits: CallLimits): Promise<Edges> {
  const holders = await store.waits.holders(wait, limits);
  const digests = (holders ?? []).map(digestOf).filter((digest) => digest !== wait.own);
  // Granted meanwhile: it does not wait any more.
  if (holders === undefined || digests.includes(wait.id))
    return { wait, inTheWay: new Map(), unknown: holders === undefined };
  const waits = await Promise.all(digests.map((digest) => waitsOf(store, digest, limits)));
  return { wait, inTheWay: new Map(digests.map((digest, i) => [digest, waits[i] ?? []])), unknown: false };
}

/** Who waits for whom, and whether that goes round in a circle. Pure. */
import type { Wait } from './notes.ts';

/** A wait, and what each of those who are in its way waits for: nothing, when it runs. */
export interface Edges {
  readonly wait: Wait;
  /** By holder. Empty: nobody is in its way. */
  readonly inTheWay: ReadonlyMap<string, readonly Wait[]>;
  /** Not everybody in its way is known. */
  readonly unknown: boolean;
}

/** By the id of the wait. */
export type Graph = ReadonlyMap<string, Edges>;

/**
 * The waits that are stuck with `start` in one circle; empty when there is none. A wait is stuck when all who hold what it wants wait, and all that
 * they wait for is stuck as well: one holder of a semaphore who runs will give its permit back, and one of several waits of a holder may be
 * enough for it. What is left out of this rule is found later, when those have come to their end.
 */
export function circleOf(graph: Graph, start: string): readonly Wait[] {
  const stuck = stuckIn(graph);
  if (!stuck.has(start)) return [];
  const next = (id: string) => successors(graph, id).filter((one) => stuck.has(one));
  const from = reachable(next, start);
  return [...from].filter((id) => reachable(next, id).has(start)).map((id) => waitOf(graph, id));
}

function stuckIn(graph: Graph): Set<string> {
  const stuck = new Set(graph.keys());
  for (let before = -1; before !== stuck.size; ) {
    before = stuck.size;
    for (const id of stuck) if (!isStuck(graph.get(id), stuck)) stuck.delete(id);
  }
  return stuck;
}

function isStuck(edges: Edges | undefined, stuck: ReadonlySet<string>): boolean {
  if (edges === undefined || edges.unknown || edges.inTheWay.size === 0) return false;
  return [...edges.inTheWay.values()].every(
    (waits) => waits.length > 0 && waits.every(({ id }) => stuck.has(id)),
  );
}

function successors(graph: Graph, id: string): string[] {
  return [...(graph.get(id)?.inTheWay.values() ?? [])].flat().map((wait) => wait.id);
}

function reachable(next: (id: string) => readonly string[], start: string): Set<string> {
  const seen = new Set<string>();
  const open = [...next(start)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...next(id));
  }
  return seen;
}

/** Who gives up: the wait that began last. The same for everybody who sees the same circle. */
export function youngestOf(circle: readonly Wait[]): Wait | undefined {
  return circle.toSorted(byAge).at(-1);
}

function byAge(a: Wait, b: Wait): number {
  return a.since - b.since || (a.id < b.id ? -1 : 1);
}

/** One way round, from `start` to the wait whose holder waits for it. The shortest. */
export function wayRound(graph: Graph, circle: readonly Wait[], start: string): readonly Wait[] {
  const inside = new Set(circle.map(({ id }) => id));
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const id of successors(graph, way.at(-1) ?? start)) {
      if (id === start) return way.map((one) => waitOf(graph, one));
      if (!inside.has(id) || seen.has(id)) continue;
      seen.add(id);
      ways.push([...way, id]);
    }
  }
  return [];
}

function waitOf(graph: Graph, id: string): Wait {
  const edges = graph.get(id);
  if (edges === undefined) throw new Error(`no wait ${id}`);
  return edges.wait;
}

/** The same waits, in the way of the same holders: none of them ended between the two looks, so all were there at once. */
export function sameCircle(first: Graph, second: Graph, circle: readonly Wait[]): boolean {
  return circle.every(({ id }) => {
    const [before, after] = [first.get(id), second.get(id)];
    return (
      before !== undefined &&
      after !== undefined &&
      [...before.inTheWay.keys()].every((holder) => after.inTheWay.has(holder))
    );
  });
}

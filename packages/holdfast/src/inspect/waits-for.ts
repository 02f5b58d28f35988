/** Who of those in the way waits for something else, as far as their processes note it: whoever holds nothing else while it waits is not in it. */
import { cardOf, type ProcessCard } from '../cards.ts';
import type { Graph } from '../deadlock/graph.ts';
import { lookFrom } from '../deadlock/look.ts';
import { digestOf, type Wait, waitsOf } from '../deadlock/notes.ts';
import type { Engine } from '../engine.ts';
import type { Subject, WaitLink } from '../errors.ts';

/** From the holders of `subject` on. It is a courtesy: where it cannot be read, the rest is told all the same. */
export async function waitsFor(engine: Engine, subject: Subject): Promise<readonly WaitLink[]> {
  const { kind, name } = subject;
  return linksFrom(engine, { kind, name }).catch(() => []);
}

interface Link {
  readonly holds: string;
  readonly wait: Wait;
}

async function linksFrom(engine: Engine, subject: Subject): Promise<WaitLink[]> {
  const { store } = engine;
  const limits = engine.limits();
  const holders = (await store.waits.holders(subject, limits)) ?? [];
  const first = (await Promise.all(holders.map((one) => waitsOf(store, digestOf(one), limits)))).flat();
  const graphs = await Promise.all(first.map((wait) => lookFrom(store, wait, limits)));
  const links = [...first.map((wait) => ({ holds: subject.name, wait })), ...graphs.flatMap(linksOf)];
  const each = new Map(links.map((link) => [`${link.wait.id} ${link.holds}`, link]));
  return Promise.all([...each.values()].map((link) => told(engine, link)));
}

function linksOf(graph: Graph): Link[] {
  return [...graph.values()].flatMap(({ wait: { name }, inTheWay }) =>
    [...inTheWay.values()].flat().map((wait) => ({ holds: name, wait })),
  );
}

async function told(engine: Engine, { holds, wait }: Link): Promise<WaitLink> {
  const process: ProcessCard = await cardOf(engine, wait.clientId);
  const waitedMs = Math.max(0, Date.now() - wait.since);
  return { process, holds, waitsFor: wait.name, kind: wait.kind, waitedMs };
}

/**
 * Every order of a scenario, one after the other: depth first over the choices, each order run from the start (as stateless model
 * checkers do: VeriSoft, Godefroid 1997). Where there are more orders than the bound, a seeded sample of them; how many there are
 * is then estimated from the sample (Knuth, "Estimating the efficiency of backtrack programs", 1975).
 */
import { random } from './random.ts';
import type { Found, Scenario } from './scenario.ts';
import { type Connections, type Run, Stage } from './stage.ts';

export interface Bounds {
  /** More orders than this are sampled. */
  readonly maxOrders: number;
  readonly seed: number;
  /** Called now and then with how many runs there were, repeated orders included. */
  readonly progress?: (runs: number) => void;
}

/** The choices of one order: which option, of how many. */
interface Choice {
  taken: number;
  readonly of: number;
}

export async function explore(scenario: Scenario, connections: Connections, given: Bounds): Promise<Found> {
  const bounds = { ...given, maxOrders: Math.min(given.maxOrders, scenario.maxOrders ?? given.maxOrders) };
  const startedAt = performance.now();
  const skipped = await lacking(scenario, connections);
  if (skipped !== undefined) return { ...NOTHING, scenario, skipped };
  const tally = new Tally();
  const runOrder = async (pick: (depth: number, count: number) => number) => {
    const choices: Choice[] = [];
    const run = await new Stage(scenario, connections, false).run((count) => {
      const taken = pick(choices.length, count);
      choices.push({ taken, of: count });
      return taken;
    });
    tally.add(run, choices);
    if (tally.runs % 50 === 0) bounds.progress?.(tally.runs);
    return choices;
  };
  const complete = await everyOrder(runOrder, bounds.maxOrders);
  const share = complete ? 1 : await sample(runOrder, bounds, tally);
  return {
    scenario,
    orders: tally.orders,
    bad: tally.bad,
    complete,
    share,
    shortest: tally.best && (await shown(scenario, connections, tally.best)),
    tookMs: performance.now() - startedAt,
  };
}

const NOTHING = { orders: 0, bad: 0, complete: false, share: 0, shortest: undefined, tookMs: 0 };

/** Which command the server lacks, by trying it: version numbers do not tell, since Redis and Valkey went apart. */
async function lacking({ needs }: Scenario, { own }: Connections): Promise<string | undefined> {
  const [command, ...args] = needs ?? [];
  if (command === undefined) return undefined;
  const reply = await own.call(command, args).catch((error: Error) => error);
  if (!(reply instanceof Error)) return undefined;
  if (!/unknown command/i.test(reply.message)) throw reply;
  return `this server has no ${command}`;
}

type RunOrder = (pick: (depth: number, count: number) => number) => Promise<Choice[]>;

/** `false` when the bound came first. */
async function everyOrder(runOrder: RunOrder, maxOrders: number): Promise<boolean> {
  let prefix: number[] | undefined = [];
  for (let orders = 0; prefix !== undefined; orders++) {
    if (orders >= maxOrders) return false;
    const given: readonly number[] = prefix;
    prefix = next(await runOrder((depth) => given[depth] ?? 0));
  }
  return true;
}

/** The choices that lead to the next order; `undefined` after the last. */
function next(choices: readonly Choice[]): number[] | undefined {
  const at = choices.findLastIndex(({ taken, of }) => taken + 1 < of);
  if (at < 0) return undefined;
  return choices.slice(0, at + 1).map(({ taken }, i) => (i === at ? taken + 1 : taken));
}

/** As many runs again, of orders drawn at random. Returns the share of all that was run, by estimate. */
async function sample(runOrder: RunOrder, { maxOrders, seed }: Bounds, tally: Tally): Promise<number> {
  const draw = random(seed);
  let sum = 0;
  for (let i = 0; i < maxOrders; i++) {
    const choices = await runOrder((_, count) => Math.floor(draw() * count));
    sum += choices.reduce((product, { of }) => product * of, 1);
  }
  return Math.min(1, tally.orders / (sum / maxOrders));
}

/** Runs it once more, and looks at the keys. */
async function shown(scenario: Scenario, connections: Connections, choices: readonly Choice[]) {
  let depth = 0;
  const run = await new Stage(scenario, connections, true).run(() => choices[depth++]?.taken ?? 0);
  if (run.why === undefined) throw new Error(`${scenario.name}: a bad order was good when it was run again`);
  return { why: run.why, lines: run.lines };
}

/** Each order counts once, however often it was drawn. */
class Tally {
  runs = 0;
  bad = 0;
  best: readonly Choice[] | undefined;
  private bestSize: readonly [number, number] = [Number.POSITIVE_INFINITY, 0];
  private readonly seen = new Set<string>();

  get orders(): number {
    return this.seen.size;
  }

  add({ why, lines, switches }: Run, choices: readonly Choice[]): void {
    this.runs++;
    const order = choices.map(({ taken }) => taken).join();
    if (this.seen.has(order)) return;
    this.seen.add(order);
    if (why === undefined) return;
    this.bad++;
    const [length, turns] = this.bestSize;
    if (lines.length > length || (lines.length === length && switches >= turns)) return;
    this.best = choices;
    this.bestSize = [lines.length, switches];
  }
}

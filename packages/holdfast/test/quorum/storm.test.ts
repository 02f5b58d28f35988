/**
 * The promise of the lock over a quorum, put to the test: several processes take it by turns on three nodes, while holders are killed,
 * stopped for longer than their leases last, and cut off from some of the nodes in one direction or both. By their own belief no two
 * ever hold at once; tokens are in real-time order; a resource that refuses older tokens never refuses a holder, nor accepts the work of
 * a former one after that of a later one.
 *
 * HOLDFAST_QUORUM_GRANTS sets the number of grants.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHistory } from '../../../testkit/src/index.ts';
import { violations } from '../suites/storm/observer.ts';
import { FencedResource } from '../suites/storm/resource.ts';
import { Crew } from './support/crew.ts';
import { Nodes } from './support/nodes.ts';

const GRANTS = Number(process.env.HOLDFAST_QUORUM_GRANTS ?? 1_000);
const NAMES = ['storm:a', 'storm:b', 'storm:c'];
const SETTINGS = { processes: 4, names: NAMES, ttlMs: 500, waitMs: 5_000 };

async function storm(nodes: Nodes, grants: number, { control = false, faults = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-quorum-'));
  const resource = new FencedResource();
  await using crew = await Crew.start({ ...SETTINGS, ports: nodes.ports, folder, control, faults }, resource);
  await crew.until(grants, 200_000);
  await crew.end();
  const history = readHistory(crew.files);
  const { operations } = resource;
  const found = violations({ history, operations, limit: 1 });
  const count = (type: string) => history.filter((event) => event.type === type).length;
  const refused = operations.filter(({ accepted }) => !accepted).length;
  const counts = {
    asked: count('ask'),
    grants: count('got'),
    renewals: count('renewed'),
    lost: count('lost'),
  };
  const all = { ...counts, unreleased: count('unreleased'), refused, ...crew.inflicted };
  return { folder, found: [...crew.faults, ...found], all };
}

describe('a storm over three nodes', () => {
  it(`never lets two hold, nor a token go back, in ${GRANTS} grants`, async () => {
    await using nodes = await Nodes.start(3);
    const from = performance.now();
    const { found, all, folder } = await storm(nodes, GRANTS);
    const numbers = Object.entries(all).map(([what, n]) => `${what} ${n}`);
    console.info(
      `\nStorm over a quorum: ${numbers.join(', ')}; ${((performance.now() - from) / 1000).toFixed(1)} s\n`,
    );
    expect(found, `histories in ${folder}`).toEqual([]);
    // A storm that was none proves nothing.
    for (const kind of ['kill', 'stop', 'cut', 'renewals'] as const)
      expect(all[kind], kind).toBeGreaterThan(3);
    if (GRANTS >= 1_000) expect(all.refused).toBeGreaterThan(0);
    for (const name of NAMES) await nodes.nothingLeft(name, 5_000);
    rmSync(folder, { recursive: true });
  }, 240_000);

  it('finds a lock out that takes one node for enough', async () => {
    await using nodes = await Nodes.start(3);
    const wanted = [
      /storm:\w: 2 permits of 1 are held/,
      /a later grant has a lower token|work of two leases is mixed/,
    ];
    const seen = new Set<string>();
    const missing = () => wanted.filter((one) => !one.test([...seen].join('\n')));
    // What goes wrong in one storm is chance: on a slow machine each kind may need another.
    for (let storms = 0; storms < 5 && missing().length > 0; storms++) {
      const { found, folder } = await storm(nodes, 300, { control: true, faults: false });
      for (const one of found) seen.add(one);
      rmSync(folder, { recursive: true });
    }
    expect(missing(), [...seen].join('\n')).toEqual([]);
  }, 60_000);
});

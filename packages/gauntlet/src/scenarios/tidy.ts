/** Many leases later the process has no more memory, timers or connections than before, and ends by itself. */
import { performance } from 'node:perf_hooks';
import { startWorker } from '@holdfast/testkit';
import { stageOf } from '../arena/stage.ts';
import type { Violation } from '../check/violation.ts';
import { CLIENTS, type ClientKind, type Place } from '../place.ts';
import type { Cycled } from '../worker/cycles.ts';
import type { Outcome, Scenario } from './scenario.ts';

const SCRIPT = new URL('../worker/cycles.js', import.meta.url);
const GROWTH_BYTES = 2 << 20;
const EXIT_MS = 1_000;
const PATIENCE_MS = 120_000;

interface Seen extends Cycled {
  readonly exitMs: number;
  readonly code: number | null;
  readonly stderr: string;
}

async function cycled(place: Place, client: ClientKind, cycles: number): Promise<Seen> {
  await using worker = startWorker(SCRIPT, {
    args: [JSON.stringify({ place, client, cycles })],
    execArgv: ['--expose-gc'],
  });
  const told = await worker.waitFor<Cycled>(({ grownBytes }) => grownBytes !== undefined, PATIENCE_MS);
  const toldAt = performance.now();
  const { code } = await worker.exited;
  return { ...told, exitMs: performance.now() - toldAt, code, stderr: worker.stderr };
}

function wrong(client: string, { grownBytes, resources, exitMs, code, stderr }: Seen): Violation[] {
  const texts = [
    grownBytes > GROWTH_BYTES && `the heap grew by ${grownBytes} bytes`,
    resources.length > 0 && `there are more than before: ${resources.join(', ')}`,
    exitMs > EXIT_MS && `it took ${exitMs.toFixed(0)} ms to end`,
    (code !== 0 || stderr !== '') && `it ended with ${code}: ${stderr}`,
  ];
  return texts.filter((text) => text !== false).map((text) => ({ check: 'C8', text: `${client}: ${text}` }));
}

export const tidy: Scenario = {
  id: 'tidy',
  what: 'memory, timers and connections after many leases; the process ends by itself',
  async run({ full }) {
    await using stage = await stageOf();
    const clients: readonly ClientKind[] = full ? CLIENTS : [CLIENTS[0], CLIENTS[1]];
    const cycles = full ? 20_000 : 4_000;
    const seen: Seen[] = [];
    for (const client of clients) seen.push(await cycled(stage.straight, client, cycles));
    const acquisitions = clients.length * cycles;
    const grown = seen.map(({ grownBytes }) => `${(grownBytes / 1024).toFixed(0)} KiB`);
    const outcome: Outcome = {
      what: `${clients.join(', ')}, ${cycles} leases each`,
      hits: [{ fault: 'leases', hits: acquisitions, wanted: acquisitions }],
      acquisitions,
      violations: seen.flatMap((one, i) => wrong(clients[i] ?? '', one)),
      explained: 0,
      largestHandOverMs: undefined,
      notes: [`heap after them: ${grown.join(', ')} more`],
    };
    return [outcome];
  },
};

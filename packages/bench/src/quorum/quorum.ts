/** Locks on three independent servers: Holdfast, the bare commands, and other libraries, each as it comes. */
import { startServers } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { type Part, roundsOf } from '../part.ts';
import { type Alone, measureAlone } from './alone.ts';
import { type Crowd, type Crowded, measureContended } from './contended.ts';
import type { Contender, Result } from './contender.ts';
import { contended, contenders } from './contenders.ts';
import { aloneTable, contendedTable } from './table.ts';

const NODES = 3;

interface Quorum {
  readonly nodes: number;
  readonly alone: readonly Result<Alone>[];
  readonly crowd: Crowd;
  readonly contended: readonly Result<Crowded>[];
}

export const quorum: Part = {
  id: 'quorum',
  what: `a lock on ${NODES} servers, beside other libraries, free and contended`,
  onlyByName: true,
  async run(settings) {
    const servers = await startServers(NODES, {});
    const ports = servers.map(({ port }) => port);
    const crowd = { processes: 4, workers: 5, holdMs: settings.holdMs, runMs: settings.seconds * 1_000 };
    try {
      const alone = await free(ports, roundsOf(settings), settings.quick ? 50 : 300);
      const crowded: Result<Crowded>[] = [];
      for (const contender of contended) {
        process.stderr.write(`  ${contender.label}, contended …\n`);
        crowded.push(brokenIn(alone, contender) ?? (await measureContended(contender, ports, crowd)));
      }
      const figures: Quorum = { nodes: NODES, alone, crowd, contended: crowded };
      return { figures: { quorum: figures }, rows: [], notes: notes(figures) };
    } finally {
      await Promise.all(servers.map((server) => server.shutdown()));
    }
  },
};

async function free(ports: readonly number[], rounds: number, pairs: number): Promise<Result<Alone>[]> {
  const nodes = ports.map((port) => new Redis({ port }));
  const results = await measureAlone(nodes, contenders, rounds, pairs);
  for (const node of nodes) node.disconnect();
  return results;
}

/** Whoever cannot lock a free lock is not asked to wait for one. */
function brokenIn(alone: readonly Result<Alone>[], { id }: Contender): Result<Crowded> | undefined {
  const found = alone.find((one) => one.id === id);
  return found !== undefined && 'failed' in found ? found : undefined;
}

function notes({ nodes, alone, crowd, contended }: Quorum): string[] {
  return [
    `a free lock on ${nodes} servers, one acquire + release after the other`,
    ...aloneTable(alone),
    '',
    `one lock on ${nodes} servers, ${crowd.processes} processes × ${crowd.workers} waiters, held for ${crowd.holdMs} ms by a timer, ${crowd.runMs / 1_000} s each`,
    ...contendedTable(contended),
    'Each at its defaults, but: single tries: retryCount 0, asked again after 0 to 20 ms; retries 1000 × 10 ms: retryAttempts, retryDelay.',
    'In use: time held / time run. Waits: from the first ask to the grant, over all failures; gave up: how often acquire failed.',
    'Overlaps: holds that began while another lasted. Commands: sent to all servers together, per acquisition.',
  ];
}

/** What happens on the way between one worker and its server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '@holdfast/testkit';
import type { Random } from '../random.ts';
import { type Arena, aLeaseAndReconnect, type Fault } from './fault.ts';

function onOneWay(
  what: string,
  strike: (way: TcpProxy, random: Random, ttlMs: number) => Promise<void>,
): Fault {
  return {
    what,
    graceMs: aLeaseAndReconnect,
    async strike({ ways, ttlMs }: Arena, random) {
      const way = random.pick(random.pick(ways));
      await strike(way, random, ttlMs);
      return {};
    },
  };
}

/** A client finds a connection dead when it is cut in the end, as the kernel would some day. */
async function silent(way: TcpProxy, direction: 'up' | 'down' | 'both', ms: number): Promise<void> {
  way.silence(direction, 'drop');
  await sleep(ms);
  way.heal();
  way.cut();
}

export const loseReplies = onOneWay('replies only lost', (way, random, ttlMs) =>
  silent(way, 'down', ttlMs * random.between(0.3, 1.5)),
);

export const halfOpen = onOneWay('half-open: both ways silent, later cut', (way, random, ttlMs) =>
  silent(way, 'both', ttlMs * random.between(1, 3)),
);

export const delay = onOneWay('delay of 20 to 30 ms each way', async (way, random, ttlMs) => {
  way.delay({ upMs: random.between(20, 30), downMs: random.between(20, 30) });
  await sleep(ttlMs * 3);
  way.delay({});
});

export const reset = onOneWay('connection reset (RST)', async (way) => way.reset());

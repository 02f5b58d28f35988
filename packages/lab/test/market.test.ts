import { startServer } from '@holdfast/testkit';
import { Redis, type RedisKey } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import { violations } from '../src/market/check.ts';
import { BUYERS_FUNDS, listing, MARKET, open } from '../src/market/data.ts';
import { expectations } from '../src/market/expectations.ts';
import { type MarketProgress, runMarket } from '../src/market/market.ts';
import type { MarketNow } from '../src/market/read-market.ts';
import type { MarketResult } from '../src/market/result.ts';
import { marketLegend, marketTable } from '../src/market/table.ts';
import { PROTECTED } from '../src/market/ways/index.ts';
import { watching } from '../src/market/ways/watch.ts';

const SLOW_MACHINE_MS = 300_000;

describe('a short run of every way', () => {
  const told: MarketProgress[] = [];
  let result: MarketResult;
  beforeAll(async () => {
    const loads = [
      { listers: 1, buyers: 1 },
      { listers: 5, buyers: 5 },
    ];
    result = await runMarket({ seconds: 0.3, loads, onProgress: (progress) => told.push(progress) });
  }, SLOW_MACHINE_MS);

  test('conserves money and items, or it would have been refused', () => {
    expect(result.cells.map(({ way }) => way)).toEqual([...PROTECTED, ...PROTECTED]);
  });

  test('lists and buys, without a retry under any lock', () => {
    // On a machine that is busy enough a tenth of a second may pass without a single operation; a run never does.
    for (const { way, checked, retries } of result.cells) {
      expect(checked.listed, `${way} listed`).toBeGreaterThan(0);
      if (way === 'watch') continue; // five busy listers may keep its buyers from every purchase
      expect(checked.bought, `${way} bought`).toBeGreaterThan(0);
      expect(retries, `${way} retries`).toBe(0);
    }
  });

  test('is plain data, a table, and a sentence for each expectation', () => {
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(marketTable(result)).toMatch(/Holdfast, item .*\d/);
    expect(marketTable(result)).toContain('161,000');
    expect(marketLegend(result).join(' ')).toContain('0.3 s per line');
    const said = expectations(result);
    expect(said).toHaveLength(9);
    for (const { holds, text, why } of said) {
      expect(text).toMatch(holds ? /^holds: .*\d/ : /^does not hold: .*\d/);
      expect(why === undefined).toBe(holds);
    }
  });

  test('fits into a terminal of 80 columns, with the figures of the chapter', () => {
    const narrow = marketTable(result, 80);
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    for (const figure of ['161,000', '498 ms', '> 220,000']) expect(narrow).toContain(figure);
  });

  test('tells its progress', () => {
    expect(told.map(({ done }) => done)).toEqual(Array.from({ length: 11 }, (_, i) => i));
    expect(told.at(-1)).toEqual({ done: 10, of: 10, now: undefined });
  });
});

test('a purchase by WATCH begins again when the market changes meanwhile', async () => {
  await using server = await startServer();
  const [redis, other] = [new Redis(server.url), new Redis(server.url)];
  await open(redis, { listers: 1, buyers: 1, opening: 1 });
  const watch = redis.watch.bind(redis);
  let retries = 0;
  redis.watch = (async (...keys: RedisKey[]) => {
    const watched = await watch(...keys);
    if (retries === 0) await other.zadd(MARKET, 5, 'new.seller1');
    return watched;
  }) as Redis['watch'];
  const way = watching({ redis, retried: () => retries++ });
  expect(await way.buy('buyer1', 'seller1-0.seller1')).toEqual(listing('seller1', 0));
  expect(retries).toBe(1);
  expect(await way.buy('buyer1', 'seller1-0.seller1')).toBe('gone');
  redis.disconnect();
  other.disconnect();
});

test('a cell of no time is refused', async () => {
  await expect(runMarket({ seconds: 0 })).rejects.toThrow(
    'seconds: expected a number above 0 and up to 600, got 0',
  );
});

test(
  'without protection something is sold twice, and the run says so',
  async () => {
    // Five buyers at a market that is almost empty: they meet all the time.
    const loads = [{ listers: 1, buyers: 5, opening: 5 }];
    const run = runMarket({ seconds: 2, loads, ways: ['unprotected'] });
    await expect(run).rejects.toThrow(/^no protection at 1\+5: .*was sold twice, to buyer\d and to buyer\d/);
  },
  SLOW_MACHINE_MS,
);

describe('the check at the end', () => {
  const load = { listers: 1, buyers: 1, opening: 2 };
  const cheap = listing('seller1', 0);
  const dear = listing('seller1', 1);
  /** The first was sold, the second is still there. */
  const journals = [
    { id: 'seller1', listed: [], bought: [], delivered: 2 },
    { id: 'buyer1', listed: [], bought: [cheap], delivered: 0 },
  ];
  const right = {
    funds: new Map([
      ['seller1', cheap.price],
      ['buyer1', BUYERS_FUNDS - cheap.price],
    ]),
    inventories: new Map([['buyer1', [cheap.item]]]),
    listings: new Map([[`${dear.item}.seller1`, dear.price]]),
  };
  const wrong = (now: Partial<MarketNow>) => violations({ ...right, ...now }, load, journals).join('; ');

  test('finds nothing when everything is where it belongs', () => {
    expect(violations(right, load, journals)).toEqual([]);
  });

  test('finds an item that is gone, or in two places, or came from nowhere', () => {
    expect(wrong({ inventories: new Map() })).toBe(
      'seller1-0 is in nowhere, should be in inventory of buyer1',
    );
    const stillListed = new Map([...right.listings, ['seller1-0.seller1', cheap.price] as const]);
    expect(wrong({ listings: stillListed })).toContain(
      'inventory of buyer1 and the market as seller1-0.seller1',
    );
    const more = new Map([['buyer1', [cheap.item, 'seller1-7']]]);
    expect(wrong({ inventories: more })).toBe('seller1-7 in inventory of buyer1 was never made');
  });

  test('finds money that is gone, that the wrong one has, or that nobody had', () => {
    const unpaid = new Map([...right.funds, ['seller1', 0] as const]);
    expect(wrong({ funds: unpaid })).toMatch(
      /seller1 has 0 and should have 1; there was 1000000000 .* 999999999/,
    );
    const overdrawn = new Map([...right.funds, ['buyer1', -1] as const]);
    expect(wrong({ funds: overdrawn })).toContain('buyer1 has -1');
  });

  test('finds what was sold twice, at another price, or without having been listed', () => {
    const sold = (...bought: (typeof cheap)[]) => {
      const again = { id: 'buyer1', listed: [], bought, delivered: 0 };
      return violations(right, load, [journals[0] as (typeof journals)[0], again]).join('; ');
    };
    expect(sold(cheap, cheap)).toContain('seller1-0 was sold twice, to buyer1 and to buyer1');
    expect(sold({ ...cheap, price: 9 })).toContain('seller1-0 was sold at 9 and listed at 1');
    expect(sold(listing('seller1', 5))).toContain('seller1-5 was sold and never listed');
  });
});

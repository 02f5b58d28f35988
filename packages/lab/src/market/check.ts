/**
 * The end of every run: is every coin and every item where the workers' journals say, and nowhere else? The journals are
 * the workers' own memory, not the server's: a sale that the server has no trace of is in them all the same.
 */
import {
  BUYERS_FUNDS,
  buyers,
  type Listing,
  type Load,
  listing,
  memberOf,
  openingOf,
  sellers,
} from './data.ts';
import type { Journal } from './protocol.ts';
import type { MarketNow } from './read-market.ts';

export class MarketBrokenError extends Error {
  override readonly name = 'MarketBrokenError';
  readonly violations: readonly string[];

  constructor(where: string, violations: readonly string[]) {
    const more = violations.length > SHOWN ? `; and ${violations.length - SHOWN} more` : '';
    super(`${where}: ${violations.slice(0, SHOWN).join('; ')}${more}`);
    this.violations = violations;
  }
}

const SHOWN = 5;

/** What is wrong, in sentences; empty when nothing is. */
export function violations(now: MarketNow, load: Load, journals: readonly Journal[]): string[] {
  return [
    ...soldTwice(journals),
    ...wrongPrices(load, journals),
    ...wrongFunds(now, load, journals),
    ...wrongPlaces(now, load, journals),
  ];
}

function* soldTwice(journals: readonly Journal[]): Generator<string> {
  const buyerOf = new Map<string, string>();
  for (const { id, bought } of journals) {
    for (const { item } of bought) {
      const first = buyerOf.get(item);
      if (first !== undefined) yield `${item} was sold twice, to ${first} and to ${id}`;
      buyerOf.set(item, id);
    }
  }
}

function* wrongPrices(load: Load, journals: readonly Journal[]): Generator<string> {
  const offered = new Map(offers(load, journals).map(({ item, price }) => [item, price]));
  for (const { bought } of journals) {
    for (const { item, price } of bought) {
      const asked = offered.get(item);
      if (asked === undefined) yield `${item} was sold and never listed`;
      else if (asked !== price) yield `${item} was sold at ${price} and listed at ${asked}`;
    }
  }
}

function* wrongFunds(now: MarketNow, load: Load, journals: readonly Journal[]): Generator<string> {
  const due = new Map<string, number>([
    ...sellers(load).map((id) => [id, 0] as const),
    ...buyers(load).map((id) => [id, BUYERS_FUNDS] as const),
  ]);
  const all = sum([...due.values()]);
  const move = (id: string, by: number) => due.set(id, (due.get(id) ?? 0) + by);
  for (const { id, bought } of journals) {
    for (const { seller, price } of bought) {
      move(id, -price);
      move(seller, price);
    }
  }
  for (const [id, funds] of now.funds) {
    if (funds < 0) yield `${id} has ${funds}`;
    if (funds !== due.get(id)) yield `${id} has ${funds} and should have ${due.get(id)}`;
  }
  const left = sum([...now.funds.values()]);
  if (left !== all) yield `there was ${all} of money and now there is ${left}`;
}

/** Every item that was ever made lies in one place, the right one. */
function* wrongPlaces(now: MarketNow, load: Load, journals: readonly Journal[]): Generator<string> {
  const places = whereItems(now);
  for (const [item, should] of whereItemsShould(load, journals)) {
    const found = places.get(item) ?? ['nowhere'];
    if (found.join() !== should) yield `${item} is in ${found.join(' and ')}, should be in ${should}`;
    places.delete(item);
  }
  for (const [item, found] of places) yield `${item} in ${found.join(' and ')} was never made`;
}

function whereItems({ inventories, listings }: MarketNow): Map<string, string[]> {
  const places = new Map<string, string[]>();
  const put = (item: string, place: string) => places.set(item, [...(places.get(item) ?? []), place]);
  for (const [id, items] of inventories) for (const item of items) put(item, `inventory of ${id}`);
  for (const [member, price] of listings) put(member.slice(0, member.indexOf('.')), onMarket(member, price));
  return places;
}

function whereItemsShould(load: Load, journals: readonly Journal[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const { id, delivered } of journals)
    for (let n = openingOf(load); n < delivered; n++) places.set(listing(id, n).item, `inventory of ${id}`);
  for (const one of offers(load, journals)) places.set(one.item, onMarket(memberOf(one), one.price));
  for (const { id, bought } of journals)
    for (const { item } of bought) places.set(item, `inventory of ${id}`);
  return places;
}

/** All that was ever on the market. */
function offers(load: Load, journals: readonly Journal[]): Listing[] {
  const opening = Array.from({ length: openingOf(load) }, (_, n) => n);
  const atFirst = sellers(load).flatMap((id) => opening.map((n) => listing(id, n)));
  return [...atFirst, ...journals.flatMap(({ listed }) => listed)];
}

const onMarket = (member: string, price: number) => `the market as ${member} at ${price}`;
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

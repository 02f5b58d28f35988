/** What a value looks like. The value itself is never shown: it may be what proves ownership. */

export type Shape =
  | 'holdfast'
  | 'uuid'
  | 'time uuid'
  | 'hex'
  | 'random'
  | 'host'
  | 'record'
  | 'time'
  | 'number'
  | 'constant'
  | 'other';

/** Tells one owner from another, so a release can check. */
export const OWNED: ReadonlySet<Shape> = new Set<Shape>([
  'holdfast',
  'uuid',
  'time uuid',
  'hex',
  'random',
  'host',
  'record',
]);

export const SHAPE_TEXT: Record<Shape, string> = {
  holdfast: 'a holderId of Holdfast',
  uuid: 'a UUID',
  'time uuid': "a UUID with a time in it, as redis-py's",
  hex: 'random hex digits',
  random: 'random text',
  host: 'a host or process',
  record: 'a record of an owner',
  time: 'a point in time',
  number: 'a number',
  constant: 'a constant',
  other: 'something else',
};

const UUID = /^[({]?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}[)}]?(?::\d+)?$/i;
const HEX = /^(?:[\da-f]{24}|[\da-f]{32}|[\da-f]{40}|[\da-f]{64})$/i;
const HOST =
  /^(?:\w+:)?(?=[^:@/|]*[a-z.])[\w][\w.-]*[:@/|#]\d+(?:[:@/|#-][\w.:-]*)?$|@[\w-]+(?:\.[\w-]+)*$|^\d+@[\w.-]+$/i;
const CONSTANTS =
  /^(?:|[01]|-1|true|false|ok|yes|y|x|on|t|lock|locked|held|taken|busy|running|none|null|i:1;|b:1;|"1"|"locked")$/i;
const OWNER_FIELD =
  /^\s*\{[\s\S]*"(?:pid|host|hostname|owner|owner_id|worker|locked_by|lockedBy|acquired_at|acquiredAt)"\s*:/;
/** Of what Laravel's serializer makes of a string. */
const SERIALIZED = /^s:\d+:"([\s\S]*)";$/;

export function shapeOf(raw: string, nowMs: number): Shape {
  const value = SERIALIZED.exec(raw)?.[1] ?? raw;
  if (/^hf1-[\w-]+\.[\w-]+(?::\d+)?$/.test(value)) return 'holdfast';
  if (UUID.test(value)) return 'uuid';
  if (uuidTimeMs(value, nowMs) !== undefined) return 'time uuid';
  if (CONSTANTS.test(value)) return 'constant';
  if (/^-?\d{1,20}(?:\.\d+)?$/.test(value))
    return timeMs(Number(value), nowMs) === undefined ? 'number' : 'time';
  if (HEX.test(value)) return 'hex';
  if (HOST.test(value) && !/:\/\//.test(value)) return 'host';
  if (OWNER_FIELD.test(value)) return 'record';
  return isRandom(value) ? 'random' : 'other';
}

function isRandom(value: string): boolean {
  return /^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[\w+/-]{16,64}={0,2}$/.test(value);
}

const YEARS_10_MS = 10 * 365 * 86_400_000;

/** A number that is a recent time in s, ms, µs or as a fraction of a second, in ms. */
export function timeMs(value: number, nowMs: number): number | undefined {
  for (const scale of [1_000, 1, 0.001]) {
    const ms = value * scale;
    if (ms > nowMs - YEARS_10_MS && ms < nowMs + YEARS_10_MS) return ms;
  }
  return undefined;
}

const GREGORIAN_MS = 12_219_292_800_000;

/** When a UUID of version 1 without dashes was made; its time makes a mistake for other hex digits unlikely (1 in 10,000). */
export function uuidTimeMs(value: string, nowMs: number): number | undefined {
  const [, low, mid, high] = /^([\da-f]{8})([\da-f]{4})1([\da-f]{3})[89ab][\da-f]{15}$/.exec(value) ?? [];
  if (low === undefined) return undefined;
  const ms = Number(BigInt(`0x${high}${mid}${low}`) / 10_000n) - GREGORIAN_MS;
  return ms > nowMs - YEARS_10_MS && ms < nowMs + 86_400_000 ? ms : undefined;
}

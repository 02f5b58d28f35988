/** Durations as people write them: `500ms`, `30s`, `1m30s`, `2h`; a bare number is seconds, as in flock(1) and timeout(1). */
import { InvalidArgumentError } from 'commander';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** In whole milliseconds. */
export function duration(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  if (!WHOLE.test(text)) throw new InvalidArgumentError('Write a duration as 500ms, 30s, 1m30s or 2h.');
  let ms = 0;
  for (const [, value, unit = ''] of text.matchAll(PART)) ms += Number(value) * (UNITS[unit] ?? 0);
  return Math.round(ms);
}

export function atLeastOneMs(text: string): number {
  const ms = duration(text);
  if (ms < 1) throw new InvalidArgumentError('This must be at least 1ms.');
  return ms;
}

/** For people: `850 ms`, `12 s`, `3 min`, `5 h`, `2 days`. */
export function shortly(ms: number | undefined): string {
  if (ms === undefined) return '-';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

import { describe, expect, it } from 'vitest';
import { scheduleOf } from '../src/arena/schedule.ts';

const PLANNED = [
  { fault: 'kill', count: 20 },
  { fault: 'stop', count: 7 },
];

describe('the schedule of the faults', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(scheduleOf(PLANNED, 5_000, 42)).toEqual(scheduleOf(PLANNED, 5_000, 42));
    expect(scheduleOf(PLANNED, 5_000, 42)).not.toEqual(scheduleOf(PLANNED, 5_000, 43));
  });

  it('has each fault as often as planned, spread over the time, in order', () => {
    const blows = scheduleOf(PLANNED, 5_000, 1);
    const kills = blows.filter(({ fault }) => fault === 'kill').map(({ atMs }) => atMs);
    expect(kills).toHaveLength(20);
    expect(blows).toHaveLength(27);
    expect(kills.filter((at) => at < 2_500)).toHaveLength(10);
    expect(blows.map(({ atMs }) => atMs)).toEqual(blows.map(({ atMs }) => atMs).sort((a, b) => a - b));
    expect(Math.max(...kills)).toBeLessThanOrEqual(5_000);
  });

  it('gives every blow a seed of its own', () => {
    const seeds = scheduleOf(PLANNED, 5_000, 1).map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(seeds.length);
  });
});

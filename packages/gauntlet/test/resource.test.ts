import { describe, expect, it } from 'vitest';
import { FencedResource } from '../src/resource/fenced.ts';

const shown = (id: string, token: number, what: 'enter' | 'leave' = 'enter') =>
  ({ id, name: 'a', what, permits: 1, slots: [[0, token]] }) as const;
const accepted = (resource: FencedResource, ...args: Parameters<typeof shown>) =>
  resource.take(1, shown(...args))[0]?.accepted;

describe('the resource', () => {
  it('refuses a token that is older than one it has seen, and takes the same one again', () => {
    const resource = new FencedResource({ fenced: true });
    expect(accepted(resource, 'A', 5)).toBe(true);
    expect(accepted(resource, 'B', 7)).toBe(true);
    expect(accepted(resource, 'A', 5, 'leave')).toBe(false);
    expect(accepted(resource, 'B', 7, 'leave')).toBe(true);
  });

  it('takes everything when it does not look at tokens', () => {
    const resource = new FencedResource({ fenced: false });
    expect([accepted(resource, 'B', 7), accepted(resource, 'A', 5)]).toEqual([true, true]);
  });

  it('counts who is inside at once, and not the dead', () => {
    const resource = new FencedResource({ fenced: true });
    resource.take(1, shown('A', 1));
    resource.take(2, shown('B', 2));
    expect(resource.holders('a')).toEqual([1, 2]);
    resource.gone(1);
    resource.take(3, shown('C', 3));
    expect(resource.holders('a')).toEqual([2, 3]);
    expect(resource.most).toEqual({ a: 2 });
  });
});

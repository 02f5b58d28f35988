import type { LeaseSeen } from './evidence.ts';

/** A lease, for people: times are in ms, to be found in the histories. */
export function shown({ id, permits, token, slots, from, to, validUntil, outcome }: LeaseSeen): string {
  const numbers = slots.map(([slot]) => slot).join(' ');
  const times = `from ${from.toFixed(1)} to ${to.toFixed(1)}, valid until ${validUntil.toFixed(1)}`;
  return `\n  ${permits} by ${id} with token ${token}, slots [${numbers}], ${times}, ${outcome ?? 'not released'}`;
}

/** Options that are numbers, checked. */
import { InvalidArgumentError } from 'commander';

export function wholeFrom(least: number, most = 1_000_000_000): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`This must be a whole number from ${least} to ${most}.`);
  };
}

/** Options as commander hands them over, checked. */
import { InvalidArgumentError } from 'commander';
import { MAX_SECONDS } from '../market/market.ts';

interface Output {
  readonly json?: true;
  readonly html?: string;
}

export interface RunOptions extends Output {
  readonly seed: number;
  /** `undefined`: the default, which is smaller when all steps run. */
  readonly maxOrders?: number;
  readonly market?: true;
  readonly seconds: number;
}

export interface MarketOptions extends Output {
  /** Of each cell. */
  readonly seconds: number;
}

export function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('This must be a whole number.');
  return Number(text);
}

export function wholeFromOne(text: string): number {
  const value = whole(text);
  if (value < 1) throw new InvalidArgumentError('This must be a whole number from 1.');
  return value;
}

export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= MAX_SECONDS) return value;
  throw new InvalidArgumentError(`This must be a number of seconds, more than 0 and at most ${MAX_SECONDS}.`);
}

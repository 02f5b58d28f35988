/**
 * What an attempt proposes as its fencing token: the median of the nodes' clocks, as estimated from their last answers, raised
 * above what was proposed before. Any number would do while the nodes keep their data, since each accepts only a greater one; the clock is
 * for the time after they forgot. The median, so that a minority of wrong clocks does not move it.
 */
import type { Clock } from '../clock.ts';
import { handedOffAt } from '../validity.ts';

/** Two clocks may drift apart by this much without the stamp overtaking the node. */
const DRIFT = 1 / 1000;
/** With older readings the stamp would lag by too much. */
const MAX_AGE_MS = 1_000;

interface Reading {
  readonly serverUs: number;
  readonly readAt: number;
  readonly askedAt: number;
}

export class Stamps {
  private readonly readings = new Map<number, Reading>();
  private last = 0;
  /** The median of the nodes' clocks, less our own. */
  private aheadUs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly majority: number,
  ) {}

  /** A reading of that node's clock arrived just now, asked for at `askedAt`. */
  learn(node: number, serverUs: number, askedAt: number): void {
    this.readings.set(node, { serverUs, readAt: this.clock.now(), askedAt });
    const ahead = [...this.readings.values()].map((one) => one.serverUs - oursInUs(one.readAt));
    ahead.sort((a, b) => a - b);
    this.aheadUs = ahead[(ahead.length - 1) >> 1] ?? this.aheadUs;
  }

  /** When that was on our clock, or a little before; `undefined` when the node's clock is not known. */
  oursAt(node: number, serverUs: number): number | undefined {
    const reading = this.readings.get(node);
    if (reading === undefined) return undefined;
    const pair = { ours: reading.askedAt, serverUs: reading.serverUs };
    return handedOffAt(pair, serverUs, this.clock.now(), Number.NEGATIVE_INFINITY);
  }

  /** Whether a majority's clocks were read lately. */
  get fresh(): boolean {
    const since = this.clock.now() - MAX_AGE_MS;
    let fresh = 0;
    for (const { readAt } of this.readings.values()) if (readAt > since) fresh++;
    return fresh >= this.majority;
  }

  /** Greater than any before, and than `above`. */
  next(above: number): number {
    const median = Math.floor(this.aheadUs + oursInUs(this.clock.now()));
    this.last = Math.max(this.last + 1, above + 1, median);
    return this.last;
  }
}

/** Slowed down by what two clocks may drift apart, so that the estimate never overtakes the node. */
function oursInUs(ms: number): number {
  return ms * 1000 * (1 - DRIFT);
}

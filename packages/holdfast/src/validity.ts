/**
 * How long a holder may trust its lease, by its own monotonic clock (Redlock, "validity time"): counted from before
 * the request, less what the two clocks may drift apart meanwhile.
 */

/** A thousandth of the time, plus the millisecond that Redis rounds to; at most a tenth, so that 1 ms leases exist. */
export function driftMs(leaseMs: number): number {
  return Math.min(leaseMs / 10, leaseMs / 1000 + 1);
}

/** The end of the validity of a lease of `leaseMs` that was asked for at `askedAt`. */
export function validUntil(askedAt: number, leaseMs: number): number {
  return askedAt + leaseMs - driftMs(leaseMs);
}

/** The shortest lease whose validity lasts `ms`. */
export function leaseToCover(ms: number): number {
  return Math.max(1, Math.ceil(ms / 0.9));
}

/** A pair of readings of one moment (or earlier on our side): our clock before a request, the server's in its reply. */
export interface ClockPair {
  /** Ours, in ms, read before the request was sent. */
  readonly ours: number;
  /** The server's wall clock in its reply, in µs. */
  readonly serverUs: number;
}

/**
 * The latest moment on our clock that is certainly not after the start of a lease that the server began at `startedUs`, given a
 * pair from the time of an ask. The ask may have come after that start, when its message was read late: then the difference
 * counts backwards. If the server's clock stepped forward meanwhile the pair would say too much, so it is never later than the
 * arrival of the message.
 * @param notBefore when it was first asked for; no lease of that request began earlier
 */
export function handedOffAt(
  pair: ClockPair | undefined,
  startedUs: number,
  arrivedAt: number,
  notBefore: number,
): number {
  if (pair === undefined) return notBefore;
  const laterMs = (startedUs - pair.serverUs) / 1000;
  const start = pair.ours + laterMs - Math.abs(laterMs) / 1000;
  return Math.min(arrivedAt, Math.max(notBefore, start));
}

/* What a run measured. `--json` prints exactly this. Times in ms. */

export interface Kept {
  subscriber: string;
  token: number;
  /** The same lease all that time, by the server's own account at the end. */
  sameToken: boolean;
  heldForMs: number;
  /** How often the lease would have ended without renewals. */
  ttls: number;
  renewals: number;
  events: number;
  missed: number;
}

export interface HandedOver {
  left: string;
  next: string;
  /** From just before the release until the next one had the seat. */
  nextAfterMs: number;
}

export interface CutOff {
  subscriber: string;
  next: string;
  /** All from the moment when its connection to Redis went silent. */
  toldAfterMs: number;
  leaseEndsAfterMs: number;
  closedAfterMs: number;
  nextAfterMs: number;
  nextConnectedAfterMs: number;
  reason: string | undefined;
  /** Pushed to it after the cut: its connection to the stream was fine. */
  pushedMeanwhile: number;
  /** It had not closed before the next one came, so the server ended it by its token. Takes a very busy machine. */
  displaced: boolean;
}

export interface Killed {
  subscriber: string;
  next: string;
  /** Left of the dead one's lease, as Redis said right before. */
  leftMs: number | undefined;
  nextAfterMs: number;
}

export interface Result {
  server: string;
  seats: number;
  subscribers: number;
  ttlMs: number;
  /** In the order in which they got a seat. */
  seated: string[];
  /** In the order in which they had asked. */
  asked: string[];
  handedOver: HandedOver;
  cutOff: CutOff;
  killed: Killed;
  kept: Kept;
  returned: HandedOver;
  connections: { total: number; maxOpen: number; displaced: string[] };
  end: { held: number; waiting: number; allAtOnce: boolean; oneMore: boolean };
  tookMs: number;
}

/** What must not happen, if it did happen in this run. */
export function broken(result: Result): string | undefined {
  return [...brokenSeats(result), ...brokenLeases(result)][0];
}

function brokenSeats({ connections, seats, seated, asked, cutOff, end }: Result): string[] {
  const { maxOpen, displaced } = connections;
  const wrong = displaced.filter((name) => name !== cutOff.subscriber);
  return [
    maxOpen > seats && `${maxOpen} were connected at once, with ${seats} seats`,
    wrong.length > 0 && `${wrong.join(', ')} held a seat that was given to somebody else`,
    String(seated) !== String(asked) && `they asked in the order ${asked} and were seated as ${seated}`,
    end.held + end.waiting > 0 && `when all had left, ${end.held} seats were held and ${end.waiting} waited`,
    !end.allAtOnce && 'when all had left, the seats could not be acquired at once',
    end.oneMore && `there was one seat more than ${seats}`,
  ].filter((text) => text !== false);
}

function brokenLeases({ cutOff, kept, killed, ttlMs }: Result): string[] {
  const { toldAfterMs, leaseEndsAfterMs, closedAfterMs, nextAfterMs } = cutOff;
  // A busy machine may run a process late by some of this without anybody being to blame.
  const busyMs = ttlMs / 2;
  return [
    toldAfterMs > leaseEndsAfterMs + busyMs && 'the one that was cut off was told after its lease had ended',
    closedAfterMs > nextAfterMs + busyMs && 'the one that was cut off was still connected when the next came',
    killed.nextAfterMs > ttlMs + busyMs && "the dead one's seat was not free after one ttl",
    !kept.sameToken && `${kept.subscriber} has another lease than at first`,
    kept.missed > 0 && `${kept.subscriber} missed ${kept.missed} events`,
    kept.ttls < 10 && `${kept.subscriber} kept its lease for ${kept.ttls.toFixed(1)} ttls only`,
  ].filter((text) => text !== false);
}

/**
 * The renewals of one instance: whoever renews takes those along whose turn comes soon, so that many leases cost few commands (what is
 * asked for in one turn travels together: `store/outgoing.ts`), and few round trips.
 */

/** Part of the ttl by which a renewal may come early. */
const EARLY = 1 / 12;

export interface Renewing {
  readonly ttlMs: number;
  /** When its renewal is due; infinite while one is under way, or when there is none. */
  readonly renewAt: number;
  /** Sends one now. */
  renewEarly(): void;
}

export class Renewals {
  private readonly all = new Set<Renewing>();

  add(one: Renewing): void {
    this.all.add(one);
  }

  delete(one: Renewing): void {
    this.all.delete(one);
  }

  /** One is being renewed: so are those that would be soon. */
  takeAlong(now: number): void {
    for (const one of this.all) if (one.renewAt - one.ttlMs * EARLY <= now) one.renewEarly();
  }
}

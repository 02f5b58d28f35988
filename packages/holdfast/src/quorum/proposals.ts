/**
 * Of each waiter: the highest stamp it has proposed, and whether it has been told of a grant. Its own attempt may raise or take back what
 * a release gave it at some nodes, so the two must not cross: grants up to its last stamp count no more, and after a grant that counted it
 * proposes nothing.
 */
interface Proposal {
  stamp: number;
  granted: boolean;
}

/** Leases that were lost and never released leave theirs behind. */
const MAX_KEPT = 10_000;

export class Proposals {
  private readonly all = new Map<string, Proposal>();

  /** False when it must not: it holds already. */
  propose(holderId: string, stamp: number): boolean {
    const known = this.all.get(holderId);
    if (known?.granted === true) return false;
    if (known !== undefined) known.stamp = stamp;
    else this.all.set(holderId, { stamp, granted: false });
    this.forgetOldest();
    return true;
  }

  counts(holderId: string, token: number): boolean {
    return token > (this.all.get(holderId)?.stamp ?? 0);
  }

  granted(holderId: string): void {
    const known = this.all.get(holderId);
    if (known !== undefined) known.granted = true;
  }

  /** A grant was given back: it may propose again. */
  declined(holderId: string): void {
    const known = this.all.get(holderId);
    if (known !== undefined) known.granted = false;
  }

  ended(holderId: string): void {
    this.all.delete(holderId);
  }

  private forgetOldest(): void {
    if (this.all.size <= MAX_KEPT) return;
    for (const oldest of this.all.keys()) {
      this.all.delete(oldest);
      return;
    }
  }
}

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
/** A node may still know of those that are over; for so many it is told, whatever it says of them. */
const MAX_OVER = 1_000;

export class Proposals {
  private readonly all = new Map<string, Proposal>();
  private readonly over = new Map<string, (node: number) => void>();

  /** False when it must not: it holds already. */
  propose(holderId: string, stamp: number): boolean {
    const known = this.all.get(holderId);
    if (known?.granted === true) return false;
    if (known !== undefined) known.stamp = stamp;
    else this.all.set(holderId, { stamp, granted: false });
    dropOldest(this.all, MAX_KEPT);
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

  /** @param giveBack what to do when a node gives it something all the same: its place in that queue had come back */
  ended(holderId: string, giveBack: (node: number) => void): void {
    this.all.delete(holderId);
    this.over.set(holderId, giveBack);
    dropOldest(this.over, MAX_OVER);
  }

  /** Gives it back when that waiter's acquire is over. */
  isOver(holderId: string, node: number): boolean {
    const giveBack = this.over.get(holderId);
    giveBack?.(node);
    return giveBack !== undefined;
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

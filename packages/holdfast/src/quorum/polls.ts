/**
 * What is still under way at some node for a lease or an attempt. When that came to nothing, or was released meanwhile, a late yes has
 * to be given back: a script that a node did not know is sent again, and may come after the release.
 */
export class Poll {
  /** Nobody wants a further yes. */
  ended = false;
  /** The acquire as a whole is over: nobody wants a place in the queue either. */
  over = false;

  constructor(
    private readonly all: Map<string, Set<Poll>>,
    readonly value: string,
    private pending: number,
  ) {}

  /** One node less. */
  settled(): void {
    if (--this.pending > 0) return;
    const same = this.all.get(this.value);
    same?.delete(this);
    if (same?.size === 0) this.all.delete(this.value);
  }
}

export class Polls {
  private readonly open = new Map<string, Set<Poll>>();

  begin(value: string, nodes: number): Poll {
    const poll = new Poll(this.open, value, nodes);
    const same = this.open.get(value);
    if (same === undefined) this.open.set(value, new Set([poll]));
    else same.add(poll);
    return poll;
  }

  /** @param value `holderId:stamp`, or the holderId alone for all attempts of one acquire */
  end(value: string): void {
    const exact = value.includes(':');
    for (const [one, polls] of this.open) {
      if (exact ? one !== value : !one.startsWith(`${value}:`)) continue;
      for (const poll of polls) {
        poll.ended = true;
        poll.over ||= !exact;
      }
    }
  }
}

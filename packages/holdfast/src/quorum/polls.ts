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
    private readonly open: Set<Poll>,
    readonly value: string,
    private pending: number,
  ) {}

  /** One node less. */
  settled(): void {
    if (--this.pending === 0) this.open.delete(this);
  }
}

export class Polls {
  private readonly open = new Set<Poll>();

  begin(value: string, nodes: number): Poll {
    const poll = new Poll(this.open, value, nodes);
    this.open.add(poll);
    return poll;
  }

  /** @param value `holderId:stamp`, or the holderId alone for all attempts of one acquire */
  end(value: string): void {
    const exact = value.includes(':');
    for (const poll of this.open) {
      if (exact ? poll.value !== value : !poll.value.startsWith(`${value}:`)) continue;
      poll.ended = true;
      poll.over ||= !exact;
    }
  }
}

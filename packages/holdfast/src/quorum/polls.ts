/**
 * Attempts that some nodes have not answered yet. Their late yes has to be given back when the attempt failed, or when its lease was
 * released meanwhile: a script that a node did not know is sent again, and may come after the release.
 */
export interface Poll {
  /** Nobody wants a further yes. */
  ended: boolean;
  pending: number;
}

export class Polls {
  private readonly open = new Map<string, Poll>();

  begin(value: string, nodes: number): Poll {
    const poll = { ended: false, pending: nodes };
    this.open.set(value, poll);
    return poll;
  }

  settled(value: string): void {
    const poll = this.open.get(value);
    if (poll !== undefined && --poll.pending === 0) this.open.delete(value);
  }

  /** @param value `holderId:stamp`, or the holderId alone for all attempts of one acquire */
  end(value: string): void {
    const exact = this.open.get(value);
    if (exact !== undefined) exact.ended = true;
    else if (!value.includes(':')) {
      for (const [one, poll] of this.open) if (one.startsWith(`${value}:`)) poll.ended = true;
    }
  }
}

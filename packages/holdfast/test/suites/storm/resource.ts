/** What the leases are for: one process that everybody's work goes through, and that refuses a slot's older tokens. */

/** What a contender shows of its lease, when it begins with it and right before its release. */
export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly what: 'enter' | 'leave';
  readonly slots: readonly (readonly [slot: number, token: number])[];
}

/** One slot's part of that, in the order of the resource. */
export interface Operation {
  /** Nanoseconds on the machine's monotonic clock. */
  readonly t: bigint;
  readonly id: string;
  readonly name: string;
  readonly slot: number;
  readonly token: number;
  readonly accepted: boolean;
}

export class FencedResource {
  readonly operations: Operation[] = [];
  /** The highest token so far, by name and slot. */
  readonly #highest = new Map<string, number>();

  take({ id, name, slots }: Shown): void {
    for (const [slot, token] of slots) {
      const key = `${name} ${slot}`;
      const accepted = token >= (this.#highest.get(key) ?? 0);
      if (accepted) this.#highest.set(key, token);
      this.operations.push({ t: process.hrtime.bigint(), id, name, slot, token, accepted });
    }
  }
}

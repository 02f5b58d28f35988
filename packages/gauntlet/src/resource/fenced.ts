/**
 * What the locks are for: everybody's work goes through it, one operation after the other. It refuses a token that is lower than one it has
 * seen, and counts who is inside, whatever their tokens say.
 */

export interface Shown {
  readonly id: string;
  readonly name: string;
  readonly what: 'enter' | 'leave';
  /** One part for a lock; one per slot of a semaphore, each with a token of its own. */
  readonly slots: readonly (readonly [slot: number, token: number])[];
  readonly permits: number;
}

export interface Operation {
  readonly id: string;
  readonly name: string;
  readonly slot: number;
  readonly token: number;
  readonly accepted: boolean;
}

interface Inside {
  readonly pid: number;
  readonly permits: number;
}

export class FencedResource {
  /** Without, it accepts everything: for controls that shall be seen to do harm. */
  readonly #fenced: boolean;
  /** The highest token so far, by name and slot. */
  readonly #highest = new Map<string, number>();
  readonly #inside = new Map<string, Map<string, Inside>>();
  readonly #most = new Map<string, number>();

  constructor({ fenced }: { readonly fenced: boolean }) {
    this.#fenced = fenced;
  }

  take(pid: number, { id, name, what, slots, permits }: Shown): Operation[] {
    if (what === 'enter') this.#enter(name, id, { pid, permits });
    else this.#inside.get(name)?.delete(id);
    return slots.map(([slot, token]) => ({
      id,
      name,
      slot,
      token,
      accepted: this.#accepts(name, slot, token),
    }));
  }

  #accepts(name: string, slot: number, token: number): boolean {
    const key = `${slot} ${name}`;
    if (this.#fenced && token < (this.#highest.get(key) ?? 0)) return false;
    this.#highest.set(key, token);
    return true;
  }

  #enter(name: string, id: string, one: Inside): void {
    const inside = this.#inside.get(name) ?? new Map<string, Inside>();
    this.#inside.set(name, inside.set(id, one));
    const permits = [...inside.values()].reduce((sum, { permits }) => sum + permits, 0);
    this.#most.set(name, Math.max(permits, this.#most.get(name) ?? 0));
  }

  /** The processes that are in there under `name`. */
  holders(name: string): number[] {
    return [...(this.#inside.get(name)?.values() ?? [])].map(({ pid }) => pid);
  }

  /** A process that died is not inside. */
  gone(pid: number): void {
    for (const inside of this.#inside.values())
      for (const [id, one] of inside) if (one.pid === pid) inside.delete(id);
  }

  /** The most permits that were inside at once, by name. */
  get most(): Record<string, number> {
    return Object.fromEntries(this.#most);
  }
}

/** Until when a hold is good, on the clock of the histories. */
interface Lasting {
  remainingMs(): number;
}

const SOON_NS = 1_000_000n;

/** In ns. Read again when the process was stopped between the two readings: what remained then says nothing of now. */
export function goodUntil(hold: Lasting): bigint {
  for (;;) {
    const before = process.hrtime.bigint();
    const remainingNs = BigInt(Math.round(hold.remainingMs() * 1e6));
    if (process.hrtime.bigint() - before < SOON_NS) return before + remainingNs;
  }
}

/** Imported before everything else: this process's wall clock is off by CLOCK_OFF_MS. The monotonic clock stays true. */
const offMs = Number(process.env.CLOCK_OFF_MS ?? 0);
const now = Date.now;

class OffDate extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now() + offMs] : given));
  }

  static now() {
    return now() + offMs;
  }
}

if (offMs !== 0) globalThis.Date = OffDate;

/**
 * Milliseconds on the machine's monotonic clock. Its zero is the same for every process of this machine (unlike
 * `performance.now()`), so a time from one process may be taken from another's.
 */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

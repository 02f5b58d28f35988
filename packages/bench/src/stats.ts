/** The few statistics that the benchmark prints. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Jain's fairness index (Jain, Chiu, Hawe, 1984): 1 when all got the same, 1/n when one got everything. */
export function jain(shares: readonly number[]): number {
  const sum = shares.reduce((a, b) => a + b, 0);
  const squares = shares.reduce((a, b) => a + b * b, 0);
  return (sum * sum) / (shares.length * squares);
}

export interface CommandStats {
  readonly calls: number;
  readonly usec: number;
}

/** `INFO commandstats` of the named commands together, as the server counts them. */
export function commandStats(info: string, names: readonly string[]): CommandStats {
  let calls = 0;
  let usec = 0;
  for (const name of names) {
    const match = new RegExp(`cmdstat_${name}:calls=(\\d+),usec=(\\d+)`).exec(info);
    calls += Number(match?.[1] ?? 0);
    usec += Number(match?.[2] ?? 0);
  }
  return { calls, usec };
}

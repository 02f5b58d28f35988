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

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

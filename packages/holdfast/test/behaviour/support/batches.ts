/** Work that is done many times, 500 at a time. */
export async function inBatches<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < count; i += 500) {
    const batch = Array.from({ length: Math.min(500, count - i) }, (_, n) => work(i + n));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

export const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function took<T>(work: Promise<T>): Promise<{ ms: number; value: T }> {
  const from = performance.now();
  const value = await work;
  return { ms: performance.now() - from, value };
}

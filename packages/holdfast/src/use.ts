/** Runs a function under a lease: what `use` of locks and semaphores does after its acquire. */
import { argumentError } from './errors.ts';
import type { Lease } from './lease.ts';

export function checkFunction(fn: unknown): void {
  if (typeof fn !== 'function')
    throw argumentError('use(fn): expected a function to run under the lease as the first argument');
}

/** `fn`'s result; its own error wins; `LeaseLostError` when the lease was lost before it settled. Always releases. */
export async function runUnder<L extends Lease, T>(lease: L, fn: (lease: L) => T | Promise<T>): Promise<T> {
  const result = await released(lease, fn);
  // The release looks at the validity first, and learns whether it was still ours.
  await lease[Symbol.asyncDispose]();
  if (lease.lost !== undefined) throw lease.lost;
  return result;
}

async function released<L extends Lease, T>(lease: L, fn: (lease: L) => T | Promise<T>): Promise<T> {
  try {
    return await fn(lease);
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

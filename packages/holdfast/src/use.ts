/** Runs a function under a lease: what every `use` does after its acquire. */
import { argumentError, type LeaseLostError } from './errors.ts';
import { holding } from './holding.ts';
import type { HeldLease } from './options.ts';

/** A lease, or the leases of several locks together. */
interface Usable extends HeldLease, AsyncDisposable {
  readonly lost: LeaseLostError | undefined;
}

export function checkFunction(fn: unknown): void {
  if (typeof fn !== 'function')
    throw argumentError('use(fn): expected a function to run under the lease as the first argument');
}

/** `fn`'s result; its own error wins; `LeaseLostError` when the lease was lost before it settled. Always releases. */
export async function runUnder<L extends Usable, T>(lease: L, fn: (lease: L) => T | Promise<T>): Promise<T> {
  const result = await released(lease, fn);
  // The release looks at the validity first, and learns whether it was still ours.
  await lease[Symbol.asyncDispose]();
  if (lease.lost !== undefined) throw lease.lost;
  return result;
}

async function released<L extends Usable, T>(lease: L, fn: (lease: L) => T | Promise<T>): Promise<T> {
  try {
    return await holding(lease, () => fn(lease));
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

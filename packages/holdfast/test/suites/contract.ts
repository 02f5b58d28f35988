/** Everything that every backend and every client has to do. */
import type { Backend } from './backend.ts';
import { lockContract } from './lock-contract.ts';
import { readWriteContract } from './read-write-contract.ts';
import { semaphoreContract } from './semaphore-contract.ts';
import { severalContract } from './several-contract.ts';

export function contract(
  title: string,
  start: () => Promise<Backend>,
  slots?: 'lowest' | 'any',
  { readsAndWrites = true } = {},
): void {
  lockContract(title, start);
  semaphoreContract(title, start, slots);
  severalContract(title, start);
  // Over a quorum there is none.
  if (slots !== 'any' && readsAndWrites) readWriteContract(title, start);
}

import { Holdfast, MemoryServer } from '../../src/index.ts';
import { lockContract } from '../suites/lock-contract.ts';

lockContract('in memory', async () => {
  const server = new MemoryServer();
  return { open: async (options = {}) => Holdfast.inMemory({ ...options, server }), end: async () => {} };
});

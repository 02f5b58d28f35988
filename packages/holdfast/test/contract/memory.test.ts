import { Holdfast, MemoryServer } from '../../src/index.ts';
import { contract } from '../suites/contract.ts';

contract('in memory', async () => {
  const server = new MemoryServer();
  return { open: async (options = {}) => Holdfast.inMemory({ ...options, server }), end: async () => {} };
});

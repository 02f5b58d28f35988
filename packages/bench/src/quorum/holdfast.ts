import { Holdfast } from 'holdfast';
import type { Contender } from './contender.ts';

export const holdfast: Contender = {
  id: 'holdfast',
  label: 'Holdfast',
  async open(nodes, name) {
    const instance = new Holdfast(nodes);
    const lock = instance.lock(name);
    return {
      acquire: async () => {
        const lease = await lock.acquire();
        return () => lease.release();
      },
      close: () => instance.close(),
    };
  },
};

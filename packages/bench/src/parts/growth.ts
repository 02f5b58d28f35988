/** What grows with the number of waiters, of leases on a semaphore, of leases that one process renews. */
import type { Part, Settings, Table } from '../part.ts';
import { leasesTable } from './growth/leases.ts';
import { renewalsTable } from './growth/renewals.ts';
import { waitersTables } from './growth/waiters.ts';

export const growth: Part = {
  id: 'growth',
  what: '10 to 10,000 waiters, to 100,000 leases on a semaphore, to 10,000 leases renewed by a process',
  async run(settings: Settings): Promise<Table[]> {
    return [...(await waitersTables(settings)), await leasesTable(settings), await renewalsTable(settings)];
  },
};

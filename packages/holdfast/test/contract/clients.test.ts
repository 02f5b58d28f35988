import { serverBackend } from '../suites/backends.ts';
import { type ClientName, clients } from '../suites/clients.ts';
import { lockContract } from '../suites/lock-contract.ts';

for (const name of Object.keys(clients) as ClientName[]) lockContract(name, () => serverBackend(name));

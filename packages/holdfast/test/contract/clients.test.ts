import { serverBackend } from '../suites/backends.ts';
import { type ClientName, clients } from '../suites/clients.ts';
import { contract } from '../suites/contract.ts';

for (const name of Object.keys(clients) as ClientName[]) contract(name, () => serverBackend(name));

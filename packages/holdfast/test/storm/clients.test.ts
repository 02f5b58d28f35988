/** The semaphore's storm, by each client on the machine's own server. */
import { type ClientName, clients } from '../suites/clients.ts';
import { semaphoreStorm } from '../suites/semaphore-storm.ts';
import { serverPlace } from '../suites/storm/places.ts';

for (const title of Object.keys(clients) as ClientName[])
  semaphoreStorm(title, () => serverPlace([title, title, title, title]));

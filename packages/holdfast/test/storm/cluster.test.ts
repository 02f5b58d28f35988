/** The semaphore's storm in a Cluster, whose nodes each have some of the names. */
import { clusters } from '../suites/clients.ts';
import { semaphoreStorm } from '../suites/semaphore-storm.ts';
import { clusterPlace } from '../suites/storm/places.ts';

for (const title of Object.keys(clusters)) semaphoreStorm(title, () => clusterPlace(title));

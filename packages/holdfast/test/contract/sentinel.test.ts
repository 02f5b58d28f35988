import { startSentinel } from '../../../testkit/src/index.ts';
import { backendOf } from '../suites/backends.ts';
import { sentinels } from '../suites/clients.ts';
import { contract } from '../suites/contract.ts';

for (const [title, make] of Object.entries(sentinels)) {
  const start = async () => {
    const group = await startSentinel({ replicas: 1, sentinels: 1 });
    return backendOf(
      () => make(group.masterName, group.sentinelPorts),
      () => group.shutdown(),
    );
  };
  contract(title, start, undefined, { readsAndWrites: false });
}

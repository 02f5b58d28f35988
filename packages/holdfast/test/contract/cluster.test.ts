import { startCluster } from '../../../testkit/src/index.ts';
import { backendOf } from '../suites/backends.ts';
import { clusters } from '../suites/clients.ts';
import { contract } from '../suites/contract.ts';

for (const [title, make] of Object.entries(clusters)) {
  contract(title, async () => {
    const cluster = await startCluster({ masters: 3, replicasPerMaster: 1 });
    const ports = cluster.nodes.map((node) => node.server.port);
    return backendOf(
      () => make(ports),
      () => cluster.shutdown(),
    );
  });
}

/** The clients of suites/clients.ts by their titles there; a process loads only its own one's library. */
const PACKAGES = {
  'ioredis 5': 'ioredis',
  'ioredis 6': 'ioredis6',
  iovalkey: 'iovalkey',
  'node-redis 5': 'redis5',
  'node-redis 6': 'redis',
};

export async function connectAs(title, ports) {
  const kind = Object.keys(PACKAGES).find((one) => title.startsWith(one));
  const library = await import(PACKAGES[kind]);
  const cluster = /cluster$/i.test(title);
  return kind.startsWith('io') ? ioClient(library, ports, cluster) : nodeClient(library, ports, cluster);
}

function ioClient({ Redis, Cluster }, ports, cluster) {
  const nodes = ports.map((port) => ({ port, host: '127.0.0.1' }));
  const client = cluster ? new Cluster(nodes) : new Redis(nodes[0]);
  client.on('error', () => {});
  return { client, end: () => client.quit() };
}

async function nodeClient({ createClient, createCluster }, ports, cluster) {
  const rootNodes = ports.map((port) => ({ url: `redis://127.0.0.1:${port}` }));
  const client = cluster ? createCluster({ rootNodes }) : createClient(rootNodes[0]);
  client.on('error', () => {});
  await client.connect();
  return { client, end: () => client.destroy() };
}

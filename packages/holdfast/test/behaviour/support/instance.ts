/** One "process" of the tests: a Holdfast instance with a client of its own. */
import { Holdfast, type HoldfastOptions } from '../../../src/index.ts';
import { type Address, type ClientName, clients, type Made } from '../../suites/clients.ts';

export interface Instance extends AsyncDisposable {
  readonly holdfast: Holdfast;
  readonly client: unknown;
  /** Ends only the client. */
  end(): Promise<void>;
}

/** The two that the tests of the folder mix. */
export const KINDS = ['ioredis 5', 'node-redis 6'] as const satisfies readonly ClientName[];

export async function open(
  where: number | Address,
  {
    kind = 'ioredis 5',
    client = {},
    ...options
  }: HoldfastOptions & { kind?: ClientName; client?: object } = {},
): Promise<Instance> {
  const address = typeof where === 'number' ? { port: where } : where;
  return instanceOf(await clients[kind](address, client), options);
}

export function instanceOf({ client, end }: Made, options?: HoldfastOptions): Instance {
  const holdfast = new Holdfast(client, options);
  return {
    holdfast,
    client,
    end,
    async [Symbol.asyncDispose]() {
      await holdfast.close();
      await end();
    },
  };
}

/** The other process of the hand-off benchmark: it hears bare messages, and waits for the lock. */
import { Holdfast, type Lease } from 'holdfast';
import { Redis } from 'ioredis';

const { PORT, NAME = '' } = process.env;
const redis = new Redis({ port: Number(PORT) });
const listener = new Redis({ port: Number(PORT) });
const holdfast = new Holdfast(redis);
const lock = holdfast.lock(NAME, { waitMs: 60_000 });
let lease: Lease | undefined;

function tell(type: string): void {
  process.send?.({ type, at: String(process.hrtime.bigint()) });
}

const actions: Record<string, () => Promise<void>> = {
  wait: async () => {
    lease = await lock.acquire();
    tell('got');
  },
  release: async () => {
    await lease?.release();
    tell('released');
  },
};

listener.on('message', () => tell('heard'));
await listener.subscribe('bench:message');
process.on('message', (message: string) => void actions[message]?.());
process.on('disconnect', () => process.exit());
tell('ready');

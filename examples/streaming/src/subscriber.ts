/* One subscriber: takes a seat, keeps that one lease for as long as it listens, and stops listening when the lease is lost. */
import { machineNow, tell } from '@holdfast/example-common/worker';
import type { Holdfast, Semaphore, SemaphoreLease, Slot } from 'holdfast';
import { type Happening, type Heard, SEATS } from './protocol.ts';
import { eventIds } from './sse.ts';

const WAIT_MS = 60_000;

interface Means {
  name: string;
  /** Address of the stream. */
  stream: string;
  ttlMs: number;
  holdfast: Holdfast;
}

export class Subscriber {
  private readonly name: string;
  private readonly stream: string;
  private readonly seats: Semaphore;
  private leave = new AbortController();
  private handedOff = false;
  private renewals = 0;
  /** When the lease ends if no renewal gets through any more. */
  private endsAt = 0;

  constructor({ name, stream, ttlMs, holdfast }: Means) {
    this.name = name;
    this.stream = stream;
    this.seats = holdfast.semaphore(SEATS.name, { limit: SEATS.limit, ttlMs, slots: true });
    holdfast.on('acquired', (event) => {
      this.handedOff = event.handedOff;
    });
    holdfast.on('renewed', ({ remainingMs }) => {
      this.renewals++;
      this.endsAt = machineNow() + remainingMs;
    });
  }

  async subscribe(): Promise<void> {
    this.leave = new AbortController();
    const askedAt = machineNow();
    const lease = await this.seats.acquire({ waitMs: WAIT_MS });
    this.begin(lease, machineNow() - askedAt);
    try {
      tell<Happening>({ is: 'closed', ...(await this.listen(lease)) });
    } finally {
      // A lost lease ends by itself, so it does not matter then whether this gets through.
      await lease.release().catch(() => {});
    }
    tell<Happening>({ is: 'done' });
  }

  end(): void {
    this.leave.abort();
  }

  private begin(lease: SemaphoreLease, waitedMs: number): void {
    this.renewals = 0;
    this.endsAt = machineNow() + lease.remainingMs();
    const { handedOff } = this;
    tell<Happening>({
      is: 'seated',
      seat: slotOf(lease).slot,
      token: lease.fencingToken,
      handedOff,
      waitedMs,
    });
    lease.signal.addEventListener('abort', () =>
      tell<Happening>({ is: 'told', reason: lease.lost?.reason, endsAt: this.endsAt }),
    );
  }

  /** Handing `lease.signal` to the request is all it takes: a lost lease closes the connection. */
  private async listen(lease: SemaphoreLease): Promise<Heard> {
    const heard = { token: lease.fencingToken, renewals: 0, events: 0, missed: 0 };
    const signal = AbortSignal.any([lease.signal, this.leave.signal]);
    try {
      const response = await fetch(this.stream, { signal, headers: this.ticket(lease) });
      if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`);
      tell<Happening>({ is: 'listening' });
      await count(eventIds(response.body), heard);
      throw new Error('the server ended the stream');
    } catch (error) {
      if (!this.leave.signal.aborted && lease.lost === undefined) throw error;
    }
    return { ...heard, renewals: this.renewals };
  }

  /** The server refuses an older token for the same seat: the last resort against a subscriber that was stopped. */
  private ticket(lease: SemaphoreLease): Record<string, string> {
    const { slot, fencingToken } = slotOf(lease);
    return { 'x-subscriber': this.name, 'x-seat': String(slot), 'x-seat-token': String(fencingToken) };
  }
}

function slotOf({ slots: [slot] }: SemaphoreLease): Slot {
  if (!slot) throw new Error('the lease has no slot');
  return slot;
}

async function count(ids: AsyncIterable<number>, heard: Heard): Promise<void> {
  let last: number | undefined;
  for await (const id of ids) {
    heard.events++;
    heard.missed += last === undefined ? 0 : id - last - 1;
    last = id;
  }
}

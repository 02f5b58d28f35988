import type { Subscriber, SubscriberEvents } from '../client.ts';
import { Line, type Pulse } from './line.ts';
import { isRefusal, movedTo, type OpenLink } from './link.ts';
import { Pauses } from './pauses.ts';
import { newPlace, type Place } from './place.ts';

/**
 * Keeps channels subscribed, whatever happens to the connections: each wanted channel is placed on a line, and placed
 * anew when its line breaks or the server drops it. In a cluster there is a line per node, and MOVED shows the way.
 *
 * It guarantees: at most one subscription per channel, so no message twice; `resubscribed` only after the server has
 * confirmed again; after `close` nothing runs. It does not guarantee messages sent during an interruption.
 */

const PULSE: Pulse = { pingEveryMs: 10_000, answerWithinMs: 5_000 };
const MAX_HOPS = 5;
/** In a cluster the news of a fail-over needs a moment to get around. */
const FIRST_PAUSE = { single: 1, cluster: 3 };
/**
 * A node that dropped a channel would take it again after a fail-over, being a replica of the new owner. Others may
 * still name it for a moment; after so many failures (about a second) it really is the owner once more.
 */
const BELIEVED_AFTER = 6;

export interface Wiring {
  readonly open: OpenLink;
  /**
   * The cluster node to ask for a channel. One that was `tried` has failed or dropped it: the map of slots is stale.
   */
  readonly homeOf?: (
    channel: string,
    tried: string | undefined,
  ) => string | undefined | Promise<string | undefined>;
  readonly pulse?: Pulse | undefined;
}

export class Subscriptions implements Subscriber {
  readonly #wiring: Wiring;
  readonly #events: SubscriberEvents;
  readonly #places = new Map<string, Place>();
  readonly #lines = new Map<string, Line>();
  readonly #pauses = new Pauses();
  #displaced: string[] = [];
  #closed = false;

  constructor(wiring: Wiring, events: SubscriberEvents) {
    this.#wiring = wiring;
    this.#events = events;
  }

  subscribe(channel: string): Promise<void> {
    if (this.#closed) return Promise.reject(closedError());
    const known = this.#places.get(channel);
    if (known) return known.first;
    const place = newPlace();
    this.#places.set(channel, place);
    void this.#settle(channel, place, 0);
    return place.first;
  }

  async unsubscribe(channel: string): Promise<void> {
    const place = this.#places.get(channel);
    if (!place) return;
    this.#places.delete(channel);
    place.reject(new Error('unsubscribed before the server had confirmed the subscription'));
    const { line } = place;
    place.line = undefined;
    // One that breaks now has no subscriptions left either.
    await line?.unsubscribe(channel).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const place of this.#places.values()) place.reject(closedError());
    this.#places.clear();
    for (const line of [...this.#lines.values()]) line.end(closedError());
    this.#pauses.end();
  }

  /** Until the channel is placed, refused or no longer wanted. Never rejects. */
  async #settle(channel: string, place: Place, failures: number): Promise<void> {
    place.moving = true;
    for (let failed = failures; this.#wanted(channel, place); failed++) {
      if (failed > 0) await this.#pauses.take(failed - 1);
      if (!this.#wanted(channel, place)) break;
      try {
        await this.#attach(channel, place, failed);
        return;
      } catch (error) {
        if (isRefusal(error)) this.#refused(channel, place, error as Error);
      }
    }
    place.moving = false;
  }

  async #attach(channel: string, place: Place, failed: number): Promise<void> {
    let address = await this.#wiring.homeOf?.(channel, place.tried);
    for (let hops = 0; this.#wanted(channel, place); hops++) {
      place.tried = address;
      if (address !== undefined && address === place.left && failed < BELIEVED_AFTER)
        throw new Error('the node that dropped the channel is not its home');
      const line = this.#lineTo(address);
      // Before the answer: the end of the line, or of the subscription, may come in one packet with it.
      place.line = line;
      try {
        await line.subscribe(channel);
        if (place.line !== line) throw new Error('subscribed, and lost at once');
        // Without a turn in between, in which it could be displaced while nobody looks after it.
        place.moving = false;
        place.confirmed = true;
        place.resolve();
        return;
      } catch (error) {
        if (place.line === line) place.line = undefined;
        address = movedTo(error);
        if (address === undefined || hops === MAX_HOPS) throw error;
      }
    }
  }

  #lineTo(address: string | undefined): Line {
    const key = address ?? '';
    const known = this.#lines.get(key);
    if (known) return known;
    const line: Line = new Line(
      (events) => this.#wiring.open(address, events),
      {
        message: (channel, text) => {
          if (this.#places.get(channel)?.line === line) this.#events.message(channel, text);
        },
        dropped: (channel) => this.#displace(channel, line, 'dropped'),
      },
      () => this.#lineLost(key, line),
      this.#wiring.pulse ?? PULSE,
    );
    this.#lines.set(key, line);
    return line;
  }

  #lineLost(key: string, line: Line): void {
    if (this.#lines.get(key) === line) this.#lines.delete(key);
    for (const channel of this.#places.keys()) this.#displace(channel, line);
  }

  #displace(channel: string, line: Line, how?: 'dropped'): void {
    const place = this.#places.get(channel);
    if (place?.line !== line) return;
    place.line = undefined;
    place.left = how && place.tried;
    if (place.moving) return; // its own loop sees it
    // All that one packet or one broken line displaces comes back together.
    if (this.#displaced.push(channel) === 1) queueMicrotask(() => void this.#restore());
  }

  async #restore(): Promise<void> {
    const channels = this.#displaced;
    this.#displaced = [];
    await Promise.all(
      channels.map(async (channel) => {
        const place = this.#places.get(channel);
        // A first pause, so that a server that takes every subscription and drops it is not asked in a tight loop.
        if (place)
          await this.#settle(channel, place, FIRST_PAUSE[this.#wiring.homeOf ? 'cluster' : 'single']);
      }),
    );
    this.#endUnused(); // the nodes that channels have moved away from
    const left = channels.filter((channel) => this.#places.has(channel));
    // A channel that is on its way once more is reported by that later interruption.
    if (left.length > 0 && left.every((channel) => this.#inPlace(channel))) this.#events.resubscribed();
  }

  #inPlace(channel: string): boolean {
    const place = this.#places.get(channel);
    return place?.line !== undefined && !place.moving;
  }

  #refused(channel: string, place: Place, error: Error): void {
    this.#places.delete(channel);
    place.reject(error);
    // Only one that had been confirmed was ours to lose; the first refusal is the answer to `subscribe`.
    if (place.confirmed) this.#events.dropped(channel);
    this.#endUnused();
  }

  #endUnused(): void {
    const used = new Set([...this.#places.values()].map(({ line }) => line));
    for (const line of [...this.#lines.values()])
      if (!used.has(line)) line.end(new Error('no channel is on it'));
  }

  #wanted(channel: string, place: Place): boolean {
    return this.#places.get(channel) === place;
  }
}

function closedError(): Error {
  return new Error('the subscriber is closed');
}

/** What a process does when it first uses a server: leaves its card, and looks for what the owner should know. */
import { hostname } from 'node:os';
import type { Engine } from './engine.ts';

/** A card is written again when it is this old; it lives an hour. */
const CARD_AGE_MS = 1_200_000;

export class Introduction {
  private nextAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly engine: Engine,
    private readonly label: string | undefined,
  ) {}

  /** Called before each acquire; does something about three times an hour, in the background. */
  renew(): void {
    const { engine } = this;
    const now = engine.clock.now();
    if (now < this.nextAt) return;
    if (this.nextAt === Number.NEGATIVE_INFINITY) void engine.inBackground(this.advise());
    this.nextAt = now + CARD_AGE_MS;
    const card = JSON.stringify({ host: hostname(), pid: process.pid, label: this.label });
    void engine.inBackground(engine.store.announce(engine.clientId, card, engine.limits()));
  }

  private async advise(): Promise<void> {
    const { store, events } = this.engine;
    for (const { code, message } of await store.advice(this.engine.limits())) events.warn(code, message);
  }
}

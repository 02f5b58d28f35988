/** Who holds what within this process, and what they wait for. */
import type { Clock } from '../clock.ts';
import type { Subject } from '../errors.ts';
import type { Waits, WantedBy } from '../store/store.ts';
import type { MemoryServer } from './memory-server.ts';

export class MemoryWaits implements Waits {
  constructor(
    private readonly server: MemoryServer,
    private readonly clock: Clock,
    private readonly keyOf: (subject: Subject) => string,
    private readonly prefix: string,
  ) {}

  async holders(wanted: WantedBy): Promise<readonly string[] | undefined> {
    return this.server.names.get(this.keyOf(wanted))?.holders(this.clock.now(), wanted.permits) ?? [];
  }

  async note(digest: string, text: string | undefined, ttlMs: number): Promise<void> {
    const { notes } = this.server;
    if (text === undefined) notes.delete(this.prefix + digest);
    else notes.set(this.prefix + digest, { text, until: this.clock.now() + ttlMs });
  }

  async noted(digest: string): Promise<string | undefined> {
    const note = this.server.notes.get(this.prefix + digest);
    return note !== undefined && note.until > this.clock.now() ? note.text : undefined;
  }
}

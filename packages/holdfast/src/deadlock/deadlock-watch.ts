/**
 * Finds out whether a wait can ever end. Only for waits of somebody who holds something: it is noted under each of those leases what is waited
 * for, and then looked who holds that, and what *they* wait for. Whoever comes last into a circle finds it whole, since all others have noted theirs.
 *
 * A circle counts when a second look finds the same waits in the way of the same leases: a wait that has ended never comes back, so all of them
 * were there at one moment (a double collect: Afek et al., "Atomic Snapshots of Shared Memory", 1993). Everybody who sees it picks the same victim, the
 * youngest wait, and only that one gives up.
 *
 * Costs a round trip for each lease held, and two for each step of the chain, every 150 ms; nothing where nothing is held, or nothing waits.
 */

import { cardOf } from '../cards.ts';
import { pause } from '../deadline.ts';
import type { Engine } from '../engine.ts';
import { DeadlockError, ServerRefusedError } from '../errors.ts';
import type { Hold } from '../hold.ts';
import type { CallLimits, Holdable } from '../store/store.ts';
import { circleOf, type Graph, sameCircle, wayRound, youngestOf } from './graph.ts';
import { lookFrom } from './look.ts';
import { digestOf, note, unnote, type Wait } from './notes.ts';

const LOOK_MS = 150;

export interface Watched {
  readonly engine: Engine;
  readonly subject: Holdable;
  /** With which the wait asks. */
  readonly holderId: string;
  /** What its caller holds. */
  readonly holds: readonly Hold[];
  /** That of them which it would change. */
  readonly changes: Hold | undefined;
}

export class DeadlockWatch {
  private readonly over = new AbortController();
  private readonly found = new AbortController();
  private readonly wait: Wait;

  constructor(private readonly watched: Watched) {
    const { engine, subject, holderId, changes } = watched;
    const { kind, name, permits = 1 } = subject;
    const { clientId } = engine;
    const own = changes && { own: digestOf(changes.holderId) };
    this.wait = { id: digestOf(holderId), kind, name, permits, ...own, clientId, since: Date.now() };
    void engine.inBackground(this.run());
  }

  /** Aborts with a `DeadlockError` when the wait cannot end. */
  get signal(): AbortSignal {
    return this.found.signal;
  }

  /** The wait is over, one way or the other. */
  end(): void {
    this.over.abort();
  }

  private get isOver(): boolean {
    return this.over.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      await this.look().catch((error: unknown) => this.failed(error));
      await pause(LOOK_MS, this.over.signal);
    }
    await this.eachHold((hold) => unnote(hold, this.wait, this.limits()));
  }

  private async look(): Promise<void> {
    const { engine } = this.watched;
    await this.eachHold((hold) => note(hold, this.wait, this.limits()));
    const first = await lookFrom(engine.store, this.wait, this.limits());
    const circle = circleOf(first, this.wait.id);
    if (this.isOver || youngestOf(circle)?.id !== this.wait.id) return;
    const second = await lookFrom(engine.store, this.wait, this.limits());
    const lasts = sameCircle(first, second, circle) && circleOf(second, this.wait.id).length > 0;
    if (this.isOver || !lasts) return;
    this.found.abort(await this.deadlock(second, circle));
    this.end();
  }

  private async deadlock(graph: Graph, circle: readonly Wait[]): Promise<DeadlockError> {
    const { engine, subject } = this.watched;
    const now = Date.now();
    const waits = wayRound(graph, circle, this.wait.id);
    const links = waits.map(async ({ clientId, name, kind, since }, i) => {
      const { name: holds } = waits.at(i - 1) ?? this.wait;
      const process = await cardOf(engine, clientId);
      return { process, holds, waitsFor: name, kind, waitedMs: Math.max(0, now - since) };
    });
    return new DeadlockError(subject, await Promise.all(links));
  }

  private async eachHold(what: (hold: Hold) => Promise<void>): Promise<void> {
    await Promise.all(this.watched.holds.map(what));
  }

  /** Not to see it in time is no reason to give up a wait. */
  private failed(error: unknown): void {
    if (!(error instanceof ServerRefusedError) || error.reply !== 'NOPERM') return;
    this.watched.engine.events.warn('HOLDFAST_NO_DEADLOCK_DETECTION', NO_RIGHTS);
    this.end();
  }

  private limits(): CallLimits {
    // What comes too late may be sent no more: it would say of a wait that is over that it goes on.
    return { ...this.watched.engine.limits(), unwanted: () => this.isOver };
  }
}

const NO_RIGHTS =
  'the user of this connection may not ask who holds what, or not note what it waits for, so deadlocks are not found; grant +type, and +get +set +del on the keys behind the prefix that begin with holdfast:waits:';

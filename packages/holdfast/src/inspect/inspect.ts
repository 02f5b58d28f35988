/** Who holds a lock, for people and dashboards. Reads only, and never shows a holderId. */
import type { Engine } from '../engine.ts';
import type { LockKeys } from '../keys.ts';

export interface ProcessCard {
  /** Names the Holdfast instance; no secret. */
  readonly clientId: string;
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
  readonly label?: string | undefined;
}

export interface Inspection {
  readonly name: string;
  readonly state: 'held' | 'free';
  /** Held by another library, which says nothing about itself. */
  readonly foreign: boolean;
  /** Which process holds it; `host`, `pid` and `label` are missing when its card is gone (a flush, an hour after its last use). */
  readonly holder: ProcessCard | undefined;
  /** How long the lease has lasted, by the server's clock, in ms. */
  readonly heldForMs: number | undefined;
  /** Until it ends when nobody renews it, in ms; `undefined` when free, or when a foreign lock has no expiry. */
  readonly remainingMs: number | undefined;
  /** The last token given out for this name, when it is known. */
  readonly fencingToken: number | undefined;
  readonly queueLength: number;
}

export async function inspect(engine: Engine, keys: LockKeys): Promise<Inspection> {
  const { store } = engine;
  const seen = await store.inspect(keys, engine.limits());
  const held = seen.state !== 'free';
  const known = seen.state === 'ours' ? seen : undefined;
  return {
    name: keys.name,
    state: held ? 'held' : 'free',
    foreign: seen.state === 'foreign',
    holder: known && (await holderOf(engine, known.clientId)),
    // A token is the time of its grant in µs (or a little later, when the clock stepped back).
    heldForMs:
      known?.fencingToken === undefined
        ? undefined
        : Math.max(0, (seen.serverUs - known.fencingToken) / 1000),
    remainingMs: held && seen.remainingMs >= 0 ? seen.remainingMs : undefined,
    fencingToken: seen.fencingToken,
    queueLength: seen.queueLength,
  };
}

/** The card is a courtesy: where it cannot be read, the rest is told all the same. */
async function holderOf(engine: Engine, clientId: string): Promise<ProcessCard> {
  const card = await engine.store.card(clientId, engine.limits()).catch(() => undefined);
  return processCard(clientId, card);
}

/** Cards are written by other processes: only known fields of the right type are taken over. */
function processCard(clientId: string, text: string | undefined): ProcessCard {
  const card = { clientId, host: undefined, pid: undefined, label: undefined };
  if (text === undefined || text.length > 1_000) return card;
  try {
    const { host, pid, label } = JSON.parse(text) as Record<string, unknown>;
    return {
      clientId,
      host: typeof host === 'string' ? host : undefined,
      pid: typeof pid === 'number' ? pid : undefined,
      label: typeof label === 'string' ? label : undefined,
    };
  } catch {
    return card;
  }
}

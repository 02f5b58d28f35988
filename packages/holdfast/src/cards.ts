/** Which process stands behind a client id. Never shows a holderId. */
import type { Engine } from './engine.ts';

export interface ProcessCard {
  /** Names the Holdfast instance; no secret. */
  readonly clientId: string;
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
  readonly label?: string | undefined;
}

/** The cards of so many processes, each read once. */
export async function cardsOf(
  engine: Engine,
  clientIds: readonly string[],
): Promise<(clientId: string) => ProcessCard> {
  const all = await Promise.all([...new Set(clientIds)].map((id) => cardOf(engine, id)));
  const known = new Map(all.map((card) => [card.clientId, card]));
  return (clientId) => known.get(clientId) ?? { clientId };
}

/** The card is a courtesy: where it cannot be read, the rest is told all the same. */
export async function cardOf(engine: Engine, clientId: string): Promise<ProcessCard> {
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

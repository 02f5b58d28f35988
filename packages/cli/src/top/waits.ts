/** Who waits for whom: from processes that wait for one thing to those that hold it, and on to what these wait for. Pure. */
import type { ProcessCard } from 'holdfast';
import type { Entry } from '../look/overview.ts';
import { person } from '../run/busy.ts';

/** A chain that comes back to its start is a deadlock; a longer one than this is not followed. */
const MAX_LENGTH = 8;

/**
 * One line for each process that waits: `web-1/12 → orders (web-2/40) → stock (web-1/12) DEADLOCK?`. Only the holder that ends first is followed.
 */
export function waitChains(entries: readonly Entry[], most: number): string[] {
  const waitsFor = new Map<string, { readonly entry: Entry; readonly who: string }>();
  for (const entry of entries)
    for (const { waiter } of entry.queue)
      if (!waitsFor.has(waiter.clientId)) waitsFor.set(waiter.clientId, { entry, who: person(waiter) });
  const lines: string[] = [];
  for (const [clientId, { who }] of waitsFor) {
    if (lines.length === most) break;
    lines.push(`${who}${chain(clientId, waitsFor)}`);
  }
  return lines;
}

function chain(start: string, waitsFor: ReadonlyMap<string, { readonly entry: Entry }>): string {
  let text = '';
  let waiting: string | undefined = start;
  for (let length = 0; waiting !== undefined && length < MAX_LENGTH; length++) {
    const entry: Entry | undefined = waitsFor.get(waiting)?.entry;
    if (entry === undefined) return text;
    const holder: ProcessCard | undefined = entry.holders[0]?.holder;
    text += ` → ${entry.name}${holder === undefined ? '' : ` (${person(holder)})`}`;
    // An instance may both hold and wait without its being one thread of work: hence the question mark.
    if (holder?.clientId === start) return length === 0 ? text : `${text} DEADLOCK?`;
    waiting = holder?.clientId;
  }
  return text;
}

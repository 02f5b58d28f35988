/** Who is in the way, for the one line that `run` prints. */
import type { Holdfast, ProcessCard } from 'holdfast';
import { shortly } from '../say/duration.ts';

/** ` (host/123, run backup, for 12 s)`; nothing when it cannot be told. */
export async function whoHolds(holdfast: Holdfast, name: string, isSemaphore: boolean): Promise<string> {
  try {
    if (isSemaphore) {
      const { held, limit } = await holdfast.semaphore(name).inspect();
      return ` (${held} of ${limit ?? '?'} permits are held)`;
    }
    const { holder, heldForMs, foreign } = await holdfast.inspect(name);
    if (foreign) return ' (held by another library)';
    if (holder === undefined) return '';
    return ` (${person(holder)}, for ${shortly(heldForMs)})`;
  } catch {
    return '';
  }
}

/** `host/123 (label)`; the client's id where the card is gone. */
export function person({ host, pid, label, clientId }: ProcessCard): string {
  const who = host === undefined ? clientId : `${host}/${pid ?? '?'}`;
  return label === undefined ? who : `${who} (${label})`;
}

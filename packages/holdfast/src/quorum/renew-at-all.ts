/** A renewal at all nodes, and the top-up of those that have lost the lease. */

import type { Poll } from './polls.ts';
import type { Arena } from './rules.ts';
import type { Answer } from './votes.ts';

export interface Renewal<T, C> {
  renew(node: number): Promise<T>;
  /** What a majority has renewed; `undefined` as long as none has. */
  confirmed(answers: readonly Answer<T>[]): C | undefined;
  /** Whatever is still to come changes nothing. */
  decided(answers: readonly Answer<T>[]): boolean;
  /** The node has lost (a part of) the lease, and nobody else has it there. */
  lacks(reply: T): boolean;
  topUp(node: number, confirmed: C): Promise<unknown>;
  giveBack(node: number): Promise<unknown>;
}

/** Resolves with what is certain, and tops up in the background: only once a majority is certain, and not once the lease was released. */
export async function renewAtAll<T, C>(
  { quorum, polls }: Arena,
  value: string,
  renewal: Renewal<T, C>,
): Promise<{ readonly confirmed: C | undefined; readonly answers: readonly Answer<T>[] }> {
  const poll = polls.begin(value, quorum.nodes.length);
  let certain: (confirmed: C) => void = () => {};
  const byMajority = new Promise<C>((resolve) => {
    certain = resolve;
  });
  const one = async (node: number) => {
    const reply = await renewal.renew(node).finally(() => poll.settled());
    if (renewal.lacks(reply)) void byMajority.then((confirmed) => topUp(node, confirmed, poll));
    return reply;
  };
  /** Given back when the lease was released meanwhile. */
  const topUp = (node: number, confirmed: C, { ended }: Poll) => {
    if (ended) return;
    const own = polls.begin(value, 1);
    renewal
      .topUp(node, confirmed)
      .finally(() => own.settled())
      .then(() => (own.ended ? renewal.giveBack(node) : undefined))
      .catch(() => {});
  };
  const answers = await quorum.ask({
    ask: one,
    decided: (sofar) => renewal.confirmed(sofar) !== undefined || renewal.decided(sofar),
  });
  const confirmed = renewal.confirmed(answers);
  if (confirmed !== undefined) certain(confirmed);
  return { confirmed, answers };
}

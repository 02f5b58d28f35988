/** The release of a lease, or the end of a wait, at all nodes. */

import type { Ballot } from '../store/redis-voter.ts';
import type { CallLimits, QueueEntry, ReleaseReply } from '../store/store.ts';
import { type Arena, FOR_EVER, type Rules } from './rules.ts';
import { answered, isDecided, verdict } from './votes.ts';

/**
 * Resolves as soon as a majority has said the same. With an entry the acquire as a whole is over, so whatever any node gave it is given back.
 * @param value `holderId:fencingToken`, or the holderId alone of a waiter that gives up
 */
export async function releaseAtAll<B extends Ballot, V>(
  { quorum, polls, proposals }: Arena,
  rules: Rules<B, V>,
  value: string,
  limits: CallLimits,
  entry: QueueEntry | undefined,
): Promise<ReleaseReply> {
  const [holderId = '', token] = value.split(':');
  const over = entry !== undefined;
  const giveBack = (node: number) =>
    void rules
      .release(node, holderId, quorum.stamps.next(0), quorum.nodeLimits(FOR_EVER), entry)
      .catch(() => {});
  if (over) proposals.ended(holderId, giveBack);
  else proposals.declined(holderId);
  const named = over ? holderId : value;
  polls.end(named);
  const deadlineAt = quorum.nodeDeadline(limits);
  const nodeLimits = { deadlineAt, untimed: true, resent: limits.resent };
  const stamp = quorum.stamps.next(Number(token ?? 0));
  const answers = await quorum.ask({
    ask: (i) => rules.release(i, named, stamp, nodeLimits, entry),
    // Whoever gives up wants to be out of every queue.
    decided: (sofar) => token !== undefined && isDecided(sofar, wasOurs),
    deadlineAt,
    subject: rules.subject,
  });
  const replies = answered(answers);
  if (verdict(answers, wasOurs) === true)
    return replies.find((reply) => reply !== 'released' && wasOurs(reply)) ?? 'released';
  const gone = replies.filter((reply) => !wasOurs(reply));
  if (gone.length <= quorum.nodes.length - quorum.majority)
    throw quorum.error(rules.subject, answers, (reply) => reply);
  return gone.includes('lost') ? 'lost' : 'expired';
}

function wasOurs(reply: ReleaseReply): boolean {
  return reply !== 'expired' && reply !== 'lost';
}

/** The release of somebody else's lease, at all nodes. */
import type { Subject } from '../errors.ts';
import { tokenIn } from '../holder-id.ts';
import type { CallLimits, ReleaseReply } from '../store/store.ts';
import type { Quorum } from './quorum.ts';
import { answered, never, verdict } from './votes.ts';

export interface Forced {
  /** What that node has of it: a value, which is compared again when it is deleted. */
  valueAt(node: number, limits: CallLimits): Promise<string | undefined>;
  /** Which lease; `undefined` = the one that most nodes have. */
  readonly fencingToken: number | undefined;
  release(node: number, value: string, stamp: number, limits: CallLimits): Promise<ReleaseReply>;
}

/** Two round trips. A majority has to answer; a lease that only a minority has is released there. */
export async function forceReleaseAtAll(
  quorum: Quorum,
  subject: Subject,
  limits: CallLimits,
  { valueAt, fencingToken, release }: Forced,
): Promise<ReleaseReply> {
  await quorum.ready(subject, limits);
  const nodeLimits = quorum.nodeLimits(limits);
  const found = await quorum.ask({ ask: (i) => valueAt(i, nodeLimits), decided: never });
  const values = answered(found);
  const shown = (value: string | undefined) => (value === undefined ? 'free' : 'held');
  if (values.length < quorum.majority) throw quorum.error(subject, found, shown);
  const value = chosen(values, fencingToken);
  if (value === undefined) return values.some((other) => other !== undefined) ? 'lost' : 'expired';
  const stamp = quorum.stamps.next(tokenIn(value) ?? 0);
  const releaseLimits = quorum.nodeLimits(limits);
  const answers = await quorum.ask({ ask: (i) => release(i, value, stamp, releaseLimits), decided: never });
  if (verdict(answers, () => true) !== true) throw quorum.error(subject, answers, (reply) => reply);
  const replies = answered(answers).filter((reply) => reply !== 'expired' && reply !== 'lost');
  return replies.find((reply) => reply !== 'released') ?? replies[0] ?? 'expired';
}

function chosen(
  values: readonly (string | undefined)[],
  fencingToken: number | undefined,
): string | undefined {
  const there = values.filter((value) => value !== undefined);
  if (fencingToken !== undefined) return there.find((value) => tokenIn(value) === fencingToken);
  const votes = (value: string) => there.filter((other) => other === value).length;
  return there.sort((a, b) => votes(b) - votes(a))[0];
}

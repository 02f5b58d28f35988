/**
 * Two ways to send commands that need no reply of each other. A pipeline saves round trips, and that is all: other clients' commands go
 * between its own. Only with MULTI and EXEC around it nothing comes between; the chapter's pipelines are sent so.
 */
import type { Command, ExploredActor } from '../../explore/scenario.ts';

/** Returns the replies. `make` is called once, before the first command goes. */
export type Pipeline = (actor: ExploredActor, make: () => readonly Command[]) => Promise<readonly unknown[]>;

export const oneByOne: Pipeline = async (actor, make) => {
  const replies: unknown[] = [];
  for (const command of make()) replies.push(await actor.send(...command));
  return replies;
};

export const inMulti: Pipeline = (actor, make) => actor.transaction(make);

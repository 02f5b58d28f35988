/** Holdfast, its commands given to the explorer one by one: a client of the library's own client seam. */
import { type Client, type Command, Holdfast } from 'holdfast';
import type { ExploredActor } from '../explore/scenario.ts';

/** What a process says about itself, and looks for, in the background; and its own test whether it may publish. */
const ASIDE = new Set(['SET', 'INFO', 'PUBSUB', 'PUBLISH']);

export interface HoldfastActor {
  readonly holdfast: Holdfast;
  /** What the script calls that follow are shown as. */
  doing: string;
}

/** Its scripts must be known to the server (`warmUp`), or each would take two commands. */
export function holdfastOf(actor: ExploredActor): HoldfastActor {
  const own: HoldfastActor = { holdfast: new Holdfast(clientOf(actor, () => own.doing)), doing: '' };
  return own;
}

function clientOf(actor: ExploredActor, doing: () => string): Client {
  return {
    kind: 'explorer',
    keyPrefix: '',
    cluster: false,
    state: 'usable',
    drops: 0,
    send: (command) =>
      ASIDE.has(command.name)
        ? actor.aside(...wire(command))
        : actor.sendAs(`${doing()} script`, ...wire(command)),
    // Two turns, so that the others come between: on a real connection they are one write, but not one step.
    sendPair: (first, second) => {
      const taken = actor.sendAs(`${doing()}: ${first.name}`, ...wire(first));
      return [taken, taken.then(() => actor.sendAs(`${doing()}: ${second.name}`, ...wire(second)))];
    },
    openSubscriber: async (events) => ({
      subscribe: (channel) => actor.listen(channel, (text) => events.message(channel, text)),
      unsubscribe: async () => {},
      close: async () => {},
    }),
    detach: () => {},
  };
}

const wire = ({ name, head = [], keys, tail = [] }: Command) => [name, ...head, ...keys, ...tail] as const;

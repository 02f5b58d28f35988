/** No lock: each command is atomic, the two together are not. */
import type { Actor, End, Step } from '../explore/scenario.ts';

/** Also the work under the locks of the steps to come. */
export async function buy(actor: Actor): Promise<boolean> {
  const stock = Number(await actor.send('GET', 'stock'));
  if (stock < 1) return false;
  await actor.send('SET', 'stock', stock - 1);
  actor.note('sells a ticket');
  return true;
}

export function soldTwice({ outcomes }: End): string | undefined {
  const sold = Object.values(outcomes).filter((one) => one.is === 'done' && one.value === true).length;
  return sold > 1 ? `${sold} tickets were sold, there was 1` : undefined;
}

export const checkThenAct: Step = {
  id: '0',
  name: 'check-then-act',
  about:
    'Two buyers read the stock, decide, and write. Redis runs each command atomically, but what was read may be old when it is acted on.',
  scenarios: [
    {
      name: 'two buyers, one ticket',
      about: 'A and B both want the last ticket.',
      setup: [['SET', 'stock', 1]],
      shows: ['stock'],
      actors: { A: buy, B: buy },
      verdict: soldTwice,
      expects: 'bug',
    },
  ],
};

/** Takes what it is told to, one within the other, in a program's usual way: gives all back and begins anew when it is a deadlock's victim. */
import { Holdfast } from 'holdfast';
import { connect } from './connect.mjs';

const [, , kind, port, label] = process.argv;
const { client, end } = await connect(kind, port);
const holdfast = new Holdfast(client, { label, waitMs: 20_000 });

const kinds = {
  lock: ({ name }) => holdfast.lock(name),
  semaphore: ({ name, limit }) => holdfast.semaphore(name, { limit }),
};

async function within([first, ...others], innermost) {
  if (first === undefined) return innermost();
  await kinds[first.kind](first).use(() => within(others, innermost));
}

/** Told of each part before it is asked for. */
async function inTurn(parts, say) {
  try {
    await within([parts[0]], async () => {
      say({ holds: parts[0].name });
      await new Promise((resolve) => process.once('message', resolve));
      await within(parts.slice(1), async () => {});
    });
    say({ outcome: 'done' });
  } catch (error) {
    say({ outcome: error.name, cycle: error.cycle, message: error.message });
  }
}

async function work({ rounds, parts }) {
  const seen = { done: 0, deadlocks: 0, others: [] };
  for (const order of rounds) {
    const wanted = order.map((i) => parts[i]);
    for (let again = true; again; ) {
      again = false;
      await within(wanted, () => void seen.done++).catch((error) => {
        again = error.name === 'DeadlockError';
        if (again) seen.deadlocks++;
        else seen.others.push(`${error.name}: ${error.message}`);
      });
    }
  }
  process.send({ seen });
}

process.on('message', async (message) => {
  if (message.parts && message.rounds) await work(message);
  else if (message.parts) await inTurn(message.parts, (said) => process.send(said));
  else if (message === 'end') {
    await holdfast.close();
    end();
    process.disconnect();
  }
});
process.send('ready');

/** Why a lease has a token: a holder that was stopped for too long writes after its successor, and the resource refuses it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorker } from '../../../testkit/src/index.ts';
import { FencedResource, type Shown } from '../suites/storm/resource.ts';
import { freshName, Nodes } from './support/nodes.ts';

const TTL_MS = 500;
type Message = Shown & { readonly n: number };

it('the late write of a holder that was stopped is refused by its token', async () => {
  await using nodes = await Nodes.start(3);
  await using other = await nodes.open();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fencing-'));
  const name = freshName();
  const settings = {
    ports: nodes.ports,
    file: join(folder, 'x'),
    names: [name],
    ttlMs: TTL_MS,
    waitMs: 5_000,
  };
  await using holder = startWorker(new URL('./workers/contender.mjs', import.meta.url), {
    args: [JSON.stringify(settings)],
  });
  const resource = new FencedResource();
  const entered = await holder.waitFor<Message>(({ what }) => what === 'enter');
  resource.take(entered);
  // It holds, and is about to write: until the resource has answered it does nothing else.
  holder.stop();
  const next = await other.holdfast.lock(name).acquire({ waitMs: 10_000 });
  resource.take({ id: 'next', name, what: 'enter', slots: [[0, next.fencingToken]] });
  holder.cont();
  holder.send({ n: entered.n });
  resource.take(await holder.waitFor<Message>(({ what, id }) => what === 'leave' && id === entered.id));
  resource.take({ id: 'next', name, what: 'leave', slots: [[0, next.fencingToken]] });
  expect(resource.operations.map(({ id, accepted }) => [id, accepted])).toEqual([
    [entered.id, true],
    ['next', true],
    [entered.id, false],
    ['next', true],
  ]);
  expect(await next.release()).toBe('released');
  rmSync(folder, { recursive: true });
});

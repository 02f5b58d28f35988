/// <reference path="./redlock.d.ts" />
/** redlock 5, and a fork of it with the same algorithm. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redlock as Fork } from '@sesamecare-oss/redlock';
import Redlock, { type Settings } from 'redlock';
import { type Contender, type Opened, TTL_MS } from './contender.ts';

/**
 * A try that won no majority keeps the votes it got while redlock waits to try again, and its own votes then count against
 * it. With many waiters each node soon belongs to another one and nobody gets on until somebody gives up, whatever the
 * delay. What helps is to make every try a call of its own, since a call that fails gives its votes back.
 */
const SINGLE: Partial<Settings> = { retryCount: 0 };
const MAX_PAUSE_MS = 20;

function opened(redlock: Pick<Redlock, 'acquire'>, name: string): Opened {
  return {
    acquire: async () => {
      const lock = await redlock.acquire([name], TTL_MS);
      return () => lock.release();
    },
  };
}

function again({ acquire }: Opened): Opened {
  return {
    acquire: async () => {
      for (;;) {
        try {
          return await acquire();
        } catch {
          await sleep(Math.random() * MAX_PAUSE_MS);
        }
      }
    },
  };
}

export const redlock: Contender = {
  id: 'redlock',
  label: 'redlock 5',
  open: async (nodes, name) => opened(new Redlock(nodes), name),
};

export const redlockAgain: Contender = {
  id: 'redlock-again',
  label: 'redlock 5, single tries',
  open: async (nodes, name) => again(opened(new Redlock(nodes, SINGLE), name)),
};

export const fork: Contender = {
  id: 'sesamecare-redlock',
  label: '@sesamecare-oss/redlock 1.4',
  open: async (nodes, name) => opened(new Fork(nodes), name),
};

export const forkAgain: Contender = {
  id: 'sesamecare-redlock-again',
  label: '@sesamecare-oss/redlock 1.4, single tries',
  open: async (nodes, name) => again(opened(new Fork(nodes, SINGLE), name)),
};

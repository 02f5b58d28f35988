/// <reference path="./redlock.d.ts" />
import type { Redis } from 'ioredis';
import Redlock from 'redlock';

export function redlockOn(redis: Redis): Redlock {
  return new Redlock([redis]);
}

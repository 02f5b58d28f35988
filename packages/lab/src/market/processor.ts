/** Where the processor's time went, so that a table made on a busy machine says so itself. */
import { cpus } from 'node:os';
import type { Redis } from 'ioredis';

export interface ProcessorTime {
  /** Of the server. */
  readonly serverUs: number;
  /** Of everything on this machine, and what it could have given. */
  readonly machineBusyMs: number;
  readonly machineMs: number;
}

export async function processorTime(redis: Redis): Promise<ProcessorTime> {
  const info = await redis.info('cpu');
  const seconds = (kind: string) =>
    Number(new RegExp(`^used_cpu_${kind}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
  const times = cpus().map((cpu) => cpu.times);
  const machineMs = times.reduce(
    (all, { user, nice, sys, irq, idle }) => all + user + nice + sys + irq + idle,
    0,
  );
  const idleMs = times.reduce((all, { idle }) => all + idle, 0);
  return {
    serverUs: (seconds('user') + seconds('sys')) * 1e6,
    machineBusyMs: machineMs - idleMs,
    machineMs,
  };
}

export function spent(from: ProcessorTime, to: ProcessorTime): ProcessorTime {
  return {
    serverUs: to.serverUs - from.serverUs,
    machineBusyMs: to.machineBusyMs - from.machineBusyMs,
    machineMs: to.machineMs - from.machineMs,
  };
}

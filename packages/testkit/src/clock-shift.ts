import { execFile } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onPath } from './server-binary.ts';

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL('../native/clock-shift.c', import.meta.url));

/** Moves the wall clock of the processes that have the library preloaded; their monotonic clock stays true. */
export interface ClockShift {
  /** The shared library to preload. */
  library: string;
  /** What the process needs in its environment besides the preload. */
  env: { CLOCK_SHIFT_FILE: string };
  /** Sets the distance from the true time, in milliseconds; 0 is the true time. */
  shift(ms: number): void;
}

export type MaybeClockShift = ClockShift | { unavailable: string };

/** Compiles the library into `folder`. Where that cannot be done it says why. */
export async function makeClockShift(folder: string): Promise<MaybeClockShift> {
  if (process.platform !== 'linux')
    return { unavailable: `clock shift unavailable: not on ${process.platform}` };
  const compiler = onPath('cc');
  if (!compiler) return { unavailable: 'clock shift unavailable: no C compiler (cc) on PATH' };
  const library = join(folder, 'clock-shift.so');
  try {
    await run(compiler, ['-O1', '-fPIC', '-shared', '-o', library, SOURCE]);
  } catch (error) {
    return { unavailable: `clock shift unavailable: ${(error as Error).message.trim()}` };
  }
  return shiftThrough(library, join(folder, 'clock-shift.micros'));
}

function shiftThrough(library: string, file: string): ClockShift {
  writeFileSync(file, Buffer.alloc(8));
  return { library, env: { CLOCK_SHIFT_FILE: file }, shift: (ms) => overwrite(file, ms) };
}

/** Written in place, in one call: the file is mapped by the running process. */
function overwrite(file: string, ms: number): void {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(Math.round(ms * 1000)));
  const fd = openSync(file, 'r+');
  writeSync(fd, bytes, 0, 8, 0);
  closeSync(fd);
}

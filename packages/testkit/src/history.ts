/*
 * Histories of what processes did, one file per process: one JSON line per event, in the file before `record` returns,
 * so that kill -9 costs at most the line being written. CLOCK_MONOTONIC is one clock for all processes of a machine,
 * therefore the files of several processes can be merged by `t`.
 */
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

export interface HistoryEvent {
  /** Nanoseconds on the machine's monotonic clock. */
  t: bigint;
  type: string;
  [field: string]: unknown;
}

export interface History {
  /** Appends an event with the time now. A bigint field is written as a string. */
  record(event: { type: string; [field: string]: unknown }): void;
  close(): void;
}

/** Opens a history to append to; a line torn by the death of its last writer is cut off first. */
export function openHistory(file: string): History {
  if (existsSync(file)) cutTornLine(file);
  const fd = openSync(file, 'a');
  return {
    record: (event) => void writeSync(fd, `${toLine(event)}\n`),
    close: () => closeSync(fd),
  };
}

function toLine(event: { type: string; [field: string]: unknown }): string {
  const stamped = { t: process.hrtime.bigint(), ...event };
  return JSON.stringify(stamped, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

function cutTornLine(file: string): void {
  const whole = readFileSync(file).lastIndexOf('\n') + 1;
  truncateSync(file, whole);
}

/** All events of all files, by time. A torn last line is left out; any other unreadable line is an error. */
export function readHistory(files: readonly string[]): HistoryEvent[] {
  return files.flatMap(readFile).sort((a, b) => (a.t < b.t ? -1 : a.t > b.t ? 1 : 0));
}

function readFile(file: string): HistoryEvent[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.pop(); // what follows the last line end: nothing, or a torn line
  return lines.map((line, i) => parseLine(line, `${file}:${i + 1}`));
}

function parseLine(line: string, where: string): HistoryEvent {
  try {
    const event = JSON.parse(line);
    return { ...event, t: BigInt(event.t) };
  } catch (error) {
    throw new Error(`${where} is not an event: ${line.slice(0, 80)}`, { cause: error });
  }
}

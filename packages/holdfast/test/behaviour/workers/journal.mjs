/** What a process of a storm writes down: what it knows, when it knows it. */
import { openSync, writeSync } from 'node:fs';

/** Writes to `file`; also what a program must never have: an unhandled rejection, an exception, a warning. */
export function journal(file) {
  const out = openSync(file, 'a');
  const record = (type, fields, t = process.hrtime.bigint()) => {
    writeSync(out, `${JSON.stringify({ t: String(t), type, ...fields })}\n`);
  };
  const fault = (what) => (error) => record('fault', { what: `${what}: ${error?.stack}` });
  process.on('unhandledRejection', fault('unhandled rejection'));
  process.on('uncaughtException', fault('uncaught exception'));
  process.on('warning', fault('warning'));
  return record;
}

/** The leases that this process holds as far as it knows, by name and token; their renewal and loss is written down. */
export function heldLeases(holdfast, record) {
  const held = new Map();
  const keyOf = ({ name, fencingToken }) => `${name} ${fencingToken}`;
  holdfast.on('renewed', (event) => {
    const one = held.get(keyOf(event));
    if (one === undefined) return;
    const t = process.hrtime.bigint();
    record('renewed', { id: one.id, remainingMs: one.lease.remainingMs() }, t);
  });
  holdfast.on('lost', (event) => {
    const one = held.get(keyOf(event));
    if (one !== undefined) record('lost', { id: one.id, name: event.name, reason: event.reason });
  });
  return { held, keyOf };
}

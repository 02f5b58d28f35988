/** `npm run bench`: every figure is a ratio within this run. It prints what was reached beside what was aimed at, and never fails on a time. */
import { findServer } from '@holdfast/testkit';
import { type Arguments, helpText, readArguments } from './arguments.ts';
import type { Outcome } from './part.ts';
import { parts } from './parts.ts';

function argumentsOrExit(): Arguments {
  try {
    return readArguments(process.argv.slice(2), parts);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const settings = argumentsOrExit();
if (settings.help) {
  console.log(helpText(parts));
  process.exit();
}

const server = (await findServer())?.label;
const outcomes: Outcome[] = [];
for (const part of settings.parts) {
  process.stderr.write(`${part.what} …\n`);
  outcomes.push(await part.run(settings));
}

if (settings.json) {
  const head = { server, node: process.version, quick: settings.quick };
  console.log(JSON.stringify(Object.assign(head, ...outcomes.map(({ figures }) => figures)), null, 2));
} else {
  console.log(`\n${server}, Node ${process.version}${settings.quick ? ', quick run: expect noise' : ''}\n`);
  for (const { what, reached, aim, met } of outcomes.flatMap(({ rows }) => rows))
    console.log(
      `${what.padEnd(58)} ${reached.padStart(10)}   aim ${aim.padEnd(9)} ${met ? 'reached' : 'NOT REACHED'}`,
    );
  console.log(`\n${outcomes.flatMap(({ notes }) => notes).join('\n')}`);
}

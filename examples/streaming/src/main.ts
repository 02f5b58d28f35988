/* The streaming example: `npm run streaming`. See --help. */
import {
  bad,
  type Cleanup,
  chooseStory,
  dim,
  jsonDocument,
  number,
  runProgram,
} from '@holdfast/example-common';
import { broken, type Result } from './result.ts';
import { run } from './run.ts';
import { summaryTable } from './table.ts';

const HELP = `Usage: npm run streaming [-- --json | --help]

Shows in about eight seconds how a semaphore guards something long: a server
pushes prices to subscribers, each of which holds a seat for as long as it is
connected. One leaves, one loses Redis, one is killed, one stays.

  --json   print one JSON document with what was measured, and nothing else
  --help   print this

It uses the server of REDIS_URL (its own keys only), else it starts a
redis-server or valkey-server from PATH, else a private copy unpacked into
.servers/. NO_COLOR switches colours off.
`;

const NEXT = `The code to copy is in examples/streaming/src/subscriber.ts: acquire, pass
lease.signal to what is long, release at its end.`;

await runProgram({ help: HELP, show });

async function show(json: boolean, cleanup: Cleanup): Promise<number> {
  const result = await run(chooseStory(json), cleanup);
  await cleanup.run();
  process.stdout.write(json ? jsonDocument(result) : ending(result));
  const why = broken(result);
  if (why) process.stderr.write(`${bad('This should not be')}: ${why}.\n`);
  return why ? 1 : 0;
}

function ending(result: Result): string {
  const took = dim(`All of it measured in this run, in ${number(result.tookMs / 1000, 1)} s.`);
  return `\n${summaryTable(result)}\n${took}\n${NEXT}\n`;
}

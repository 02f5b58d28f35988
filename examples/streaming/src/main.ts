/* The streaming example: `npm run streaming`. See --help. */
import { chooseStory, runProgram } from '@holdfast/example-common';
import { broken } from './result.ts';
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

await runProgram({
  help: HELP,
  run: (json, cleanup) => run(chooseStory(json), cleanup),
  summary: summaryTable,
  broken,
  next: NEXT,
});

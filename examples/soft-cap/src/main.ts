/* The soft-cap example: `npm run soft-cap`. See --help. */
import { chooseStory, runProgram } from '@holdfast/example-common';
import { broken } from './result.ts';
import { run } from './run.ts';
import { summaryTable } from './table.ts';

const HELP = `Usage: npm run soft-cap [-- --json | --help]

Shows in about nine seconds how a semaphore bounds what workers do at once,
and how an operator changes that bound while they work: 4, 10, 3, 6. What
counts is what the database sees.

  --json   print one JSON document with what was measured, and nothing else
  --help   print this

It uses the server of REDIS_URL (its own keys only), else it starts a
redis-server or valkey-server from PATH, else a private copy unpacked into
.servers/. NO_COLOR switches colours off.
`;

const NEXT = `The code to copy is in examples/soft-cap/src/tasks.ts: use() around what is
bounded. To change the bound for everybody: semaphore.setLimit().`;

await runProgram({
  help: HELP,
  run: (json, cleanup) => run(chooseStory(json), cleanup),
  summary: summaryTable,
  broken,
  next: NEXT,
});

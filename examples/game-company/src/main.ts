/* The game company: `npm run game-company`. See --help. */
import { runProgram } from '@holdfast/example-common';
import { broken } from './result.ts';
import { run } from './run.ts';
import { LineScreen, SILENT } from './screen.ts';
import { summaryTable } from './table.ts';

const HELP = `Usage: npm run game-company [-- --json | --help]

Shows in about ten seconds what a counting semaphore is for: 200 workers in four
processes call an API that allows five calls at once per account, first without
a semaphore, then with one; a process is killed in the middle of its calls.

  --json   print one JSON document with what was measured, and nothing else
           (npm run --silent game-company -- --json: without npm's own lines)
  --help   print this

It uses the server of REDIS_URL (its own keys only), else it starts a
redis-server or valkey-server from PATH, else a private copy unpacked into
.servers/. NO_COLOR switches colours off.
`;

const NEXT = 'The code: examples/game-company/src/team.ts asks for a seat before each call.';

await runProgram({
  help: HELP,
  run: (json, cleanup) => run(json ? SILENT : new LineScreen(), cleanup),
  summary: summaryTable,
  broken,
  next: NEXT,
});

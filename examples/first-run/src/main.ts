/* The first-run program: `npm start`. See --help. */
import { chooseStory, runProgram } from '@holdfast/example-common';
import { broken } from './result.ts';
import { run } from './run.ts';
import { summaryTable } from './table.ts';

const HELP = `Usage: npm start [-- --json | --help]

Shows in about ten seconds what Holdfast does: workers sell a shared stock,
first without a lock, then with one; a holder is killed, another is stopped.

  --json   print one JSON document with what was measured, and nothing else
  --help   print this

It uses the server of REDIS_URL (its own keys only), else it starts a
redis-server or valkey-server from PATH, else a private copy unpacked into
.servers/, else it goes on in memory. NO_COLOR switches colours off.
`;

const NEXT = `Read next, in README.md: "Quick start", "Fencing tokens",
"When not to trust a lock".`;

await runProgram({
  help: HELP,
  run: (json, cleanup) => run(chooseStory(json), cleanup),
  summary: summaryTable,
  broken,
  next: NEXT,
});

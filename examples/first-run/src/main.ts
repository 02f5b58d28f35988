/* The first-run program: `npm start`. See --help. */
import { bad, type Cleanup, dim, jsonDocument, number, runProgram } from '@holdfast/example-common';
import { broken, type Result } from './result.ts';
import { run } from './run.ts';
import { summaryTable } from './table.ts';
import type { MakeView } from './view.ts';
import { liveView } from './view-live.ts';
import { plainView, silentView } from './view-plain.ts';

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

await runProgram({ help: HELP, show });

async function show(json: boolean, cleanup: Cleanup): Promise<number> {
  const result = await run(json ? silentView : makeView(), cleanup);
  await cleanup.run();
  process.stdout.write(json ? jsonDocument(result) : ending(result));
  const why = broken(result);
  if (why) process.stderr.write(`${bad('This should not be')}: ${why}.\n`);
  return why ? 1 : 0;
}

/** The live block needs a terminal that can move its cursor, and some room. */
function makeView(): MakeView {
  const { isTTY, columns, rows } = process.stdout;
  return isTTY && process.env.TERM !== 'dumb' && columns >= 60 && rows >= 16 ? liveView : plainView;
}

function ending(result: Result): string {
  const took = dim(`All of it measured in this run, in ${number(result.tookMs / 1000, 1)} s.`);
  return `\n${summaryTable(result)}\n${took}\n${NEXT}\n`;
}

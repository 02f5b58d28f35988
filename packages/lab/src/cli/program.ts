/** The commands and their options. */
import type { Cleanup } from '@holdfast/example-common';
import { Command, CommanderError } from 'commander';
import type { LabStep } from '../report/report.ts';
import { listTable } from './list.ts';
import { type Market, marketCommand } from './market.ts';
import { type MarketOptions, type RunOptions, seconds, whole, wholeFromOne } from './options.ts';
import { ORDERS_OF_ALL, ORDERS_OF_SOME, runCommand } from './run.ts';

export interface Lab {
  readonly steps: readonly LabStep[];
  readonly market: Market;
}

const CELL_S = 5;

const OWN_SERVER = `
It starts a redis-server or valkey-server of its own: from PATH, else a private
copy unpacked into .servers/. REDIS_URL is never used, since the server is
emptied again and again. NO_COLOR switches colours off.`;

const CODES = `
Exit code: 0 as expected, 1 not as expected or no server, 2 wrong usage.`;

const ABOUT = `Locks on Redis, step by step, and how they break: every order of their commands
is tried on a real server. For learning and for judging locks made by hand;
holdfast exports none of what breaks here.`;

const EXAMPLES = `
To begin with:
  holdfast-lab run 0
  holdfast-lab run all --html lab.html`;

/** Runs what the words of the command line say. Resolves with the exit code. */
export async function cli(words: readonly string[], lab: Lab, cleanup: Cleanup): Promise<number> {
  let code = 0;
  const program = programOf(lab, cleanup, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return code;
}

function programOf(lab: Lab, cleanup: Cleanup, ended: (code: number) => void): Command {
  const program = new Command('holdfast-lab').description(ABOUT).exitOverride();
  // Commands take over the settings that the program has when they are made.
  program
    .showHelpAfterError('(--help says more)')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  program
    .command('list')
    .description('the steps: what each is about, and its scenarios')
    .action(() => void process.stdout.write(listTable(lab.steps)));
  withOutput(program.command('run'))
    .description('explores steps, and shows the shortest bad order of each scenario')
    // Not <step...>: without any, the steps that there are help more than the word "missing".
    .argument('[step...]', 'ids or names of steps, or all')
    .usage('[options] <step...>')
    .option('--seed <n>', 'for the orders that are drawn where there are too many', whole, 1)
    .option(
      '--max-orders <n>',
      `sample scenarios that have more orders (default: ${ORDERS_OF_SOME}; ${ORDERS_OF_ALL} for all steps)`,
      wholeFromOne,
    )
    .option('--market', 'measure the marketplace too: all of it on one page')
    .option('--seconds <n>', 'of the marketplace, for each way under each load', seconds, CELL_S)
    .addHelpText('after', OWN_SERVER + CODES)
    .action(async (names: string[], options: RunOptions) =>
      ended(await runCommand(lab, names, options, cleanup)),
    );
  withOutput(program.command('market'))
    .description('measures the marketplace: ways to keep deals apart, under three loads')
    .option('--seconds <n>', 'for each way under each load', seconds, CELL_S)
    .addHelpText('after', OWN_SERVER + CODES)
    .action(async (options: MarketOptions) => ended(await marketCommand(lab, options, cleanup)));
  return program;
}

function withOutput(command: Command): Command {
  return command
    .option('--json', 'print one JSON document, and nothing else')
    .option('--html <file>', 'write a page that needs nothing else, with diagrams and charts');
}

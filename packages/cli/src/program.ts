/** The verbs and their options. Each verb's own module is loaded when it runs: `--help` loads no client, `run` nothing that it does not need. */
import { Command, CommanderError } from 'commander';
import { EXIT } from './say/exit.ts';
import { usage } from './say/failure.ts';
import { report } from './say/report.ts';
import { addLs, addRelease, addRun, addShow } from './verbs/by-name.ts';
import { beforeDashes, type Ended } from './verbs/options.ts';
import { addBenchAndLab, addCompletion } from './verbs/rest.ts';
import { addAudit, addDoctor, addTop } from './verbs/whole-server.ts';

const ABOUT = `Distributed locks and semaphores on Redis and Valkey: run things under a lock,
see who holds what, and find the locks that never come back.`;

const EXAMPLES = `
Examples:
  holdfast run nightly-report --ttl 1m --no-wait -- ./report.sh
  holdfast run api --limit 5 --wait 1m -- ./call-the-api
  holdfast ls 'invoice:*'
  holdfast audit

The server: --url, else REDIS_URL, else redis://127.0.0.1:6379. NO_COLOR switches
colours off. Exit codes: 75 busy, 76 lost, 64 wrong usage, 69 no server; all are in
the man page and in docs/cli.md.`;

/** Runs what the words of the command line say. Resolves with the exit code. */
export async function cli(words: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = programOf(async (work) => {
    code = await work;
  }, words);
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return code;
}

/** Also what the completion and the man page's test read the options from. */
export function programOf(ended: Ended, words: readonly string[] = []): Command {
  const program = new Command('holdfast').description(ABOUT).exitOverride();
  program
    .configureOutput({
      outputError: (text) => void report(usage(wrongUsage(text, words)), jsonWanted(words)),
    })
    .enablePositionalOptions()
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .version('0.1.0', '-V, --version', 'print the version')
    .addHelpText('after', EXAMPLES);
  addRun(program, ended, words);
  addLs(program, ended);
  addShow(program, ended);
  addTop(program, ended);
  addRelease(program, ended);
  addAudit(program, ended);
  addDoctor(program, ended);
  addBenchAndLab(program, ended);
  addCompletion(program, ended);
  return program;
}

function wrongUsage(text: string, words: readonly string[]): string {
  const what = text.replace(/^error: /, '').trim();
  const behind = words[0] === 'run' && /unknown option/.test(what) && !words.includes('--');
  return `${what} (${behind ? 'the command and its options stand behind --; ' : ''}--help says more)`;
}

/** Also where the words could not be understood. What stands behind `--` is the command's own. */
export function jsonWanted(words: readonly string[]): boolean {
  return beforeDashes(words).includes('--json');
}

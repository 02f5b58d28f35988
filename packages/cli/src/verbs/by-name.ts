/** The verbs that work with locks by name: run, ls, show, release. */
import type { Command } from 'commander';
import type { ConnectionOptions } from '../connect/session.ts';
import type { LsOptions } from '../look/ls.ts';
import type { ReleaseOptions } from '../release/release.ts';
import type { RunOptions } from '../run/run.ts';
import { atLeastOneMs, duration } from '../say/duration.ts';
import { EXIT } from '../say/exit.ts';
import { usage } from '../say/failure.ts';
import { wholeFrom } from '../say/numbers.ts';
import { beforeDashes, type Ended, lasting, withConnection } from './options.ts';

/** A look at more keys than this costs a busy server too much to be the default. */
const MAX_KEYS = 100_000;

const RUN_MORE = `
Examples:
  holdfast run nightly-report --no-wait -- ./report.sh --all
  holdfast run migrate --ttl 1m --wait 10m -- npm run migrate
  holdfast run api --limit 5 --wait 1m --shell -- 'curl -s $URL | jq .'
  holdfast run deploy --quorum redis://a,redis://b,redis://c -- ./deploy.sh

The command gets HOLDFAST_NAME, HOLDFAST_FENCING_TOKEN and HOLDFAST_EXPIRES_IN_MS.
Signals go on to its process group. The lock is released when it has ended.

Exit code: that of the command (128 and the signal's number when a signal ended
it); 75 busy, 76 the lease was lost, 126 it cannot be run, 127 there is no such
command, 64 wrong usage, 69 no server, 77 no permission.`;

export function addRun(program: Command, ended: Ended, all: readonly string[]): void {
  withConnection(
    program
      .command('run')
      .description('runs a command while holding a lock, or permits of a semaphore')
      .argument('<name>', 'of the lock')
      .argument('[command...]', 'behind --, with its arguments')
      .usage('[options] <name> -- <command> [args...]')
      .addOption(
        lasting(
          '--ttl <duration>',
          'how long the lock outlives us when we die; renewed meanwhile',
          '30s',
          atLeastOneMs,
        ),
      )
      .addOption(lasting('--wait <duration>', 'how long to wait for it, or "forever"', '10s', patience))
      .option('--no-wait', 'do not wait: exit at once when it is busy')
      .option('--limit <n>', 'a semaphore with so many permits instead of a lock', wholeFrom(1, 1_000_000))
      .option('--permits <k>', 'how many of them the command takes (default: 1)', wholeFrom(1, 1_000_000))
      .option('--busy-exit <code>', 'the exit code when it is busy', wholeFrom(0, 255), EXIT.busy)
      .addOption(lasting('--kill-after <duration>', 'from SIGTERM to SIGKILL, when the lease is lost', '5s'))
      .option('--shell', 'the command is one line for /bin/sh')
      .option('--label <text>', 'shown by ls and show (default: "run" and the command)')
      .option('--no-guard', 'let the command run on when holdfast itself is killed with SIGKILL')
      .option('-q, --quiet', 'say nothing when it is busy')
      .option('-v, --verbose', 'say on stderr what is acquired and released'),
  )
    .addHelpText('after', RUN_MORE)
    .action((name: string, words: string[], options: RunOptions) => {
      checkDashes(all, words);
      return ended(import('../run/run.ts').then(({ run }) => run(name, words, options)));
    });
}

/** Without this, of `run -- date` the name would be "date". */
function checkDashes(all: readonly string[], command: readonly string[]): void {
  const before = beforeDashes(all).length;
  if (before < all.length && all.length - before - 1 !== command.length)
    throw usage(
      'before -- stands one name, and behind it the command, as in: holdfast run NAME -- COMMAND ARG…',
    );
}

function patience(text: string): number {
  return text === 'forever' ? Number.POSITIVE_INFINITY : duration(text);
}

const LS_MORE = `
Examples:
  holdfast ls
  holdfast ls 'invoice:*' --prefix billing
  holdfast ls --json | jq '.locks[] | select(.queueLength > 0) | .name'

It looks with SCAN, at no more keys than it may; then it says that it stopped.`;

export function addLs(program: Command, ended: Ended): void {
  withConnection(
    program
      .command('ls')
      .description('lists the locks and semaphores that there are, and who holds them')
      .argument('[pattern]', "of their names, as in SCAN: 'invoice:*'")
      .option('--names', 'only the names, one a line')
      .option('--max-keys <n>', 'look at so many keys of each server at most', wholeFrom(1), MAX_KEYS)
      .addOption(lasting('--within <duration>', 'look for so long at most', '10s')),
  )
    .addHelpText('after', LS_MORE)
    .action((pattern: string | undefined, options: LsOptions) =>
      ended(import('../look/ls.ts').then(({ ls }) => ls(pattern, options))),
    );
}

const SHOW_MORE = `
Examples:
  holdfast show nightly-report
  holdfast show api --json

Exit code: 0 whether it is held or free, 65 when the key is no lock.`;

export function addShow(program: Command, ended: Ended): void {
  withConnection(
    program
      .command('show')
      .description('shows one lock or semaphore: its holders, its queue, who released it by force')
      .argument('<name>', 'of the lock or semaphore'),
  )
    .addHelpText('after', SHOW_MORE)
    .action((name: string, options: ConnectionOptions) =>
      ended(import('../look/show.ts').then(({ show }) => show(name, options))),
    );
}

const RELEASE_MORE = `
Examples:
  holdfast release nightly-report --holder web-1/4242
  holdfast release nightly-report --force --yes

The holder is not asked. It learns of it at its next renewal, a third of its ttl
later at most, and may go on working until then: its fencing token is what keeps
it from doing harm. The next waiter becomes the holder in the same step.

Exit code: 0 released, 1 nothing to release or not confirmed, 64 wrong usage.`;

export function addRelease(program: Command, ended: Ended): void {
  withConnection(
    program
      .command('release')
      .description("releases somebody else's lease: shows what it will do, and asks on a terminal")
      .argument('<name>', 'of the lock or semaphore')
      .option(
        '--holder <id>',
        'only if it is this holder: its ID, its host/pid, or its fencing token, as show has it',
      )
      .option('--force', 'whoever holds it')
      .option('-y, --yes', 'do not ask'),
  )
    .addHelpText('after', RELEASE_MORE)
    .action((name: string, options: ReleaseOptions) =>
      ended(import('../release/release.ts').then(({ release }) => release(name, options))),
    );
}

/** What the verbs have in common. */
import { type Command, Option } from 'commander';
import { duration } from '../say/duration.ts';

/** Told the exit code of the verb that runs. */
export type Ended = (code: Promise<number>) => Promise<void>;

/** What every verb that talks to a server takes. */
export function withServer(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'the server: redis, rediss, unix, redis-sentinel, redis-cluster (default: REDIS_URL)',
    )
    .option('--quorum <urls>', 'several independent servers, with commas between them (Redlock)')
    .option('--json', 'machine-readable: JSON on stdout, notes and errors as JSON on stderr');
}

/** And what those take that work with names of locks. */
export function withConnection(command: Command): Command {
  return withServer(command).option('--prefix <word>', 'the prefix that your programs gave to Holdfast');
}

/** An option that takes a duration; `byDefault` is written as people write it, and shown so. */
export function lasting(flags: string, about: string, byDefault: string, parse = duration): Option {
  return new Option(flags, about).argParser(parse).default(parse(byDefault), byDefault);
}

/** What stands before `--`: ours, and not the command's. */
export function beforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

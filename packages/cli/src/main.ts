/** The program holdfast. See --help. */
import { cli, jsonWanted } from './program.ts';
import { note, report } from './say/report.ts';

// `holdfast ls | head`: whoever reads has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const words = process.argv.slice(2);
const json = jsonWanted(words);

// What the client wants to be known (a password that nobody asked for), in our way.
console.warn = (text: unknown) => note(String(text).replace(/^\[WARN\] /, ''), json);

process.exit(await cli(words).catch((error: unknown) => report(error, json)));

/** `holdfast top`. */
import { type ConnectionOptions, openSession } from '../connect/session.ts';
import { entryTable } from '../look/ls.ts';
import { type Overview, overview } from '../look/overview.ts';
import { EXIT } from '../say/exit.ts';
import { failureOf, usage } from '../say/failure.ts';
import { redact } from '../say/redact.ts';
import { jsonDocument } from '../say/table.ts';
import { listed, screen } from './screen.ts';
import { keysIn, press, START, type State } from './state.ts';
import { Terminal } from './terminal.ts';
import { waitChains } from './waits.ts';

export interface TopOptions extends ConnectionOptions {
  readonly interval: number;
  readonly maxKeys: number;
  readonly once?: true;
}

const ALL_CHAINS = 1_000;

export async function top(pattern: string | undefined, options: TopOptions): Promise<number> {
  const live = process.stdin.isTTY && process.stdout.isTTY && !options.once && !options.json;
  if (!live && !options.once && !options.json) throw usage('top needs a terminal; --once prints one look');
  await using session = await openSession(options);
  const look = () => overview(session, pattern ?? '*', { maxKeys: options.maxKeys, withinMs: 10_000 });
  if (live) return await watch(look, options.interval);
  const { entries, looked, cut } = await look();
  const waits = waitChains(entries, ALL_CHAINS);
  if (options.json) process.stdout.write(jsonDocument({ locks: entries, waits, looked, cut }));
  else process.stdout.write([entryTable(entries), ...waits.map((line) => `${line}\n`)].join(''));
  return EXIT.ok;
}

/** Until somebody presses q. What a look fails with is shown, and the next one tries again. */
async function watch(look: () => Promise<Overview>, intervalMs: number): Promise<number> {
  using terminal = new Terminal();
  let state: State = START;
  let last: Overview = { entries: [], looked: 0, cut: undefined };
  let problem = '';
  const draw = () => {
    const lines = screen(last, state, terminal.size);
    if (problem !== '') lines[1] = problem;
    terminal.draw(lines);
  };
  terminal.onResize(draw);
  const quit = new Promise<'quit'>((resolve) => {
    terminal.onKeys((chunk) => {
      for (const key of keysIn(chunk)) {
        const names = listed(last.entries, state).map(({ name }) => name);
        const next = press(state, key, names);
        if (next === 'quit') return resolve(next);
        state = next;
      }
      draw();
    });
    terminal.onEnd(() => resolve('quit'));
  });
  for (;;) {
    if (!state.paused) {
      try {
        const seen = await Promise.race([look(), quit]);
        if (seen === 'quit') return EXIT.ok;
        last = seen;
        problem = '';
      } catch (error) {
        problem = redact(failureOf(error).message);
      }
      draw();
    }
    if ((await Promise.race([pause(intervalMs), quit])) === 'quit') return EXIT.ok;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

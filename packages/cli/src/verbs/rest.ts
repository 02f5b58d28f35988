/** bench and lab, which are programs of their own; completion. */
import { Argument, type Command } from 'commander';
import type { Ended } from './options.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function addBenchAndLab(program: Command, ended: Ended): void {
  for (const [verb, what] of [
    ['bench', 'measures Holdfast beside the bare commands (package @holdfast/bench)'],
    ['lab', 'breaks hand-made locks, step by step (package @holdfast/lab)'],
  ] as const)
    program
      .command(verb)
      .description(what)
      .argument('[args...]', 'handed over as they are')
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action((args: string[]) =>
        ended(import('../hand-over.ts').then(({ handOver }) => handOver(verb, args))),
      );
}

const MORE = `
Examples, for the file that your shell reads when it starts:
  bash: source <(holdfast completion bash)
  zsh:  source <(holdfast completion zsh)
  fish: holdfast completion fish | source`;

export function addCompletion(program: Command, ended: Ended): void {
  program
    .command('completion')
    .description('prints a script that completes verbs, options and names of locks')
    .addArgument(new Argument('<shell>').choices([...SHELLS]))
    .addHelpText('after', MORE)
    .action((shell: Shell) =>
      ended(import('../completion/completion.ts').then(({ completion }) => completion(shell, program))),
    );
}

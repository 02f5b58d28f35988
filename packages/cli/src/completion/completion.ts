/** Scripts that complete verbs, options and names of locks. Made from the program itself, so that none can be forgotten. */
import type { Command } from 'commander';
import { EXIT } from '../say/exit.ts';
import type { Shell } from '../verbs/rest.ts';

/** Nobody waits longer for a completion; a server that is far or busy gives none. */
const NAMES = 'timeout 2 holdfast ls --names --within 500ms --max-keys 20000 2>/dev/null';

export interface Verb {
  readonly name: string;
  readonly about: string;
  readonly options: readonly { readonly flag: string; readonly about: string }[];
  /** Its first word is the name of a lock. */
  readonly takesName: boolean;
  /** Words that its argument may be. */
  readonly choices: readonly string[];
}

export async function completion(shell: Shell, program: Command): Promise<number> {
  process.stdout.write(SCRIPTS[shell](verbsOf(program)));
  return EXIT.ok;
}

export function verbsOf(program: Command): Verb[] {
  return program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    options: command.options.map((option) => ({ flag: option.long ?? '', about: option.description })),
    takesName: ['name', 'pattern'].includes(command.registeredArguments[0]?.name() ?? ''),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

const SCRIPTS: Record<Shell, (verbs: readonly Verb[]) => string> = { bash, zsh, fish };

function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map(({ name, options, takesName, choices }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    const words = takesName ? `$(${NAMES})` : choices.join(' ');
    return `    ${name}) if [[ $word == -* ]]; then words="${flags} --help"; elif (( COMP_CWORD == 2 )) || [[ $before == --* ]]; then words="${words}"; fi ;;`;
  });
  return `# holdfast: source <(holdfast completion bash)
_holdfast() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words= i
  # Behind -- stands a command of your own.
  for (( i = 1; i < COMP_CWORD; i++ )); do
    if [[ \${COMP_WORDS[i]} == -- ]]; then COMPREPLY=($(compgen -c -f -- "$word")); return; fi
  done
  if (( COMP_CWORD == 1 )); then words="${verbs.map(({ name }) => name).join(' ')} --help --version"
  else case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  # A colon parts words in bash: what stands before it is written already.
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$word"; fi
}
complete -o default -F _holdfast holdfast
`;
}

function zsh(verbs: readonly Verb[]): string {
  const list = verbs.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`).join('\n');
  const cases = verbs.map(({ name, options, takesName, choices }) => {
    const flags = options
      .map(({ flag, about }) => quoted(`${flag.replaceAll(':', '\\:')}:${about}`))
      .join(' ');
    const words = takesName
      ? `names=(\${(f)"$(${NAMES})"}); compadd -a names`
      : `compadd -- ${choices.join(' ')}`;
    return `    ${name}) if [[ $PREFIX == -* ]]; then local -a flags=(${flags}); _describe option flags; else local -a names; ${words}; fi ;;`;
  });
  return `#compdef holdfast
# holdfast: source <(holdfast completion zsh)
_holdfast() {
  local -a verbs=(
${list}
  )
  # Behind -- stands a command of your own.
  if (( \${words[(i)--]} < CURRENT )); then _command_names; _files; return; fi
  if (( CURRENT == 2 )); then _describe verb verbs; return; fi
  case $words[2] in
${cases.join('\n')}
  esac
}
compdef _holdfast holdfast
`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap(({ name, about, options, takesName, choices }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c holdfast -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
      ...options.map(
        ({ flag, about: its }) => `complete -c holdfast ${within} -l ${flag.slice(2)} -d ${quoted(its)}`,
      ),
      ...(takesName ? [`complete -c holdfast ${within} -a '(${NAMES})'`] : []),
      ...(choices.length > 0 ? [`complete -c holdfast ${within} -a '${choices.join(' ')}'`] : []),
    ];
  });
  return ['# holdfast: holdfast completion fish | source', 'complete -c holdfast -f', ...lines, ''].join(
    '\n',
  );
}

/** For any of the shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What the live view shows, and what a key does to it: pure. */

const SORTS = ['NAME', 'FOR', 'WAITING', 'ENDS IN'] as const;
type Sort = (typeof SORTS)[number];

export interface State {
  readonly sort: Sort;
  /** Only names that contain it. */
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
  readonly paused: boolean;
  readonly selected: number;
  /** The name of the one that is shown alone. */
  readonly shown: string | undefined;
}

export const START: State = {
  sort: 'NAME',
  filter: '',
  typing: false,
  paused: false,
  selected: 0,
  shown: undefined,
};

const MAX_FILTER = 100;

/** @param names of what is listed now, in its order */
export function press(state: State, key: string, names: readonly string[]): State | 'quit' {
  if (key === '\u0003') return 'quit';
  if (state.typing) return typed(state, key);
  if (key === 'q') return 'quit';
  if (key === 's')
    return { ...state, sort: SORTS[(SORTS.indexOf(state.sort) + 1) % SORTS.length] ?? 'NAME', selected: 0 };
  if (key === 'p') return { ...state, paused: !state.paused };
  if (key === '/') return { ...state, typing: true, shown: undefined };
  if (key === '\r' || key === '\n') return { ...state, shown: names[state.selected] };
  if (key === '\u001b')
    return state.shown === undefined ? { ...state, filter: '', selected: 0 } : { ...state, shown: undefined };
  const step = STEPS[key];
  return step === undefined ? state : { ...state, selected: bounded(state.selected + step, names.length) };
}

const STEPS: Record<string, number | undefined> = {
  j: 1,
  '\u001b[B': 1,
  k: -1,
  '\u001b[A': -1,
  '\u001b[6~': 10,
  '\u001b[5~': -10,
};

function typed(state: State, key: string): State {
  if (key === '\r' || key === '\n') return { ...state, typing: false };
  if (key === '\u001b') return { ...state, typing: false, filter: '' };
  if (key === '\u007f' || key === '\b') return { ...state, filter: state.filter.slice(0, -1), selected: 0 };
  if (key < ' ') return state;
  return { ...state, filter: (state.filter + key).slice(0, MAX_FILTER), selected: 0 };
}

export function bounded(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}

/** What a terminal sent at once, one key after the other: several may come together. */
export function keysIn(chunk: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return chunk.match(/\u001b\[[\d;]*[A-Za-z~]|[\s\S]/gu) ?? [];
}

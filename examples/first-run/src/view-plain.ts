/* For a pipe or a file: lines, nothing else. */
import { paint } from '@holdfast/example-common';
import type { View } from './view.ts';

export function plainView(): View {
  let open = true;
  const say = (...lines: string[]) => {
    if (open) for (const line of lines) process.stdout.write(`${line}\n`);
  };
  return {
    say,
    heading: (text) => say('', paint('bold', text)),
    breathe: async () => {},
    close: () => {
      open = false;
    },
  };
}

/** For `--json`: the one document is written at the end. */
export function silentView(): View {
  return { say() {}, heading() {}, breathe: async () => {}, close() {} };
}

/** Steps by the words of a command line. */
import { UsageError } from '@holdfast/example-common';
import type { LabStep } from '../report/report.ts';

/** In the order of the chapter, each once. A word is an id, a name, or `all`. */
export function chooseSteps(steps: readonly LabStep[], words: readonly string[]): readonly LabStep[] {
  if (words.length === 0) throw new UsageError(`Which step? ${thereAre(steps)}`, 2);
  const chosen = new Set(words.flatMap((word) => stepsOf(steps, word)));
  return steps.filter((step) => chosen.has(step));
}

function stepsOf(steps: readonly LabStep[], word: string): readonly LabStep[] {
  if (plain(word) === 'all') return steps;
  const found = steps.filter(({ id, name }) => [id, name].some((text) => plain(text) === plain(word)));
  if (found.length > 0) return found;
  throw new UsageError(`There is no step “${word}”. ${thereAre(steps)}`, 2);
}

function thereAre(steps: readonly LabStep[]): string {
  return `There are: ${steps.map(({ id, name }) => `${id} (${name})`).join(', ')}; or all.`;
}

/** "Simple lock" and simple-lock are the same. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

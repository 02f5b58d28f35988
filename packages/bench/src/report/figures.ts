/** Figures as text. */
import { type Aim, bestRival, type Column, isMet, type Row, type Table, threeDigits } from '../part.ts';

export function figureText(row: Row, { id, digits }: Column): string {
  const value = row.figures[id];
  if (value == null) return '–';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Three digits say what can be seen. */
export function numberText(value: number | null): string {
  if (value === null) return '–';
  return threeDigits(value).toLocaleString('en-US', { maximumFractionDigits: 3 });
}

export function saysOf(aim: Aim): string {
  const met = isMet(aim);
  if (met === undefined) return 'nobody to compare with';
  return met ? 'reached' : 'NOT REACHED';
}

/** What it is about, what was reached, what was aimed at. */
export function aimCells({ what, reached, aim, atLeast, unit }: Aim): [string, string, string] {
  const withUnit = (text: string) => `${text} ${unit}`.trimEnd();
  return [what, withUnit(numberText(reached)), withUnit(`${atLeast ? '≥' : '≤'} ${numberText(aim)}`)];
}

/** A figure of Holdfast's and the best of a rival's that is better than it. */
export interface Ahead {
  readonly table: string;
  readonly column: string;
  readonly ours: string;
  readonly theirs: string;
  readonly who: string;
}

/** Within this nobody is ahead: the same figure measured again differs by more. */
const NOISE = 0.02;

export function cellsBehind(table: Table): Ahead[] {
  const ours = table.rows.find(({ role }) => role === 'holdfast');
  if (ours === undefined) return [];
  return table.columns.flatMap((column) => {
    const own = ours.figures[column.id];
    const best = column.better && bestRival(table.rows, column.id, column.better);
    if (own == null || !best || !isAhead(best.value, own, column.better)) return [];
    return [
      {
        table: table.title,
        column: column.label,
        ours: figureText(ours, column),
        theirs: figureText(best.row, column),
        who: best.row.label,
      },
    ];
  });
}

function isAhead(theirs: number, ours: number, better: Column['better']): boolean {
  return better === 'more' ? theirs > ours * (1 + NOISE) : theirs < ours * (1 - NOISE);
}

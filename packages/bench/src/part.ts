/** What a part of the benchmark is, and what it comes to: tables of figures, each with its aims. All of it is plain data, kept as JSON. */

/** As `--only` names it. Each starts its own servers. */
export interface Part {
  readonly id: string;
  readonly what: string;
  run(settings: Settings): Promise<Table[]>;
}

export interface Settings {
  /** A smoke run: its figures are noise. */
  readonly quick: boolean;
  /** Says on stderr what comes now. */
  readonly progress: (text: string) => void;
}

export interface Table {
  readonly id: string;
  readonly title: string;
  /** Without it the first column says what each row is, and no row is a library. */
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly aims: readonly Aim[];
  /** What a reader needs in order to understand the figures. */
  readonly notes: readonly string[];
  /** The column that is drawn. */
  readonly chart?: string;
}

export interface Column {
  readonly id: string;
  readonly label: string;
  /** Digits behind the point. */
  readonly digits: number;
  /** Whether a rival can be ahead in it. */
  readonly better?: 'less' | 'more';
}

export interface Row {
  /** The contender's, or the row's own where it is no contender. */
  readonly id: string;
  readonly label: string;
  readonly role: 'holdfast' | 'floor' | 'rival';
  /** By column. Not there, or not finite: there is none. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** What it did instead, or besides. */
  readonly word?: string;
}

export interface Aim {
  readonly what: string;
  /** `null`: there was nothing to compare. */
  readonly reached: number | null;
  readonly aim: number;
  readonly atLeast?: true;
  /** '×', 'ms'; '' for a count. */
  readonly unit: string;
}

/** By the three digits that are shown. `undefined`: nothing was reached that could be compared. */
export function isMet({ reached, aim, atLeast }: Aim): boolean | undefined {
  if (reached === null || !Number.isFinite(reached)) return undefined;
  const shown = threeDigits(reached);
  return atLeast ? shown >= threeDigits(aim) : shown <= threeDigits(aim);
}

/** And as many as are before the point. */
export const threeDigits = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));

export const figureOf = (rows: readonly Row[], id: string, column: string): number =>
  rows.find((row) => row.id === id)?.figures[column] ?? Number.NaN;

/** The best figure of a rival, and whose it is. */
export function bestRival(
  rows: readonly Row[],
  column: string,
  better: 'less' | 'more',
): { readonly row: Row; readonly value: number } | undefined {
  const sign = better === 'less' ? 1 : -1;
  const found = rows.flatMap((row) => {
    const value = row.figures[column];
    return row.role === 'rival' && value != null && Number.isFinite(value) ? [{ row, value }] : [];
  });
  return found.sort((a, b) => sign * (a.value - b.value))[0];
}

/** Holdfast's figure as a multiple of the best rival's. */
export function toBestRival(rows: readonly Row[], column: string, better: 'less' | 'more'): number {
  return figureOf(rows, 'holdfast', column) / (bestRival(rows, column, better)?.value ?? Number.NaN);
}

/** What JSON would make of a number that is none. */
const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

export function aim(what: string, reached: number, limit: number, unit = '×'): Aim {
  return { what, reached: orNull(reached), aim: limit, unit };
}

export function aimAtLeast(what: string, reached: number, limit: number, unit = '×'): Aim {
  return { ...aim(what, reached, limit, unit), atLeast: true };
}

type Measured = { readonly id: string; readonly label: string; readonly role: Row['role'] };

export function rowOf(
  { id, label, role }: Measured,
  figures: Readonly<Record<string, number>>,
  word?: string,
): Row {
  const kept = Object.fromEntries(Object.entries(figures).map(([column, value]) => [column, orNull(value)]));
  return { id, label, role, figures: kept, ...(word && { word }) };
}

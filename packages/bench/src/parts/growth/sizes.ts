/** One measurement at several sizes: a column for each, and a row for each contender. */
import { type Aim, aim, type Column, figureOf, type Row } from '../../part.ts';

export const sizeColumn = (size: number, digits: number): Column => ({
  id: String(size),
  label: size.toLocaleString('en-US'),
  digits,
  better: 'less',
});

/** Flat from the least to the greatest size that Holdfast was measured with. */
export function flat(what: string, rows: readonly Row[], sizes: readonly number[]): Aim {
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  const of = (size: number) => figureOf(rows, 'holdfast', String(size));
  const text = (size: number) => size.toLocaleString('en-US');
  return aim(`${what}: ${text(most)} / ${text(least)}`, of(most) / of(least), 1.5);
}

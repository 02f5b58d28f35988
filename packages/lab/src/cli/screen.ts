/** How much room there is. */

/** In less than that no two actors fit beside each other. */
const LEAST = 56;
const MOST = 132;
/** Where it is no terminal: the market's table fits. */
const PAGE = 113;

/** Columns for text on stdout: those of the terminal, else those that COLUMNS asks for. */
export function screenWidth(): number {
  const columns = process.stdout.columns || Number(process.env.COLUMNS) || PAGE;
  return Math.min(MOST, Math.max(LEAST, columns));
}

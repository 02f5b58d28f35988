/** The one with that number: nodes are told by their place in the list. */
export function at<T>(list: readonly T[], index: number): T {
  const one = list[index];
  if (one === undefined) throw new RangeError(`there is no node ${index}`);
  return one;
}

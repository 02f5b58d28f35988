/** Calls `then` when the hold is lost, and now if it is lost already: its process may have stood still since the grant, and an abort is told once. */
export function whenLost(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then);
}

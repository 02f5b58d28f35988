/** What is handed in as a client is wrong in some way; the message says what to pass instead. */
export function clientError(message: string): TypeError & { code: string } {
  return Object.assign(new TypeError(message), { code: 'ERR_HOLDFAST_CLIENT' });
}

/** The client's own key prefix as text. Clients take a Buffer as well as a string. */
export function checkedPrefix(prefix: unknown): string {
  const text = prefix === undefined || prefix === null ? '' : String(prefix);
  // The first '{' of a key opens its hash tag. One that the prefix leaves open would swallow the tag that keeps
  // all keys of a lock in one slot, and after an empty one no other counts.
  const open = text.indexOf('{');
  if (open >= 0 && text.indexOf('}', open) <= open + 1) {
    throw clientError(
      `client: its keyPrefix ${JSON.stringify(text)} opens a hash tag '{' and does not close it, or closes it empty, so the keys of one lock could not be kept in one cluster slot; pass a client with another keyPrefix`,
    );
  }
  return text;
}

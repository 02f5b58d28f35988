/* Server-Sent Events: text, one event per empty line. */

export function eventText(id: number, data: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The ids of the events, as they come. */
export async function* eventIds(body: AsyncIterable<Uint8Array>): AsyncGenerator<number> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) yield Number(/^id: (\d+)$/m.exec(event)?.[1]);
  }
}

/** One RESP2 reply. An error inside an array (EXEC) stays a value. */
export type Reply = string | number | null | ReplyError | Reply[];

/** An error reply; `code` is its first word (`WRONGTYPE`, `MOVED`, ...). */
export class ReplyError extends Error {
  override name = 'ReplyError';
  get code(): string {
    return this.message.split(' ', 1)[0] ?? '';
  }
}

const CRLF = '\r\n';
const INCOMPLETE = Symbol('incomplete');

export function encodeCommand(args: readonly (string | number | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${args.length}${CRLF}`)];
  for (const arg of args) {
    const bytes = Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg));
    parts.push(Buffer.from(`$${bytes.length}${CRLF}`), bytes, Buffer.from(CRLF));
  }
  return Buffer.concat(parts);
}

/** Takes bytes as they come, gives whole replies. Bulk strings are read as UTF-8. */
export class RespParser {
  #chunks: Buffer[] = [];
  #held = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Fewer bytes than these cannot hold the next reply: a long string is put together once, not at each chunk. */
  #need = 0;

  push(chunk: Buffer): Reply[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    return this.#held < this.#need ? [] : this.#replies();
  }

  #replies(): Reply[] {
    this.#bytes = Buffer.concat(this.#chunks);
    const replies: Reply[] = [];
    for (;;) {
      this.#at = 0;
      this.#need = 0;
      const reply = this.#reply();
      if (reply === INCOMPLETE) break;
      replies.push(reply);
      this.#bytes = this.#bytes.subarray(this.#at);
    }
    this.#chunks = [this.#bytes];
    this.#held = this.#bytes.length;
    return replies;
  }

  #reply(): Reply | typeof INCOMPLETE {
    const line = this.#line();
    if (line === INCOMPLETE) return INCOMPLETE;
    const rest = line.slice(1);
    switch (line[0]) {
      case '+':
        return rest;
      case '-':
        return new ReplyError(rest);
      case ':':
        return Number(rest);
      case '$':
        return this.#bulk(Number(rest));
      case '*':
        return this.#array(Number(rest));
      default:
        throw new Error(`not a RESP2 reply: ${JSON.stringify(line.slice(0, 80))}`);
    }
  }

  #line(): string | typeof INCOMPLETE {
    const end = this.#bytes.indexOf(CRLF, this.#at);
    if (end < 0) return INCOMPLETE;
    const line = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 2;
    return line;
  }

  #bulk(length: number): string | null | typeof INCOMPLETE {
    if (length < 0) return null;
    const end = this.#at + length;
    this.#need = end + 2;
    if (this.#bytes.length < this.#need) return INCOMPLETE;
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 2;
    return text;
  }

  #array(length: number): Reply[] | null | typeof INCOMPLETE {
    if (length < 0) return null;
    const items: Reply[] = [];
    while (items.length < length) {
      const item = this.#reply();
      if (item === INCOMPLETE) return INCOMPLETE;
      items.push(item);
    }
    return items;
  }
}

/** The resource that the lock protects: one value. With a fence it refuses those whose turn is over. */
export class Register {
  value = '';
  highestToken = 0;
  readonly #fenced: boolean;

  constructor(fenced: boolean) {
    this.#fenced = fenced;
  }

  /** The same holder may write again, so an equal token is good. */
  write(value: string, token: number): 'accepted' | 'refused' {
    if (this.#fenced && token < this.highestToken) return 'refused';
    this.highestToken = Math.max(this.highestToken, token);
    this.value = value;
    return 'accepted';
  }
}

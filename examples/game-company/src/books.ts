/* What the marketplace writes down about its accounts. It knows nothing of semaphores: it is the judge. */
import { ACCOUNTS, BLOCKED_MS, LIMIT } from './rules.ts';

/** One account's calls. */
class Page {
  open = 0;
  mostOpen = 0;
  calls = 0;
  refused = 0;
  private blockedUntil = 0;

  /** @returns whether the call is within the rules */
  begin(now: number): boolean {
    this.calls++;
    this.open++;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    if (this.open > LIMIT) this.blockedUntil = now + BLOCKED_MS;
    const admitted = now >= this.blockedUntil;
    if (!admitted) this.refused++;
    return admitted;
  }

  end(): void {
    this.open--;
  }
}

/** Of one scene. */
export class Books {
  readonly pages: readonly Page[] = Array.from({ length: ACCOUNTS }, () => new Page());
  /** Connections that broke before the answer. */
  brokenOff = 0;

  /** Accounts are numbered from 1. */
  page(account: number): Page {
    const page = this.pages[account - 1];
    if (!page) throw new Error(`there is no account ${account}`);
    return page;
  }

  get calls(): number {
    return this.pages.reduce((sum, { calls }) => sum + calls, 0);
  }

  get refused(): number {
    return this.pages.reduce((sum, { refused }) => sum + refused, 0);
  }

  /** One number per account. */
  get openNow(): number[] {
    return this.pages.map(({ open }) => open);
  }

  get mostAtOnce(): number[] {
    return this.pages.map(({ mostOpen }) => mostOpen);
  }
}

/** What every report says: what it is, who sent it, and when, as `machineNow()` in that process. */
export interface Told {
  is: string;
  from: string;
  at: number;
}

/** The report of one kind. */
export type ReportOf<R extends Told, K extends R['is']> = Extract<R, { is: K }>;

interface Watcher<R> {
  wants(report: R): boolean;
  resolve(report: R): void;
  reject(error: Error): void;
}

/** Longer than any wait in a scene, also on a very busy machine. */
const PATIENCE_MS = 90_000;

/** Everything the workers have reported, in the order of arrival, and those who wait for what is to come. */
export class Reports<R extends Told> {
  readonly all: R[] = [];
  private readonly watchers = new Set<Watcher<R>>();
  private failure: Error | undefined;
  private readonly seen: (report: R) => void;

  constructor(seen: (report: R) => void) {
    this.seen = seen;
  }

  put(report: R): void {
    this.all.push(report);
    this.seen(report);
    for (const watcher of this.watchers) if (watcher.wants(report)) watcher.resolve(report);
  }

  /** The next report of this kind that is wanted, or is from that worker. Rejects when a worker fails, or after 90 s. */
  until<K extends R['is']>(
    is: K,
    from: string | ((report: ReportOf<R, K>) => boolean),
  ): Promise<ReportOf<R, K>> {
    const wants = typeof from === 'string' ? (report: R) => report.from === from : from;
    const matches = (report: R) => report.is === is && wants(report as ReportOf<R, K>);
    const next = this.watch(matches, typeof from === 'string' ? `${from}: ${is}` : is);
    next.catch(() => {}); // whoever awaits it hears of it; a scene that failed elsewhere does not come to that
    return next as Promise<ReportOf<R, K>>;
  }

  /** Ends all waits, those to come as well. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const watcher of this.watchers) watcher.reject(error);
  }

  private watch(wants: Watcher<R>['wants'], what: string): Promise<R> {
    if (this.failure) return Promise.reject(this.failure);
    let watcher: Watcher<R>;
    let timer: NodeJS.Timeout;
    const watched = new Promise<R>((resolve, reject) => {
      watcher = { wants, resolve, reject };
      this.watchers.add(watcher);
      const late = new Error(`no report "${what}" within ${PATIENCE_MS} ms`);
      timer = setTimeout(() => reject(late), PATIENCE_MS);
    });
    return watched.finally(() => {
      clearTimeout(timer);
      this.watchers.delete(watcher);
    });
  }
}

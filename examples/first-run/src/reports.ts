import type { Report } from './protocol.ts';

/** The report of one kind. */
export type ReportOf<K extends Report['is']> = Extract<Report, { is: K }>;

interface Watcher {
  wants(report: Report): boolean;
  resolve(report: Report): void;
  reject(error: Error): void;
}

/** Longer than any wait in a scene. */
const PATIENCE_MS = 15_000;

/** Everything the workers have reported, in the order of arrival, and those who wait for what is to come. */
export class Reports {
  readonly all: Report[] = [];
  private readonly watchers = new Set<Watcher>();
  private failure: Error | undefined;
  private readonly seen: (report: Report) => void;

  constructor(seen: (report: Report) => void) {
    this.seen = seen;
  }

  put(report: Report): void {
    this.all.push(report);
    this.seen(report);
    if (report.is === 'failed') this.fail(new Error(`worker ${report.from} failed: ${report.why}`));
    for (const watcher of this.watchers) if (watcher.wants(report)) watcher.resolve(report);
  }

  /** The next report of this kind that `wants` takes. Rejects when a worker fails, or after 15 s. */
  until<K extends Report['is']>(is: K, wants: (report: ReportOf<K>) => boolean): Promise<ReportOf<K>> {
    const next = this.watch((report) => report.is === is && wants(report as ReportOf<K>), is);
    next.catch(() => {}); // whoever awaits it hears of it; a scene that failed elsewhere does not come to that
    return next as Promise<ReportOf<K>>;
  }

  /** Ends all waits, those to come as well. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const watcher of this.watchers) watcher.reject(error);
  }

  private watch(wants: Watcher['wants'], what: string): Promise<Report> {
    if (this.failure) return Promise.reject(this.failure);
    let watcher: Watcher;
    let timer: NodeJS.Timeout;
    const watched = new Promise<Report>((resolve, reject) => {
      watcher = { wants, resolve, reject };
      this.watchers.add(watcher);
      const late = new Error(`no worker reported "${what}" within ${PATIENCE_MS} ms`);
      timer = setTimeout(() => reject(late), PATIENCE_MS);
    });
    return watched.finally(() => {
      clearTimeout(timer);
      this.watchers.delete(watcher);
    });
  }
}

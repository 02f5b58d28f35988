/** What has to be undone at the end, whichever end it is: the latest first, each within a bound. */
export class Cleanup {
  private readonly steps: (() => unknown)[] = [];
  private running: Promise<void> | undefined;

  /** What comes up after the end has begun is undone at once. */
  add(step: () => unknown): void {
    if (this.running) void bounded(step);
    else this.steps.push(step);
  }

  /** May be called again; all calls share one run. Never rejects. */
  run(): Promise<void> {
    this.running ??= this.runAll();
    return this.running;
  }

  private async runAll(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) await bounded(step);
  }
}

const STEP_MS = 4_000;

async function bounded(step: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STEP_MS);
  });
  const done = (async () => step())().catch(() => {});
  await Promise.race([done, late]);
  clearTimeout(timer);
}

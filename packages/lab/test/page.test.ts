/** The page in a browser: Debian's chromium, or the program that HOLDFAST_CHROMIUM names. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page } from '../src/report/page.ts';
import { MARKET, RUN } from './report-fixture.ts';

const program = process.env.HOLDFAST_CHROMIUM ?? '/usr/bin/chromium';
const there = existsSync(program);
if (!there)
  console.warn(
    `SKIPPED: the lab's page was looked at in NO browser, since there is no ${program} (apt-get install chromium).`,
  );

const QUIET = ['background-networking', 'component-update', 'sync', 'quic', 'gpu'].map(
  (what) => `--disable-${what}`,
);

describe.skipIf(!there)('in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  const file = join(folder, 'lab.html');
  let browser: Browser;

  beforeAll(async () => {
    writeFileSync(file, page({ run: RUN, market: MARKET }));
    browser = await chromium.launch({
      executablePath: program,
      args: ['--no-sandbox', '--no-first-run', ...QUIET],
    });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  async function open(width: number, colorScheme: 'light' | 'dark'): Promise<{ tab: Page; said: string[] }> {
    const tab = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const said: string[] = [];
    tab.on('console', (message) => said.push(message.text()));
    tab.on('pageerror', (error) => said.push(error.message));
    tab.on(
      'request',
      (request) => request.url().startsWith('file:') || said.push(`asks for ${request.url()}`),
    );
    await tab.goto(pathToFileURL(file).href);
    return { tab, said };
  }

  for (const width of [400, 1280])
    for (const scheme of ['light', 'dark'] as const)
      test(`at ${width} px, ${scheme}: nothing is complained of, nothing sticks out`, async () => {
        const { tab, said } = await open(width, scheme);
        expect(said).toEqual([]);
        expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await tab.locator('img').count()).toBe(0);
        const shot = process.env.HOLDFAST_SCREENSHOTS;
        if (shot) await tab.screenshot({ path: join(shot, `lab-${width}-${scheme}.png`), fullPage: true });
        await tab.close();
      });

  test('light is light and dark is dark', async () => {
    const brightness = async (scheme: 'light' | 'dark') => {
      const { tab } = await open(800, scheme);
      const colour = await tab.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      await tab.close();
      return Math.max(...[...colour.matchAll(/\d+/g)].map(Number));
    };
    expect(await brightness('light')).toBeGreaterThan(230);
    expect(await brightness('dark')).toBeLessThan(50);
  });

  test('a wide diagram scrolls in its own box, and no text of it is cut off', async () => {
    const { tab } = await open(400, 'light');
    const box = tab.locator('.scroll').first();
    expect(await box.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
    const beyond = await tab.locator('svg.sequence').evaluateAll((drawings) =>
      drawings.flatMap((drawing) => {
        const right = drawing.getBoundingClientRect().right;
        const texts = [...drawing.querySelectorAll('text')];
        return texts
          .filter((text) => text.getBoundingClientRect().right > right)
          .map((text) => text.textContent);
      }),
    );
    expect(beyond).toEqual([]);
    await tab.close();
  });

  test('the number of a row and the word beside a box do not meet', async () => {
    const { tab } = await open(1280, 'light');
    const meetings = await tab.locator('svg.sequence').evaluateAll((drawings) =>
      drawings.map((drawing) => {
        const boxes = (kind: string) =>
          [...drawing.querySelectorAll(kind)].map((text) => text.getBoundingClientRect());
        const numbers = Math.max(...boxes('.number').map(({ right }) => right));
        return { beside: boxes('.works').length, met: boxes('.works').some(({ left }) => left < numbers) };
      }),
    );
    expect(meetings).toEqual([{ beside: 2, met: false }]);
    await tab.close();
  });

  test('on a phone the ways stay in sight when the figures are scrolled', async () => {
    const { tab } = await open(400, 'light');
    const box = tab.getByRole('region', { name: 'What was measured' });
    const scrolled = await box.evaluate((one) => {
      one.scrollLeft = one.scrollWidth;
      const [head, ways] = [one.querySelector('.load span'), one.querySelector('th[scope="row"]')];
      const left = one.getBoundingClientRect().left;
      return [
        one.scrollLeft > 0,
        ...[head, ways].map((text) => (text?.getBoundingClientRect().left ?? -1) >= left),
      ];
    });
    expect(scrolled).toEqual([true, true, true]);
    await tab.close();
  });

  test('what the signs of a drawing mean stands before the first', async () => {
    const { tab } = await open(400, 'light');
    const top = (what: string) =>
      tab
        .locator(what)
        .first()
        .evaluate((one) => one.getBoundingClientRect().top);
    expect(await top('#key .signs')).toBeLessThan(await top('svg.sequence'));
    expect(await tab.locator('#key li').count()).toBe(9);
    await tab.close();
  });

  test('the contents lead to the steps, without any script', async () => {
    const { tab } = await open(800, 'light');
    await tab.getByRole('link', { name: /^Step 5/ }).click();
    expect(
      await tab.locator('#step-5').evaluate((one) => Math.abs(one.getBoundingClientRect().top)),
    ).toBeLessThan(900);
    expect(await tab.getByRole('img', { name: /shortest bad order/i }).count()).toBe(1);
    await tab.close();
  });
});

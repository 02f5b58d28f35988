/** The report as one page that needs nothing else: data in, HTML out. */
import { number } from '@holdfast/example-common';
import { drawingKey } from './drawing-key.ts';
import { type MarketReport, marketSection } from './market-view.ts';
import { type Markup, markup, trusted } from './markup.ts';
import { type RunReport, type StepReport, unexpected } from './report.ts';
import { stepSection } from './steps-view.ts';
import { STYLE } from './style.ts';
import { plural, totalOf } from './words.ts';

export interface Report {
  readonly run?: RunReport | undefined;
  readonly market?: MarketReport | undefined;
}

/** Nothing is loaded, nothing runs, nothing is sent: only the style of the page itself counts. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function page({ run, market }: Report): string {
  return `${markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast: the lab</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<header>
<h1>The lab: locks, and how they break</h1>
<p class="warning">For learning, and for judging locks made by hand. What breaks here breaks on purpose; Holdfast exports none of it.</p>
${run && aboutRun(run)}
</header>
${contents(run?.steps ?? [], market !== undefined)}
<main>
${anyDrawing(run) ? drawingKey() : undefined}
${run?.steps.map(stepSection)}
${market && marketSection(market)}
</main>
</body>
</html>
`}`;
}

function aboutRun({ server, node, at, seed, maxOrders, tookMs, steps }: RunReport): Markup {
  const wrong = unexpected(steps).map((sentence) => markup`<p class="bad">${sentence}</p>\n`);
  const scenarios = steps.flatMap((step) => step.scenarios);
  return markup`<p>${totalOf(scenarios)}, each run on a real server. Of the bad ones the shortest is drawn below.</p>
<p class="small">${server}, Node ${node}, ${at.slice(0, 16).replace('T', ' ')} UTC, ${number(tookMs / 1000, 1)} s; seed ${seed}; where there are more than ${number(maxOrders)} orders, a sample.</p>
${wrong}`;
}

function anyDrawing(run: RunReport | undefined): boolean {
  return run?.steps.some(({ scenarios }) => scenarios.some(({ shown }) => shown !== undefined)) ?? false;
}

function contents(steps: readonly StepReport[], market: boolean): Markup {
  const entries = steps.map(({ id, name, scenarios }) => {
    const bugs = scenarios.filter(({ bad }) => bad > 0).length;
    const found =
      bugs === 0 ? 'no bad order' : `bad orders in ${bugs} of ${plural(scenarios.length, 'scenario')}`;
    return markup`<li><a href="#step-${id}">Step ${id}: ${name}</a> <span class="small">${found}</span></li>\n`;
  });
  const last = market
    ? markup`<li><a href="#market">The marketplace</a> <span class="small">measured</span></li>\n`
    : undefined;
  return markup`<nav aria-label="Contents"><ol>
${entries}${last}</ol></nav>`;
}

/** A step on the page: what it is, what was found in each scenario, and the shortest bad order drawn and in words. */
import { diagram } from './diagram.ts';
import { type Markup, markup } from './markup.ts';
import type { ScenarioReport, ShownOrder, StepReport } from './report.ts';
import { legendOf, type Row, rowsOf } from './sequence.ts';
import { countsOf, shownHeading, toneOf, verdictOf } from './words.ts';

export function stepSection({ id, name, about, scenarios }: StepReport): Markup {
  return markup`<section id="step-${id}">
<h2>Step ${id}: ${name}</h2>
<p>${about}</p>
${scenarios.map(scenarioPart)}
</section>
`;
}

function scenarioPart(scenario: ScenarioReport): Markup {
  const { name, about, shown } = scenario;
  return markup`<article>
<h3>${name}</h3>
<p>${about}</p>
<p class="counts">${countsOf(scenario)}: <span class="${toneOf(scenario)}">${verdictOf(scenario)}</span></p>
${shown && shownPart(scenario, shown)}
</article>
`;
}

function shownPart(scenario: ScenarioReport, shown: ShownOrder): Markup {
  const rows = rowsOf(scenario, shown);
  const legend = legendOf(rows);
  return markup`<p class="${shown.why === undefined ? '' : 'why'}">${shownHeading(scenario, shown)}</p>
<div class="scroll drawing" tabindex="0" role="region" aria-label="Sequence diagram">${diagram(scenario, rows)}</div>
${legend && markup`<p class="small">${legend}</p>\n`}<details><summary>The same in words</summary>
<ol class="asText">${rows.map(inWords)}</ol></details>`;
}

function inWords({ actor, what, reply, changes, enters, leaves, wrong }: Row): Markup {
  const keys = changes.map(({ key, value }) =>
    value === undefined ? `${key} is gone` : `${key} = ${value}`,
  );
  const working = [
    ...enters.map((name) => `${name} works`),
    ...leaves.map((name) => `${name} works no more`),
  ];
  const more = [...keys, ...working, ...(wrong ? ['here it goes wrong'] : [])];
  const line = `${actor ? `${actor}: ` : ''}${what}${reply && ` → ${reply}`}`;
  return markup`<li class="${wrong ? 'here' : ''}">${line}${more.length > 0 ? markup` <span class="small">(${more.join('; ')})</span>` : ''}</li>\n`;
}

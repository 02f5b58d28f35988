/** How to read a sequence diagram, for whoever never saw one: each sign as it is drawn there, and what it means. */
import { arrowTip, cross, eventMark } from './diagram.ts';
import { type Markup, markup } from './markup.ts';

/** Of a sign. */
const WIDTH = 48;
const HEIGHT = 22;
const MIDDLE = HEIGHT / 2;

export function drawingKey(): Markup {
  return markup`<section id="key">
<h2>How to read the drawings</h2>
<p>Time runs down the page, row by row. Each actor is a process with a dashed line of its own; the thick line is the server, and beside it stand the keys whose values have changed. All keys that there were before stand in the first row. A drawing that is too wide scrolls sideways.</p>
<ul class="signs">
${SIGNS.map(([drawn, meaning]) => markup`<li><svg class="sign" aria-hidden="true" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${drawn}</svg><span>${meaning}</span></li>\n`)}</ul>
</section>
`;
}

const SIGNS: readonly (readonly [drawn: Markup, meaning: string])[] = [
  [arrow('arrow', -1), 'a command that the actor sends to the server'],
  [arrow('arrow back', 1), 'its reply'],
  [bar('work'), 'the actor works: it believes that it holds the lock, or has a seat'],
  [bar('work crowd'), 'more work at once than may'],
  [
    markup`<rect class="note" x="4" y="3" width="${WIDTH - 8}" height="${HEIGHT - 6}" rx="4"/>`,
    'what the actor does or learns without the server',
  ],
  [cross(WIDTH / 2, MIDDLE), 'an actor dies, or a server'],
  [eventMark('time', WIDTH / 2, MIDDLE), 'the time of a key is over, and the server removes it'],
  [eventMark('event', WIDTH / 2, MIDDLE), 'somebody else acts: an operator, the network'],
  [
    markup`<rect class="wrong" x="0" y="1" width="${WIDTH}" height="${HEIGHT - 2}" rx="4"/>`,
    'here it goes wrong',
  ],
];

function arrow(kind: string, towards: 1 | -1): Markup {
  const [end, x1, x2] = towards === 1 ? [2, 8, WIDTH - 2] : [WIDTH - 2, 2, WIDTH - 8];
  return markup`<line class="${kind}" x1="${x1}" x2="${x2}" y1="${MIDDLE}" y2="${MIDDLE}"/>${arrowTip(end, MIDDLE, towards)}`;
}

function bar(kind: string): Markup {
  return markup`<rect class="${kind}" x="${WIDTH / 2 - 6}" y="0" width="12" height="${HEIGHT}"/>`;
}

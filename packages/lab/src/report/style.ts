/** The style sheet of the page: light and dark, from a phone to a wide window. */

const COLOURS = `
:root { color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1d2329; --dim: #5c6670; --rule: #dcdfe2; --panel: #f4f5f3; --link: #0b5cad;
  --good: #176f3d; --bad: #b3261e; --event: #8a5a00; --work: #9fd8b2; --work-edge: #2f8f55; --crowd: #ee978f;
  --wrong: #fbe2df; --note: #fff6d8; --note-edge: #d9c170; --life: #9aa3ab; --arrow: #33414e; --reply: #46607a;
  --b0: #7a8791; --b1: #c4622d; --b2: #b08d12; --b3: #2c6fbb; --b4: #2f9e6e; --b5: #8a5fb5;
  --shade: rgb(0 0 0 / .22); }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14181c; --ink: #e4e7ea; --dim: #9aa5af; --rule: #323a42; --panel: #1c2228; --link: #7fb8f5;
  --good: #6fd39a; --bad: #ff8f86; --event: #f0bd5a; --work: #2f7350; --work-edge: #5fc48d; --crowd: #a8413a;
  --wrong: #3a2022; --note: #3a3420; --note-edge: #7d6f35; --life: #5d6872; --arrow: #c3ccd5; --reply: #9dbddb;
  --b0: #8d99a3; --b1: #d9974a; --b2: #e6c15f; --b3: #5b9be0; --b4: #4fbf8d; --b5: #ab86d3;
  --shade: rgb(0 0 0 / .8); } }
`;

const TEXT = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .4rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .2rem; }
p, ul, ol { margin: .4rem 0; max-width: 46rem; }
a { color: var(--link); }
.small { color: var(--dim); font-size: .875rem; }
.warning { border-left: 4px solid var(--event); padding: .4rem .8rem; background: var(--panel); }
.counts { font-variant-numeric: tabular-nums; }
.good, .bad, .found { font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); } .found { color: var(--event); }
.dim { color: var(--dim); }
.why { border-left: 4px solid var(--bad); padding: .2rem .8rem; margin-top: .7rem; }
nav ol { list-style: none; padding: 0; } nav li { padding: .15rem 0; }
nav .small { margin-left: .4rem; }
@media (max-width: 30rem) { nav .small { display: block; margin: 0; } }
.signs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .4rem 1.5rem; list-style: none;
  padding: .8rem; border: 1px solid var(--rule); border-radius: 8px; background: var(--panel); max-width: none; font-size: .875rem; }
.signs li { display: flex; gap: .8rem; align-items: center; } .sign { flex: none; }
code, .asText { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .85rem; }
/* A shadow at an edge behind which there is more: the two covers scroll along with the content, the shadows do not. */
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px; margin: .6rem 0; background:
  linear-gradient(90deg, var(--panel) 30%, transparent) 0 / 2.5rem 100% no-repeat local,
  linear-gradient(270deg, var(--panel) 30%, transparent) 100% / 2.5rem 100% no-repeat local,
  linear-gradient(90deg, var(--shade), transparent) 0 / .9rem 100% no-repeat scroll,
  linear-gradient(270deg, var(--shade), transparent) 100% / .9rem 100% no-repeat scroll, var(--panel); }
.drawing { width: fit-content; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid var(--link); }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--dim); font-size: .875rem; }
.asText li { padding: .1rem 0; } .asText .here { background: var(--wrong); }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
.figures { width: 100%; } .figures th, .figures td { padding: .3rem .6rem; text-align: right; white-space: nowrap; }
.figures th[scope="row"], .figures th[scope="rowgroup"] { text-align: left; } .figures th[scope="row"] { font-weight: 400; }
.figures thead { color: var(--dim); } .load th { padding-top: .8rem !important; } .chapter { color: var(--dim); font-style: italic; }
.figures .chapter th { padding-left: 1.6rem; }
/* Which way it is stays in sight when the figures are scrolled. */
.figures td:first-child, .figures th[scope="row"], .load span { position: sticky; left: 0; background: var(--panel); }
.load span { left: .6rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1.5rem; margin: 1rem 0; }
figure { margin: 0; } .expectations { list-style: none; padding: 0; } .expectations li { padding-left: 1.5rem; margin: .5rem 0; position: relative; }
.expectations li::before { position: absolute; left: 0; content: "✓"; color: var(--good); font-weight: 700; }
.expectations .fails::before { content: "✗"; color: var(--bad); }
`;

const DRAWINGS = `
svg { display: block; max-width: none; } svg text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.sequence text { paint-order: stroke; stroke: var(--panel); stroke-width: 3px; stroke-linejoin: round; }
.sequence .here text { stroke: var(--wrong); }
.sequence .actor { font: 600 14px system-ui, sans-serif; text-anchor: middle; }
.sequence .clock { font: 11px system-ui, sans-serif; text-anchor: middle; fill: var(--event); }
.sequence .start { text-anchor: start; fill: var(--dim); } .sequence .number { font-size: 11px; fill: var(--dim); }
.life { stroke: var(--life); stroke-width: 1.5; stroke-dasharray: 4 3; } .life.server { stroke-width: 3; stroke-dasharray: none; }
.wrong { fill: var(--wrong); } .work { fill: var(--work); stroke: var(--work-edge); stroke-width: 0; } .crowd { fill: var(--crowd); }
.arrow { stroke: var(--arrow); stroke-width: 1.3; } .back { stroke: var(--reply); stroke-dasharray: 4 3; }
.tip { fill: var(--arrow); } .back + .tip { fill: var(--reply); } .sequence .reply { fill: var(--reply); }
.note { fill: var(--note); stroke: var(--note-edge); } .sequence .said { stroke: none; font-family: system-ui, sans-serif; }
.cross { stroke: var(--bad); stroke-width: 3; fill: none; } .sequence .event { fill: var(--event); font-family: system-ui, sans-serif; font-weight: 600; }
.sequence .end { text-anchor: end; } .dial { fill: var(--panel); stroke: var(--event); stroke-width: 2; } .hands { stroke: var(--event); stroke-width: 1.6; fill: none; }
.sequence .works { font: 11px system-ui, sans-serif; text-anchor: end; fill: var(--good); } .sequence .alarm { fill: var(--bad); font: 600 12px system-ui, sans-serif; } .sequence .gone { fill: var(--dim); font-style: italic; }
.chart { max-width: 100%; height: auto; } .chart .title { font: 600 14px system-ui, sans-serif; } .chart .group { font: 600 12px system-ui, sans-serif; fill: var(--dim); }
.chart .label { font: 12px system-ui, sans-serif; } .chart .figure { font: 11px system-ui, sans-serif; fill: var(--dim); }
.b0 { fill: var(--b0); } .b1 { fill: var(--b1); } .b2 { fill: var(--b2); } .b3 { fill: var(--b3); } .b4 { fill: var(--b4); } .b5 { fill: var(--b5); }
`;

export const STYLE: string = COLOURS + TEXT + DRAWINGS;

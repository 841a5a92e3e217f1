/** The style sheet of all pages. */

import { CSS as VIEWS } from "../views/drawHtml.ts"

/**
 * One column on a phone, charts next to each other on wider screens, light or dark by the system setting. The colours,
 * also Studio's (`studio/page/style/base.css`), suit colour-blind readers, and no chart relies on colour alone.
 */
export const CSS = `
:root{color-scheme:light dark;--page:#fdfdfc;--under:var(--page);--card:#f4f4f1;--ink:#1a1b1e;--dim:#5b5e66;--line:#dfdfda;--accent:#1d5b9e;--band:#1d5b9e26;--good:#0f7355;--bad:#b8370f;--denied:#6d3fb0;--expired:#8a6100;--unknown:#62666e;--other:#b9bbc0}
@media (prefers-color-scheme:dark){:root{--page:#131518;--card:#1b1e22;--ink:#e6e6e2;--dim:#a3a7af;--line:#30343b;--accent:#82b7f2;--band:#82b7f22e;--good:#4fc59a;--bad:#f58f66;--denied:#bea3f5;--expired:#e0b54d;--unknown:#a0a5ad;--other:#5b606a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;padding:1.25rem 1rem 4rem;max-width:78rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.25rem;line-height:1.3;margin:2.75rem 0 .25rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .5rem}
p{margin:.25rem 0 .75rem;max-width:44rem}
a{color:var(--accent)}
bdi{unicode-bidi:isolate}
code{font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.lead{font-size:1.125rem;max-width:44rem}
.under,.note,figcaption,.caption{color:var(--dim)}
.note,.caption{font-size:.875rem}
.caption{margin:1.25rem 0 0}
.warn{border-left:4px solid var(--expired);padding:.5rem .75rem;background:var(--card);max-width:44rem}
.key{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.25rem 0;padding:0}
.key div{background:var(--card);border-radius:8px;padding:.75rem}
.key dt{font-size:.8125rem;color:var(--dim)}
.key dd{margin:0;font-size:1.375rem;line-height:1.3;font-variant-numeric:tabular-nums}
.key dd small{display:block;font-size:.8125rem;line-height:1.4;color:var(--dim)}
.charts{display:grid;align-items:start;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:1rem;margin:1rem 0}
.one{max-width:25rem}
@media (min-width:60rem){.beside{display:grid;grid-template-columns:25rem minmax(0,1fr);gap:2.5rem}}
figure{margin:1rem 0;min-width:0}
.charts figure{--under:var(--card);margin:0;background:var(--card);border-radius:8px;padding:.75rem}
figcaption{font-size:.875rem;margin-top:.5rem;max-width:44rem}
svg{display:block;width:100%;height:auto;font-family:inherit;overflow:visible}
:where(svg:not(.picture)) text{font-size:12px;fill:var(--ink);paint-order:stroke;stroke:var(--under);stroke-width:3px;stroke-linejoin:round}
svg .dim{fill:var(--dim)}
svg .strong{font-weight:600}
svg .num{font-variant-numeric:tabular-nums}
svg text.good{fill:var(--good)}
svg text.bad{fill:var(--bad)}
.grid{stroke:var(--line);fill:none}
.zero,.tick{stroke:var(--dim);fill:none}
.zero{stroke-width:1.2}
.rule{stroke:var(--dim);stroke-dasharray:3 3;fill:none}
.dots{fill:none;stroke-linecap:round;stroke-width:3.4;stroke:var(--accent);stroke-opacity:.5}
.dots.few{stroke-width:7;stroke-opacity:.8}
.dots.good{stroke:var(--good);stroke-opacity:1}.dots.bad{stroke:var(--bad);stroke-opacity:1}.dots.tied{stroke:var(--unknown);stroke-opacity:1}
.line{fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round}
.thin{fill:none;stroke:var(--accent);stroke-width:1.2;stroke-linejoin:round}
.whisker{stroke:var(--accent);stroke-width:2;fill:none}
.mean{fill:var(--accent)}
.quiet{fill:none;stroke:var(--other);stroke-width:1}
.band{fill:var(--band)}
.mark{fill:none;stroke:var(--accent);stroke-width:1.4}
.mark.good{stroke:var(--good)}.mark.bad{stroke:var(--bad)}.mark.denied{stroke:var(--denied)}.mark.expired{stroke:var(--expired)}.mark.unknown,.mark.other{stroke:var(--unknown)}
:where(svg:not(.picture)) rect{fill:var(--accent)}
rect.good{fill:var(--good)}rect.bad{fill:var(--bad)}rect.denied{fill:var(--denied)}rect.expired{fill:var(--expired)}rect.unknown{fill:var(--unknown)}rect.other{fill:var(--other)}rect.track{fill:var(--line)}rect.band{fill:var(--band)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.5rem 0;padding:0;font-size:.875rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.legend svg{width:.75rem;height:.75rem}
.scroll{overflow-x:auto;margin:.25rem 0 1rem}
.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;font-size:.875rem;overflow-wrap:normal}
th,td{padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{color:var(--dim);font-weight:500;white-space:nowrap}
tbody th{font-weight:500;min-width:10.75rem;overflow-wrap:anywhere;position:sticky;left:0;background:var(--page)}
td{white-space:nowrap}
.wraps{white-space:normal}
.wide{min-width:9.5rem;display:block;overflow-wrap:anywhere;white-space:normal}
@media (min-width:40rem){.wide{min-width:14rem}}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
tr:target>*{background:var(--card);box-shadow:inset 3px 0 var(--accent)}
.gain{color:var(--good)}.loss{color:var(--bad)}
@media print{:root{--card:#fff}.scroll{overflow:visible}figure{break-inside:avoid}}
${VIEWS}`

'use strict';
// Tilings of which none is better than another in all respects: time against what else they cost, and the one
// that this report is of.

const kParetoWidth = 280;
const kParetoHeight = 210;
const kParetoEdge = {left: 66, right: 12, top: 12, bottom: 40};

// About four round steps over the values, 0 left out where they are far from it.
function paretoSteps(values) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const span = Math.max(most - least, most * 0.02, 1e-9);
  const raw = span / 3;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= raw);
  const from = Math.floor(least / step) * step;
  const count = Math.max(Math.ceil((most - from) / step), 1);
  return Array.from({length: count + 1}, (_, i) => from + i * step);
}

function paretoChart(points, name, of) {
  const xs = paretoSteps(points.map((point) => point.time_us));
  const ys = paretoSteps(points.map(of));
  const right = kParetoWidth - kParetoEdge.right;
  const bottom = kParetoHeight - kParetoEdge.bottom;
  const x = (value) => kParetoEdge.left + (value - xs[0]) / (xs.at(-1) - xs[0]) * (right - kParetoEdge.left);
  const y = (value) => bottom - (value - ys[0]) / (ys.at(-1) - ys[0]) * (bottom - kParetoEdge.top);
  const parts = [];
  for (const step of xs) {
    parts.push(make('svg:line', {x1: x(step), x2: x(step), y1: kParetoEdge.top, y2: bottom, stroke: 'var(--line)'}));
    parts.push(make('svg:text', {x: x(step), y: bottom + 16, 'text-anchor': 'middle', class: 'soft'}, figure(step)));
  }
  for (const step of ys) {
    parts.push(make('svg:line', {x1: kParetoEdge.left, x2: right, y1: y(step), y2: y(step), stroke: 'var(--line)'}));
    parts.push(make('svg:text', {x: kParetoEdge.left - 6, y: y(step) + 4, 'text-anchor': 'end', class: 'soft'}, figure(step)));
  }
  parts.push(make('svg:text', {x: right, y: kParetoHeight - 6, 'text-anchor': 'end'}, '\u00b5s'));
  for (const point of [...points].sort((a, b) => Number(a.chosen) - Number(b.chosen))) {
    parts.push(make('svg:circle', {cx: x(point.time_us), cy: y(of(point)), r: point.chosen ? 7 : 4,
      fill: point.chosen ? 'var(--accent)' : 'var(--pipe-V)', stroke: 'var(--ground)', class: point.chosen ? 'chosen' : false}));
  }
  return make('figure', {}, make('figcaption', {}, name),
      make('svg:svg', {viewBox: `0 0 ${kParetoWidth} ${kParetoHeight}`, role: 'img', 'aria-label': `${name} against time, ${points.length} tilings`}, parts));
}

function paretoSection(item) {
  const points = item.pareto;
  const columns = [
    {name: '', of: (row) => row.chosen ? '\u25cf this one' : ''},
    {name: '\u00b5s', number: true, of: (row) => figure(row.time_us)},
    {name: 'GM traffic', number: true, of: (row) => bytes(row.gm_bytes)},
    {name: 'L1', number: true, of: (row) => bytes(row.l1_bytes)},
    {name: 'cores', number: true, of: (row) => row.cores},
  ];
  return make('section', {class: 'pareto'}, make('h3', {}, 'Tilings that none beats'),
      points.some((point) => point.chosen) ? null : make('p', {class: 'soft'}, 'The tiling of this report is none of them.'),
      paretoChart(points, 'GM traffic, MiB', (point) => point.gm_bytes / 2 ** 20),
      paretoChart(points, 'L1 of a core, KiB', (point) => point.l1_bytes / 2 ** 10),
      paretoChart(points, 'cores', (point) => point.cores),
      table('In time, traffic, L1 and cores: a tiling that is better in one is worse in another.', columns, points));
}

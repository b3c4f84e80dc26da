'use strict';
// What the part could do at most with the bytes that this launch moved, and what it did. Both axes logarithmic.

const kRoofWidth = 560;
const kRoofHeight = 330;
const kRoofEdge = {left: 84, right: 26, top: 14, bottom: 46};

class RoofAxes {
  constructor(roof) {
    const works = [roof.per_hbm_byte, roof.per_l2_byte, roof.per_needed_byte, roof.peak / roof.hbm, roof.peak / roof.l2]
        .filter((value) => value > 0);
    this.x0 = Math.floor(Math.log10(Math.min(...works) / 2));
    this.x1 = Math.ceil(Math.log10(Math.max(...works) * 2));
    const least = Math.min(roof.attained, roof.hbm * 10 ** this.x0);
    this.y1 = Math.log10(roof.peak * 2);
    this.y0 = Math.min(Math.floor(Math.log10(Math.max(least, 1e-9))), Math.floor(this.y1) - 1);
  }
  x(value) {
    return kRoofEdge.left + (Math.log10(value) - this.x0) / (this.x1 - this.x0) *
        (kRoofWidth - kRoofEdge.left - kRoofEdge.right);
  }
  y(value) {
    return kRoofHeight - kRoofEdge.bottom - (Math.log10(value) - this.y0) / (this.y1 - this.y0) *
        (kRoofHeight - kRoofEdge.top - kRoofEdge.bottom);
  }
}

function roofText(x, y, text, attributes = {}) {
  return make('svg:text', {x, y, ...attributes}, text);
}

function roofGrid(axes, unit) {
  const parts = [];
  for (let e = axes.x0; e <= axes.x1; ++e) {
    const x = axes.x(10 ** e);
    parts.push(make('svg:line', {x1: x, x2: x, y1: kRoofEdge.top, y2: kRoofHeight - kRoofEdge.bottom, stroke: 'var(--line)'}));
    parts.push(roofText(x, kRoofHeight - kRoofEdge.bottom + 17, figure(10 ** e),
        {'text-anchor': e === axes.x1 ? 'end' : 'middle', class: 'soft'}));
  }
  for (let e = Math.ceil(axes.y0); e <= axes.y1; ++e) {
    const y = axes.y(10 ** e);
    parts.push(make('svg:line', {x1: kRoofEdge.left, x2: kRoofWidth - kRoofEdge.right, y1: y, y2: y, stroke: 'var(--line)'}));
    parts.push(roofText(kRoofEdge.left - 6, y + 4, figure(10 ** e), {'text-anchor': 'end', class: 'soft'}));
  }
  parts.push(roofText(kRoofWidth / 2, kRoofHeight - 8, `${unit} a byte`, {'text-anchor': 'middle'}));
  parts.push(roofText(14, kRoofHeight / 2 - 12, `${unit} a cycle`,
      {'text-anchor': 'middle', transform: `rotate(-90 14 ${kRoofHeight / 2 - 12})`}));
  return parts;
}

// A slope up to the peak, with its name along it.
function roofSlope(axes, roof, rate, name, colour) {
  const from = 10 ** axes.x0;
  const ridge = roof.peak / rate;
  const begin = Math.max(from, 10 ** axes.y0 / rate);
  const at = Math.sqrt(begin * ridge);
  const angle = Math.atan2(axes.y(roof.peak) - axes.y(begin * rate), axes.x(ridge) - axes.x(begin)) * 180 / Math.PI;
  const x = axes.x(at);
  const y = axes.y(at * rate) - 6;
  return [
    make('svg:line', {x1: axes.x(begin), y1: axes.y(begin * rate), x2: axes.x(ridge), y2: axes.y(roof.peak), stroke: colour, 'stroke-width': 2}),
    roofText(x, y, name, {'text-anchor': 'middle', transform: `rotate(${angle} ${x} ${y})`}),
  ];
}

function roofPoints(axes, roof) {
  const points = [];
  const y = axes.y(roof.attained);
  if (roof.per_needed_byte > 0) {
    const x = axes.x(roof.per_needed_byte);
    points.push(make('svg:circle', {cx: x, cy: y, r: 6, fill: 'var(--ground)', stroke: 'var(--soft)', 'stroke-width': 2}));
  }
  if (roof.per_l2_byte > 0) {
    const x = axes.x(roof.per_l2_byte);
    points.push(make('svg:rect', {x: x - 5, y: y - 5, width: 10, height: 10, fill: 'var(--pipe-V)', stroke: 'var(--ground)'}));
  }
  if (roof.per_hbm_byte > 0) {
    points.push(make('svg:circle', {cx: axes.x(roof.per_hbm_byte), cy: y, r: 6, fill: 'var(--l2_miss)', stroke: 'var(--ground)'}));
  }
  return points;
}

function rooflineSection(item) {
  const roof = item.roofline;
  const axes = new RoofAxes(roof);
  const unit = roof.unit;
  const flat = roof.peak / Math.max(roof.hbm, roof.l2);
  const rows = [
    {what: 'the part at most', work: roof.peak},
    {what: 'this launch', work: roof.attained},
    {what: '\u25cf bytes read from HBM', per: roof.per_hbm_byte, roof: roof.hbm},
    {what: '\u25a0 all bytes, L2 and HBM', per: roof.per_l2_byte, roof: roof.l2},
    {what: '\u25cb had each byte been read once', per: roof.per_needed_byte, roof: roof.hbm},
  ].filter((row) => row.work || row.per);
  const columns = [
    {name: '', of: (row) => row.what},
    {name: `${unit}/byte`, number: true, of: (row) => figure(row.per)},
    {name: `${unit}/cycle`, number: true, of: (row) => figure(row.work || Math.min(roof.peak, row.per * row.roof))},
    {name: 'reached', number: true, of: (row) => row.work === roof.attained ? '' : row.work
        ? percent(roof.attained / row.work) : percent(roof.attained / Math.min(roof.peak, row.per * row.roof))},
  ];
  const label = `Roofline: ${figure(roof.attained)} ${unit} a cycle of at most ${figure(roof.peak)}`;
  return make('section', {}, make('h3', {}, 'Roofline'), make('figure', {},
      make('svg:svg', {viewBox: `0 0 ${kRoofWidth} ${kRoofHeight}`, role: 'img', 'aria-label': label},
          roofGrid(axes, unit), roofSlope(axes, roof, roof.hbm, 'HBM', 'var(--l2_miss)'),
          roofSlope(axes, roof, roof.l2, 'L2', 'var(--pipe-V)'),
          make('svg:line', {x1: axes.x(flat), x2: axes.x(10 ** axes.x1), y1: axes.y(roof.peak), y2: axes.y(roof.peak), stroke: 'var(--accent)', 'stroke-width': 2}),
          roofText(kRoofWidth - kRoofEdge.right, axes.y(roof.peak) - 6, `${figure(roof.peak)} at most`, {'text-anchor': 'end'}),
          roofPoints(axes, roof)),
      table(unit === 'FLOP' ? 'All cores together. Work: whole fractals of the cube that the problem needs.'
                            : 'All vector cores together. Work: the busy cycles of V; at most one a core and cycle.', columns, rows)));
}

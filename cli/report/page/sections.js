'use strict';
// The parts of a case, and the case.

const kVerdicts = {
  ok: ['ok', 'good', '\u2713'], mismatch: ['results differ', 'bad', '\u2717'], no_tiling: ['no tiling', 'bad', '\u2717'],
  refused: ['refused', 'warn', '!'], hazard: ['hazard', 'bad', '\u2717'], fault: ['fault', 'bad', '\u2717'],
  error: ['internal error', 'bad', '\u2717'],
};
const kBounds = {launch: 'the launch', cube: 'the cube', gm_read: 'reads of GM', gm_write: 'writes of GM'};

function badge(item, short) {
  const [text, tone, sign] = kVerdicts[item.verdict];
  const compared = !short && item.comparison && item.verdict === 'ok' ? 'ok, equal to the reference' : item.verdict === 'ok' && !item.comparison ? 'ok, values not compared' : text;
  return make('span', {class: `badge ${tone}`}, `${sign} ${compared}`);
}

function tile(name, value, small) {
  return make('div', {class: 'tile'}, make('dt', {}, name), make('dd', {}, value, small ? make('small', {}, small) : null));
}

function tilesOf(item) {
  const tiles = [];
  if (item.time_us !== undefined) {
    tiles.push(tile('time on the part', `${figure(item.time_us)}\u00a0\u00b5s`,
        item.launch_us !== undefined ? `launch ${figure(item.launch_us)}\u00a0\u00b5s of it` : null));
    tiles.push(tile('cycles', whole(item.cycles), 'of the busiest core'));
    if (item.lower_bound_us !== undefined) {
      tiles.push(tile('no tiling takes less than', `${figure(item.lower_bound_us)}\u00a0\u00b5s`, `bound by ${kBounds[item.bound_by]}`));
      tiles.push(tile('reached of that bound', percent(item.efficiency), meter(item.efficiency)));
    } else {
      tiles.push(tile('bound by', kBounds[item.bound_by], 'of what it did'));
    }
    tiles.push(tile('read from GM', bytes(item.gm_read_bytes), `${percent(item.l2_hit_ratio)} found in L2`));
    tiles.push(tile('written to GM', bytes(item.gm_write_bytes)));
    if (item.time_basis) {
      const [most, ...rest] = item.time_basis.split(', ');
      tiles.push(tile('the time rests on figures', most, rest.join(', ')));
    }
  }
  if (item.comparison) {
    tiles.push(tile('largest error', figure(item.comparison.max_error_over_bound), 'of what is allowed'));
  }
  if (item.hazards !== undefined && item.hazards !== null) {
    tiles.push(tile('hazards', item.hazards));
  }
  return tiles.length > 0 ? make('dl', {class: 'tiles'}, tiles) : null;
}

function helpSection(item) {
  const what = [
    {name: 'if ...', of: (row) => row.text},
    {name: 'cycles', number: true, of: (row) => whole(row.cycles)},
    {name: 'gain', number: true, of: (row) => percent(row.gain / item.cycles)},
    {name: '', of: (row) => meter(row.gain / item.cycles)},
  ];
  return make('section', {}, make('h3', {}, 'What would help'),
      table('The launch timed again as if something took no time.', what, item.what_if));
}

// Two kinds: what the problem needs, whatever the tiling, and what this tiling had the part do.
function boundsSection(item) {
  const columns = (name, of) => [
    {name, of},
    {name: '\u00b5s', number: true, of: (row) => figure(row.time_us)},
    {name: 'part', number: true, of: (row) => percent(row.time_us / item.time_us)},
    {name: '', of: (row) => meter(row.time_us / item.time_us)},
  ];
  const named = (row, cores, name) => row.of === 'launch' ? `launch of ${cores} ${cores === 1 ? 'core' : 'cores'}` : name;
  const known = item.lower_bound_us !== undefined;
  const of = known ? 'Of the problem: each product once, each byte in and out once. ' +
      `The launch and the largest of the others make ${figure(item.lower_bound_us)} \u00b5s: no tiling takes less.`
      : 'Of what the kernel did: each of its products, each of its bytes. What it has to do at least nobody has said.';
  return make('section', {class: 'bounds'}, make('h3', {}, 'Lower bounds'),
      table(of, columns(known ? 'the problem needs' : 'the kernel needs', (row) => named(row, item.bound_cores, kBounds[row.of])), item.bounds),
      item.least_times ? table('Of this tiling: all that it had the part do, shared equally by the cores. It is not faster in any order.',
          columns('this tiling needs', (row) => named(row, item.cores, row.of)), item.least_times) : null);
}

function pathSection(item) {
  const columns = [
    {name: 'instruction', of: (row) => row.name},
    {name: 'pipe', of: (row) => row.pipe},
    {name: 'cycles', number: true, of: (row) => whole(row.cycles)},
    {name: 'part', number: true, of: (row) => percent(row.cycles / item.cycles)},
    {name: 'source line', place: true, of: (row) => place(row.where)},
  ];
  return make('section', {}, make('h3', {}, 'Critical path'), stackOf('path', item.path),
      table('Instructions on it, the most cycles first.', columns, item.path_items));
}

function planSection(item) {
  const plan = item.plan;
  const columns = [
    {name: 'struct', of: ([group]) => group}, {name: 'field', of: ([, name]) => name},
    {name: 'value', number: true, of: ([, , value]) => value},
  ];
  const by = {op: "the operator's planner", api: "the shipped tiling class's answer", given: 'given by hand', kb: 'known from a knowledge base'}[plan.planner];
  const list = (lines) => lines.length > 0 ? make('ul', {class: 'why'}, lines.map((line) => make('li', {}, line))) : null;
  return make('section', {}, make('h3', {}, 'Tiling'),
      make('p', {class: 'soft'}, [by, plan.strategy].filter(Boolean).join(', ')), list(plan.reasons), list(plan.why),
      plan.fields.length > 0 ? folded(`all ${plan.fields.length} fields`, table('', columns, plan.fields)) : null);
}

function comparisonSection(item) {
  const comparison = item.comparison;
  const rows = [
    ['elements compared', whole(comparison.elements)], ['beyond their bound', whole(comparison.mismatches)],
    ['largest error, of what is allowed', figure(comparison.max_error_over_bound)],
    ['mean relative error (MERE)', figure(comparison.mere)], ['largest relative error (MARE)', figure(comparison.mare)],
    ['most ulp', figure(comparison.max_ulp)], ['NaN where zeros meet inf or NaN', comparison.nan_from_padding || null],
    ['first mismatch', comparison.first], ['worst mismatch', comparison.worst],
  ].filter(([, value]) => value !== null);
  return make('section', {}, make('h3', {}, 'Comparison with the direct loop'),
      table('', [{name: '', of: ([name]) => name}, {name: '', number: true, of: ([, value]) => value}], rows));
}

function tensorsSection(item) {
  const columns = [
    {name: 'tensor', of: (row) => `${row.name} (${row.use})`}, {name: 'type', of: (row) => row.dtype},
    {name: 'shape', of: (row) => row.shape.join('\u00d7')},
    {name: 'format', of: (row) => row.format === row.device_format ? row.format : `${row.format}, on the part ${row.device_format}`},
    {name: 'size', number: true, of: (row) => bytes(row.bytes)},
  ];
  return make('section', {}, make('h3', {}, 'Tensors'), table('', columns, item.tensors));
}

function faultsSection(item) {
  return make('section', {}, make('h3', {}, `Faults: ${item.faults.length}`),
      make('ul', {class: 'why'}, item.faults.slice(0, 50).map((fault) => make('li', {}, fault))));
}

function caseSection(item, index, alone) {
  const facts = [item.op, item.dtype, item.soc, item.cores ? `${item.cores} cores` : ''].filter(Boolean).join(' \u00b7 ');
  const when = (there, section) => there ? section(item) : null;
  return make('section', {class: 'case', id: `case-${index}`},
      make('div', {class: 'title'}, make(alone ? 'h1' : 'h2', {}, item.id), badge(item)),
      make('p', {class: 'soft'}, facts),
      item.sentence ? make('p', {class: 'sentence'}, unbroken(item.sentence)) : null,
      item.message ? make('p', {class: 'message' + (item.verdict === 'ok' ? ' fine' : '')}, item.message) : null,
      tilesOf(item), when(item.faults && item.faults.length > 0, faultsSection), when(item.timeline, timelineSection),
      make('div', {class: 'columns'}, when(item.stalls, stallSection), when(item.path, pathSection),
          when(item.what_if, helpSection), when(item.bounds, boundsSection), when(item.roofline, rooflineSection), when(item.pareto, paretoSection), when(item.pipes, utilisationSection),
          when(item.core_ends && item.core_ends.length > 1, coresSection), when(item.plan, planSection),
          when(item.comparison, comparisonSection), when(item.tensors.length > 0, tensorsSection)),
      alone ? null : make('p', {}, make('a', {href: '#summary'}, 'to the summary')));
}

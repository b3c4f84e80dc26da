'use strict';
// Where the busiest core's time went: a bar a pipe whose parts add up to all of it.

const kLeastNamed = 0.02;  // smaller parts are in the table only

// Work has the colour of the pipe that works, also where another pipe waits for it; other causes have their own.
function causeColour(part) {
  return part.cause === 'work' ? pipeColour(part.pipe) : `var(--${part.cause})`;
}

function swatch(part) {
  const box = make('i', {class: part.busy ? false : 'idle', 'aria-hidden': 'true'});
  box.style.setProperty('--c', causeColour(part));
  return box;
}

function stackOf(name, parts) {
  const total = parts.reduce((sum, part) => sum + part.cycles, 0);
  const busy = parts.filter((part) => part.busy).reduce((sum, part) => sum + part.cycles, 0);
  const text = parts.map((part) => `${part.text} ${percent(part.cycles / total)}`).join(', ');
  const bar = make('div', {class: 'bar', role: 'img', 'aria-label': `${name}: ${text}`}, parts.map((part) => {
    const box = swatch(part);
    box.style.width = 100 * part.cycles / total + '%';
    box.title = `${part.text}: ${whole(part.cycles)} cycles, ${percent(part.cycles / total)}`;
    return box;
  }));
  const named = parts.filter((part) => part.cycles >= kLeastNamed * total);
  const small = parts.filter((part) => part.cycles < kLeastNamed * total);
  const rest = small.reduce((sum, part) => sum + part.cycles, 0);
  const list = make('ul', {class: 'parts'},
      named.map((part) => make('li', {}, swatch(part), `${part.text} `, make('b', {}, percent(part.cycles / total)))),
      small.length > 0 ? make('li', {}, `${small.length} smaller `, make('b', {}, percent(rest / total))) : null);
  const word = name === 'path' ? null : make('span', {class: 'soft'}, `busy ${percent(busy / total)}`);
  return make('div', {class: 'stack'}, name === 'path' ? null : make('div', {}, make('b', {}, name), word), bar, list);
}

function stallSection(item) {
  const rows = item.stalls.flatMap((pipe) => pipe.parts.map((part) => ({pipe: pipe.pipe, ...part, of: pipe.pipe})));
  const columns = [
    {name: 'pipe', of: (row) => row.of},
    {name: 'is', of: (row) => row.busy ? 'busy' : 'idle'},
    {name: 'why', of: (row) => row.text},
    {name: 'cycles', number: true, of: (row) => whole(row.cycles)},
    {name: 'part', number: true, of: (row) => percent(row.cycles / item.cycles)},
  ];
  return make('section', {}, make('h3', {}, `Where the time of ${item.busiest} went`),
      make('p', {class: 'soft'},
          `The busiest core. Solid: the pipe is busy. Hatched: it is idle, and this is what it waits for. Each bar is ` +
          `all ${whole(item.cycles)} cycles.`),
      item.stalls.map((pipe) => stackOf(pipe.pipe, pipe.parts)),
      folded('as a table', table('', columns, rows)));
}

function utilisationSection(item) {
  const columns = [
    {name: 'pipe', of: (row) => row.pipe},
    {name: 'busy', number: true, of: (row) => percent(row.ratio)},
    {name: '', of: (row) => meter(row.ratio, pipeColour(row.pipe))},
  ];
  return make('section', {}, make('h3', {}, 'Pipe utilisation'),
      table('Busy cycles over the cycles of the launch, mean over the cores.', columns, item.pipes));
}

function coresSection(item) {
  const ends = item.core_ends;
  const mean = ends.reduce((sum, [, end]) => sum + end, 0) / ends.length;
  const columns = [
    {name: 'core', of: ([name]) => name},
    {name: 'done at cycle', number: true, of: ([, end]) => whole(end)},
    {name: '', of: ([, end]) => meter(end / item.cycles)},
  ];
  const lazy = Math.round(100 * mean / item.cycles);
  return make('section', {}, make('h3', {}, 'Cores'),
      make('p', {}, `${ends.length} cores; on average they are done after ${lazy}\u00a0% of the busiest one's cycles. `,
          meter(mean / item.cycles)),
      folded('each core', table('', columns, ends)));
}

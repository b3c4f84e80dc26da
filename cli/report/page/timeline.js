'use strict';
// The timeline with everything that moves it: wheel, fingers, buttons, keys.

const kMostRows = 100;  // of its table
const kFaster = 0.6;    // of the span that is left after a zoom

class Timeline {
  constructor(timeline) {
    this.view = new TimelineView(timeline);
    this.drawn = new TimelineCanvas(this.view);
    this.told = make('p', {class: 'told', 'aria-live': 'polite'});
    this.rows = make('div');
    this.table = folded('instructions in view, as a table', this.rows);
    this.table.addEventListener('toggle', () => this.fillTable());
    this.fingers = new Map();
    this.listen();
    const part = timeline.to - timeline.from < timeline.cycles && this.view.hasDetails;
    this.element = make('figure', {class: 'timeline'}, this.controls(part), this.drawn.canvas, this.told, this.key(part), this.table);
    if (part && timeline.from > 0) {
      this.view.showDetails();
    }
    new ResizeObserver(() => this.draw()).observe(this.drawn.canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    this.redraw = () => this.draw();
    timelines.push(this);
  }

  controls(part) {
    const button = (text, label, action) => make('button', {type: 'button', 'aria-label': label, title: label,
        onclick: () => { action(); this.draw(); }}, text);
    const view = this.view;
    const cores = make('select', {'aria-label': 'core', onchange: (event) => {
      view.chooseCore(event.target.selectedIndex);
      this.draw();
    }}, view.timeline.cores.map((core, index) => make('option', {}, core.name + (index === 0 ? ', the busiest' : ''))));
    return make('div', {class: 'controls'}, cores,
        button('+', 'zoom in', () => view.zoom(kFaster)), button('\u2212', 'zoom out', () => view.zoom(1 / kFaster)),
        button('\u2190', 'earlier', () => view.pan(-view.span / 3)), button('\u2192', 'later', () => view.pan(view.span / 3)),
        button('all', 'the whole launch', () => view.showAll()),
        part ? button('details', 'the part drawn instruction by instruction', () => view.showDetails()) : null);
  }

  key(part) {
    const {from, to, cores} = this.view.timeline;
    const left = cores.reduce((sum, core) => sum + core.left_out, 0);
    const note = part ? `Instructions stand one by one in the shaded cycles ${whole(from)} to ${whole(to)}; beyond, height is how ` +
        `busy a pipe was (${whole(left)} instructions left out; tilesim report --window FROM:TO --events N shows others). ` : '';
    return make('figcaption', {}, note, 'Red edge and the upper lane: the critical path (grey: nothing of this core at work).');
  }

  draw() {
    this.drawn.draw();
    this.fillTable();
    this.tell(this.view.selected);
  }

  tell(run) {
    if (run === null) {
      this.told.replaceChildren(make('span', {class: 'hint soft'},
          'Click or tap an instruction. Wheel zooms after a click, or with Ctrl; two fingers pinch; drag moves.'));
      return;
    }
    this.told.replaceChildren(...this.view.describe(run).flatMap(
        (text, index) => index === 0 ? [make('b', {}, text)] : [' \u00b7 ', text]));
  }

  fillTable() {
    if (!this.table.open) {
      return;
    }
    const view = this.view;
    const texts = view.timeline.texts;
    const columns = [
      {name: 'start', number: true, of: (run) => whole(run[kStart])},
      {name: 'busy', number: true, of: (run) => whole(run[kFree] - run[kStart])},
      {name: 'pipe', of: (run) => view.pipeOf(run)},
      {name: 'instruction', of: (run) => texts[run[kName]]},
      {name: 'tile', of: (run) => texts[run[kTile]]},
      {name: 'waited last for', of: (run) => texts[run[kReason]]},
      {name: 'critical', of: (run) => view.isCritical(run) ? 'yes' : ''},
      {name: 'source line', place: true, of: (run) => place(texts[run[kPlace]])},
    ];
    this.rows.replaceChildren(table(`The first ${kMostRows} at most.`, columns, view.runsInView(kMostRows)));
  }

  listen() {
    const canvas = this.drawn.canvas;
    canvas.addEventListener('wheel', (event) => this.onWheel(event), {passive: false});
    canvas.addEventListener('keydown', (event) => this.onKey(event));
    canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    canvas.addEventListener('pointermove', (event) => this.onMove(event));
    for (const end of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(end, (event) => this.onUp(event));
    }
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('dblclick', (event) => {
      this.view.zoom(kFaster * kFaster, this.drawn.cycleAt(event.offsetX));
      this.draw();
    });
  }

  onWheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.drawn.canvas) {
      return;  // the page scrolls
    }
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.view.pan(event.deltaX / this.drawn.width * this.view.span);
    } else {
      this.view.zoom(Math.exp(event.deltaY / 300), this.drawn.cycleAt(event.offsetX));
    }
    this.draw();
  }

  onKey(event) {
    const view = this.view;
    const actions = {
      '+': () => view.zoom(kFaster), '=': () => view.zoom(kFaster), '-': () => view.zoom(1 / kFaster),
      ArrowLeft: () => view.pan(-view.span / 8), ArrowRight: () => view.pan(view.span / 8),
      ArrowUp: () => view.step(-1), ArrowDown: () => view.step(1),
      Home: () => view.showAll(), Escape: () => { view.selected = null; },
    };
    if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      actions[event.key]();
      this.draw();
    }
  }

  onDown(event) {
    this.fingers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    this.drawn.canvas.setPointerCapture(event.pointerId);
    this.dragged = 0;
  }

  onMove(event) {
    const last = this.fingers.get(event.pointerId);
    if (last === undefined) {
      this.hover(this.drawn.runAt(event.offsetX, event.offsetY));
      return;
    }
    const others = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const wide = this.drawn.width - kGutter;
    if (others.length === 1) {  // a pinch: the cycle between the fingers stays
      const before = Math.max(Math.abs(last.x - others[0].x), 8);
      const now = Math.max(Math.abs(event.offsetX - others[0].x), 8);
      this.view.zoom(before / now, this.drawn.cycleAt((event.offsetX + others[0].x) / 2));
      this.dragged += 10;
    } else {
      this.view.pan((last.x - event.offsetX) / wide * this.view.span);
      this.dragged += Math.abs(last.x - event.offsetX);
    }
    this.fingers.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    this.draw();
  }

  onUp(event) {
    const was = this.fingers.delete(event.pointerId);
    if (was && event.type === 'pointerup' && this.dragged < 5) {
      this.view.selected = this.drawn.runAt(event.offsetX, event.offsetY);
      this.draw();
    }
  }

  hover(run) {
    if (run !== this.drawn.hovered) {
      this.drawn.hovered = run;
      this.drawn.draw();
      this.tell(run || this.view.selected);
    }
  }
}

const timelines = [];

function timelineSection(item) {
  const timeline = new Timeline(item.timeline);
  return make('section', {}, make('h3', {}, 'Timeline'), timeline.element);
}

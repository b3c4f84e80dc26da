'use strict';
// Draws a TimelineView: an axis, the critical path, a lane a pipe.

const kGutter = 50;
const kAxis = 24;
const kPathLane = 16;
const kLane = 34;

class TimelineCanvas {
  constructor(view) {
    this.view = view;
    this.canvas = make('canvas', {tabindex: '0', role: 'application'});
    this.hovered = null;
  }

  get height() {
    return kAxis + kPathLane + this.view.lanes.length * kLane + 4;
  }
  get width() {
    return this.canvas.clientWidth || 320;
  }
  xOf(cycle) {
    return kGutter + (cycle - this.view.begin) / this.view.span * (this.width - kGutter);
  }
  cycleAt(x) {
    return this.view.begin + (x - kGutter) / (this.width - kGutter) * this.view.span;
  }
  laneAt(y) {
    const lane = Math.floor((y - kAxis - kPathLane) / kLane);
    return lane >= 0 && lane < this.view.lanes.length ? lane : -1;
  }
  runAt(x, y) {
    const lane = this.laneAt(y);
    const slack = 4 * this.view.span / (this.width - kGutter);
    return lane < 0 || x < kGutter ? null : this.view.runAt(lane, this.cycleAt(x), slack);
  }

  draw() {
    const scale = Math.max(window.devicePixelRatio || 1, document.documentElement.classList.contains('printing') ? 2 : 1);
    this.canvas.style.height = this.height + 'px';
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue('--' + name).trim();
    const pen = this.canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = '12px system-ui, "Liberation Sans", sans-serif';
    pen.textBaseline = 'middle';
    pen.save();
    pen.beginPath();
    pen.rect(kGutter, 0, this.width - kGutter, this.height);
    pen.clip();
    this.drawAxis(pen);
    this.drawPath(pen);
    this.view.lanes.forEach((lane, index) => this.drawLane(pen, lane, kAxis + kPathLane + index * kLane));
    pen.restore();
    this.drawNames(pen);
    this.canvas.setAttribute('aria-label', this.label());
  }

  label() {
    const view = this.view;
    return `Timeline of ${view.core.name}, cycles ${whole(view.begin)} to ${whole(view.end)} of ${whole(view.cycles)}. ` +
        'Plus and minus zoom, left and right move, up and down go from instruction to instruction, Home shows all.';
  }

  drawAxis(pen) {
    const step = 10 ** Math.floor(Math.log10(this.view.span / Math.max(this.width / 110, 1)));
    const tick = [1, 2, 5, 10].map((times) => times * step).find((size) => size / this.view.span * this.width >= 90) || 10 * step;
    pen.fillStyle = this.colour('soft');
    pen.strokeStyle = this.colour('line');
    pen.lineWidth = 1;
    for (let at = Math.ceil(this.view.begin / tick) * tick; at <= this.view.end; at += tick) {
      const x = Math.round(this.xOf(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, kAxis - 6);
      pen.lineTo(x, this.height);
      pen.stroke();
      const text = whole(at);
      const half = pen.measureText(text).width / 2;
      pen.textAlign = 'left';
      const left = Math.max(x - half, kGutter + 2);
      if (left + 2 * half < this.width) {
        pen.fillText(text, left, 9);
      }
    }
    const {from, to} = this.view.timeline;
    if (this.view.hasDetails && to - from < this.view.cycles) {  // what is drawn one by one
      pen.fillStyle = this.colour('shade');
      pen.fillRect(this.xOf(from), kAxis - 6, this.xOf(to) - this.xOf(from), this.height);
    }
  }

  drawPath(pen) {
    if (this.view.coreIndex !== 0) {
      return;
    }
    let drawnTo = -1;
    this.view.timeline.path.forEach(([begin, end, , run]) => {
      if (end <= this.view.begin || begin >= this.view.end) {
        return;
      }
      const x = Math.max(this.xOf(begin), kGutter);
      const right = Math.max(Math.min(this.xOf(end), this.width), x + 0.6);
      if (right <= drawnTo) {
        return;
      }
      pen.fillStyle = this.colour(run >= 0 ? 'path' : 'tail');
      pen.fillRect(x, kAxis + 4, right - x - (right - x > 3 ? 0.7 : 0), 7);
      drawnTo = right;
    });
  }

  drawLane(pen, lane, top) {
    const view = this.view;
    const colour = this.colour('pipe-' + lane.name);
    const bottom = top + kLane - 5;
    const bin = view.cycles / lane.busy.length;
    pen.globalAlpha = view.hasDetails ? 0.35 : 0.8;
    pen.fillStyle = colour;
    const {from, to} = view.timeline;
    for (let i = Math.max(Math.floor(view.begin / bin), 0); i < lane.busy.length && i * bin < view.end; ++i) {
      const inDetails = view.hasDetails && i * bin >= from - bin && (i + 1) * bin <= to + bin;
      if (!inDetails && lane.busy[i] > 0) {
        const high = (kLane - 8) * Math.min(lane.busy[i], 100) / 100;
        pen.fillRect(this.xOf(i * bin), bottom - high, bin / view.span * (this.width - kGutter), high);
      }
    }
    pen.globalAlpha = 1;
    this.drawRuns(pen, lane, top, colour);
    pen.strokeStyle = this.colour('line');
    pen.beginPath();
    pen.moveTo(kGutter, bottom + 1.5);
    pen.lineTo(this.width, bottom + 1.5);
    pen.stroke();
  }

  drawRuns(pen, lane, top, colour) {
    const view = this.view;
    let drawnTo = -1;
    for (let i = TimelineView.firstAfter(lane.runs, view.begin); i < lane.runs.length; ++i) {
      const run = lane.runs[i];
      if (run[kStart] >= view.end) {
        break;
      }
      const x = this.xOf(run[kStart]);
      const right = Math.max(this.xOf(run[kFree]), x + 1);
      if (right <= drawnTo && run !== view.selected && run !== this.hovered) {
        continue;
      }
      drawnTo = Math.ceil(right);
      const wide = right - x;
      pen.fillStyle = colour;
      pen.fillRect(x, top + 3, wide - (wide > 3 ? 1 : 0), kLane - 9);
      if (view.isCritical(run)) {
        pen.fillStyle = this.colour('path');
        pen.fillRect(x, top + 3, wide - (wide > 3 ? 1 : 0), 4);
      }
      if (wide > 46) {
        this.drawName(pen, run, x, right, top);
      }
      if (run === view.selected || run === this.hovered) {
        pen.strokeStyle = this.colour('text');
        pen.lineWidth = 2;
        pen.strokeRect(x - 1, top + 2, Math.max(wide, 3) + 1, kLane - 7);
        pen.lineWidth = 1;
      }
    }
  }

  drawName(pen, run, x, right, top) {
    const from = Math.max(x, kGutter);
    const to = Math.min(right, this.width);
    const texts = this.view.timeline.texts;
    const text = [texts[run[kName]], texts[run[kTile]]].filter(Boolean).join(' \u00b7 ');
    const fits = pen.measureText(text).width < to - from - 8 ? text : texts[run[kName]];
    if (pen.measureText(fits).width < to - from - 8) {
      pen.fillStyle = this.colour('ground');
      pen.textAlign = 'left';
      pen.fillText(fits, from + 4, top + kLane / 2);
    }
  }

  drawNames(pen) {
    pen.textAlign = 'left';
    pen.fillStyle = this.colour('soft');
    pen.fillText('cycle', 0, 9);
    if (this.view.coreIndex === 0) {
      pen.fillStyle = this.colour('path');
      pen.fillText('path', 0, kAxis + 8);
    }
    this.view.lanes.forEach((lane, index) => {
      pen.fillStyle = this.colour('pipe-' + lane.name);
      pen.font = '600 12px system-ui, "Liberation Sans", sans-serif';
      pen.fillText(lane.name, 0, kAxis + kPathLane + index * kLane + kLane / 2 - 1);
    });
  }
}

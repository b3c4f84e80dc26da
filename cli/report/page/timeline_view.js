'use strict';
// The part of the launch's time that a timeline shows, and the cores and instructions in it. Knows no canvas.

// An instruction is an array: see TimelineJson.
const kRun = 0, kPipe = 1, kName = 2, kPlace = 3, kTile = 4, kReason = 5, kIssue = 6, kReady = 7, kStart = 8, kFree = 9, kDone = 10;

const kLeastShown = 20;  // cycles

class TimelineView {
  constructor(timeline) {
    this.timeline = timeline;
    this.cycles = timeline.cycles;
    this.critical = new Set(timeline.path.map((stretch) => stretch[3]).filter((run) => run >= 0));
    this.lanesOf = new Map();
    this.chooseCore(0);
    this.showAll();
  }

  // The instructions of a pipe never overlap and come in order of time, so that they can be searched.
  chooseCore(index) {
    this.coreIndex = index;
    this.core = this.timeline.cores[index];
    if (!this.lanesOf.has(index)) {
      this.lanesOf.set(index, this.core.lanes.map((lane) => ({
        name: lane.name, busy: lane.busy, runs: this.core.runs.filter((run) => run[kPipe] === lane.pipe),
      })));
    }
    this.lanes = this.lanesOf.get(index);
    this.selected = null;
  }

  get hasDetails() {
    return this.core.runs.length > 0;
  }
  get span() {
    return this.end - this.begin;
  }

  show(begin, end) {
    const span = Math.min(Math.max(end - begin, kLeastShown), this.cycles);
    this.begin = Math.min(Math.max(begin, 0), this.cycles - span);
    this.end = this.begin + span;
  }
  showAll() {
    this.show(0, this.cycles);
  }
  showDetails() {
    this.show(this.timeline.from, this.timeline.to);
  }
  zoom(factor, at = (this.begin + this.end) / 2) {
    const span = Math.min(Math.max(this.span * factor, kLeastShown), this.cycles);
    const left = (at - this.begin) / this.span;
    this.show(at - left * span, at - left * span + span);
  }
  pan(cycles) {
    this.show(this.begin + cycles, this.end + cycles);
  }

  isCritical(run) {
    return this.coreIndex === 0 && this.critical.has(run[kRun]);
  }

  // The first instruction of the lane that ends after `cycle`.
  static firstAfter(runs, cycle) {
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle][kFree] > cycle) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // The instruction of a lane nearest to `cycle`, within `slack` cycles.
  runAt(lane, cycle, slack) {
    const runs = this.lanes[lane].runs;
    const first = TimelineView.firstAfter(runs, cycle - slack);
    let best = null;
    let bestDistance = slack;
    for (let i = first; i < runs.length && runs[i][kStart] <= cycle + slack; ++i) {
      const distance = Math.max(runs[i][kStart] - cycle, cycle - runs[i][kFree], 0);
      if (distance <= bestDistance) {
        best = runs[i];
        bestDistance = distance;
      }
      if (distance === 0) {
        break;
      }
    }
    return best;
  }

  // Those of all lanes in view, in order of time.
  runsInView(most) {
    const inView = this.lanes.flatMap((lane) => {
      const first = TimelineView.firstAfter(lane.runs, this.begin);
      const runs = [];
      for (let i = first; i < lane.runs.length && lane.runs[i][kStart] < this.end && runs.length < most; ++i) {
        runs.push(lane.runs[i]);
      }
      return runs;
    });
    return inView.sort((a, b) => a[kStart] - b[kStart] || a[kRun] - b[kRun]).slice(0, most);
  }

  // Goes to the next or the last instruction in program order.
  step(by) {
    const runs = this.core.runs;
    if (runs.length === 0) {
      return;
    }
    const at = this.selected === null ? runs.findIndex((run) => run[kStart] >= this.begin) - (by > 0 ? 1 : 0)
                                      : runs.indexOf(this.selected);
    this.selected = runs[Math.min(Math.max(at + by, 0), runs.length - 1)];
    if (this.selected[kStart] < this.begin || this.selected[kFree] > this.end) {
      const middle = (this.selected[kStart] + this.selected[kFree]) / 2;
      this.show(middle - this.span / 2, middle + this.span / 2);
    }
  }

  pipeOf(run) {
    return this.core.lanes.find((lane) => lane.pipe === run[kPipe]).name;
  }

  describe(run) {
    const texts = this.timeline.texts;
    const waits = [];
    if (run[kReady] > run[kIssue]) {
      waits.push(`${whole(run[kReady] - run[kIssue])} for flags`);
    }
    if (run[kStart] > run[kReady]) {
      waits.push(`${whole(run[kStart] - run[kReady])} for its pipe`);
    }
    return [
      `${texts[run[kName]]} on ${this.pipeOf(run)}`,
      texts[run[kTile]] ? `tile ${texts[run[kTile]]}` : '',
      `cycles ${whole(run[kStart])} to ${whole(run[kFree])} (${whole(run[kFree] - run[kStart])}), result at ${whole(run[kDone])}`,
      `issued at ${whole(run[kIssue])}` + (waits.length > 0 ? `, waited ${waits.join(', ')}` : '') +
          `; last for: ${texts[run[kReason]]}`,
      texts[run[kPlace]],
      this.isCritical(run) ? 'on the critical path' : '',
    ].filter((text) => text !== '');
  }
}

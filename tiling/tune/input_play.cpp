#include "tiling/tune/input_play.h"

#include <algorithm>

#include "formats/units.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kMostSteps = 1 << 15;

}  // namespace

InputPlay::InputPlay(const InputProblem& problem, const SocConfig& soc, const InputTileCycles& cycles,
                     int64_t base_n, const InputDealt& dealt)
    : p_(problem),
      soc_(soc),
      cycles_(cycles),
      e_(ExtentsOf(problem)),
      base_lines_(base_n / e_.c0),
      dealt_(dealt),
      depth_{.di = problem.di,
             .dout = problem.dout,
             .dk = problem.dk,
             .stride = problem.stride_d,
             .dilation = problem.dilation_d,
             .pad_front = problem.pad_front} {
  for (const InputDealtTask& own : dealt.tasks) {
    const InputTask& task = own.task;
    const auto same = std::ranges::find_if(kinds_, [&](const Kind& kind) {
      return kind.rows == task.rows && kind.lines == task.lines && kind.row == task.row;
    });
    kind_of_.push_back(static_cast<size_t>(same - kinds_.begin()));
    if (same == kinds_.end()) {
      kinds_.push_back(KindOf(task));
    }
  }
  a_.is_a = true;
}

int64_t InputPlay::LinesOf(const Kind& kind, int64_t n) const {
  return std::min(base_lines_, kind.lines - n * base_lines_);
}

bool InputPlay::NextBlock(const Kind& kind, Step& step) const {
  if (choice_.m_fast) {
    if (++step.block < kind.blocks.size()) {
      return true;
    }
    step.block = 0;
    return ++step.n < kind.n_count;
  }
  if (++step.n < kind.n_count) {
    return true;
  }
  step.n = 0;
  return ++step.block < kind.blocks.size();
}

bool InputPlay::Next(const Kind& kind, Step& step) const {
  step.line += step_lines_;
  if (step.line < task_->outs) {
    return true;
  }
  step.line = 0;
  if (++step.tap < taps_.size()) {
    return true;
  }
  step.tap = 0;
  while (NextBlock(kind, step)) {
    if (!kind.blocks[step.block].zeros) {
      return true;
    }
  }
  return false;
}

InputPlay::Key InputPlay::KeyOf(const Tiles& tiles, const Kind& kind, const Step& step) const {
  const Block& block = kind.blocks[step.block];
  const Tap& tap = taps_[step.tap];
  const int64_t line = step.line / tiles.lines * tiles.lines;
  if (tiles.is_a) {  // rows and columns as they lie in dy
    const Span& span = kind.spans[static_cast<size_t>(block.span)];
    return {tap.plane, span.row << 32 | span.rows, line, span.column << 32 | span.columns};
  }
  return {tap.tap, step.n << 32 | LinesOf(kind, step.n), line, block.phase};
}

void InputPlay::Forget(Tiles& tiles, double free) {
  for (Tiles::Slot& slot : tiles.slots) {
    slot.free = slot.held ? free : slot.free;
    slot.held = false;
  }
}

// Whether the tile is another than the one needed last.
bool InputPlay::Need(Tiles& tiles, const Kind& kind, const Step& step, double& ready) {
  const Key key = KeyOf(tiles, kind, step);
  const auto holds = [&](size_t at) { return tiles.slots[at].held && tiles.slots[at].key == key; };
  const bool other = !holds(tiles.in_use);
  if (other) {
    const size_t at = tiles.copies == 2 ? 1 - tiles.in_use : 0;
    if (!holds(at)) {
      Fill(tiles, at, kind, step);
    }
    tiles.in_use = at;
  }
  ready = std::max(ready, tiles.slots[tiles.in_use].ready);
  return other;
}

void InputPlay::BringNext(Tiles& tiles, const Kind& kind, const Step& step) {
  if (tiles.copies != 2) {
    return;
  }
  const Key key = KeyOf(tiles, kind, step);
  const int64_t steps = std::max(choice_.lines_a, choice_.lines_b) / step_lines_;
  Step next = step;
  for (int64_t i = 0; i < steps && Next(kind, next); ++i) {
    const Key next_key = KeyOf(tiles, kind, next);
    if (!(next_key == key)) {
      const size_t other = 1 - tiles.in_use;
      if (!tiles.slots[other].held || !(tiles.slots[other].key == next_key)) {
        Fill(tiles, other, kind, next);
      }
      return;
    }
  }
}

void InputPlay::PlayK(const Sort& sort, const Costs& costs, bool first, double ready) {
  constexpr double kIssued = 7;  // at least
  // of all entries of MTE1's queue some have left before the last of these is in it
  queued_ += costs.entries;
  while (!queue_.empty() && queued_ - soc_.queue_mte1 >= queue_.front().entries) {
    scalar_ = std::max(scalar_, queue_.front().left);
    queued_ -= queue_.front().entries;
    queue_.pop_front();
  }
  cube_.mte1_free =
      std::max({cube_.mte1_free, half_free_[half_], ready, scalar_}) + costs.load_a + costs.load_b;
  mte1_done_ = cube_.mte1_free + Real(soc_.load_latency_cycles);
  queue_.push_back({cube_.mte1_free, costs.entries});
  double start = std::max(cube_.m_free, mte1_done_ + CubeBound::FlagCycles(soc_));
  if (first) {
    start = std::max(start, c_free_[c_next_]);
  } else if (sort.waits) {
    start = std::max(start, m_done_ + Real(soc_.barrier_cycles));
  }
  cube_.m_free = start + costs.multiply;
  m_done_ = cube_.m_free + Real(soc_.mmad_latency_cycles);
  half_free_[half_] = m_done_ + CubeBound::FlagCycles(soc_);
  half_ = choice_.l0_copies == 2 ? 1 - half_ : 0;
  cube_.mte1_busy += costs.load_a + costs.load_b;
  cube_.m_busy += costs.multiply;
  scalar_ += kIssued * Real(soc_.scalar_issue_cycles);
  ++steps_;
}

void InputPlay::PlayProducts(const Kind& kind, Step& step, Sort& sort) {
  const int64_t line = kind.blocks[step.block].taps * e_.c0;
  bool first = true;
  for (step.tap = 0; step.tap < taps_.size(); ++step.tap) {
    for (step.line = 0; step.line < task_->outs; step.line += step_lines_) {
      double ready = 0;
      const bool new_a = Need(a_, kind, step, ready);
      const bool new_b = Need(b_, kind, step, ready);
      if (new_a) {
        BringNext(a_, kind, step);
      }
      if (new_b) {
        BringNext(b_, kind, step);
      }
      const int64_t k_end = std::min(step_lines_, task_->outs - step.line) * line;
      const int64_t piece = ConvBackpropApi::PieceOfK(k_end, choice_.base_k, e_.c0);
      for (int64_t k = 0; k < k_end; k += piece) {
        PlayK(sort, CostsOf(sort, std::min(piece, k_end - k)), first, ready);
        first = false;
      }
    }
  }
  step.tap = 0;
  step.line = 0;
}

void InputPlay::PlayBlock(const Kind& kind, Step& step) {
  const Block& block = kind.blocks[step.block];
  Sort& sort = sorts_[block.sort[step.n + 1 == kind.n_count ? 1 : 0]];
  if (block.zeros || taps_.empty()) {
    PlayK(sort, sort.zeros, true, 0);
  } else {
    PlayProducts(kind, step, sort);
  }
  cube_.fix_free = std::max({cube_.fix_free, m_done_ + CubeBound::FlagCycles(soc_), scalar_}) + sort.fix;
  cube_.fix_busy += sort.fix;
  c_free_[c_next_] = cube_.fix_free + Real(soc_.gm_write_latency_cycles) + CubeBound::FlagCycles(soc_);
  c_next_ = choice_.l0c_copies == 2 ? 1 - c_next_ : 0;
}

// With what the pipes have left to do.
double InputPlay::LeastEnd() const { return CubeBound::LeastEnd(soc_, cube_, all_); }

bool InputPlay::GoesOn() const { return steps_ <= kMostSteps && LeastEnd() < cutoff_; }

void InputPlay::PlayPlane(const Kind& kind) {
  Step step;
  do {
    PlayBlock(kind, step);
  } while (GoesOn() && NextBlock(kind, step));
}

double InputPlay::Play(bool shares) {
  shares_ = shares;
  steps_ = queued_ = 0;
  moves_ = 0;
  scalar_ = mte2_free_ = mte2_done_ = mte1_done_ = m_done_ = 0;
  all_read_ = all_fetched_ = 0;
  cube_ = {};
  half_free_ = c_free_ = {};
  half_ = c_next_ = 0;
  queue_.clear();
  a_.slots = b_.slots = {};
  a_.in_use = b_.in_use = 0;
  for (size_t i = 0; i < dealt_.tasks.size() && GoesOn(); ++i) {
    task_ = &dealt_.tasks[i];
    const Kind& kind = kinds_[kind_of_[i]];
    StartTask(kind);
    for (int64_t din = task_->task.din; din < task_->task.din + task_->task.dins && GoesOn(); ++din) {
      taps_.clear();
      for (int64_t tap = 0; tap < p_.dk; ++tap) {
        if (const int64_t plane = depth_.PlaneOf(din, tap); plane >= 0) {
          taps_.push_back({tap, plane});
        }
      }
      PlayPlane(kind);
    }
  }
  return LeastEnd();
}

double InputPlay::Cycles(const InputStepChoice& choice, const CubeCycles& all, double cutoff) {
  choice_ = choice;
  all_ = all;
  cutoff_ = cutoff;
  step_lines_ = std::min(choice.lines_a, choice.lines_b);
  a_.copies = choice.copies_a, a_.lines = choice.lines_a;
  b_.copies = choice.copies_b, b_.lines = choice.lines_b;
  arrivals_.clear();
  const double alone = Play(false);
  const bool any_together =
      std::ranges::any_of(dealt_.tasks, [](const auto& own) { return own.together > 1; });
  return alone < cutoff && any_together ? std::max(alone, Play(true)) : alone;
}

}  // namespace tilesim

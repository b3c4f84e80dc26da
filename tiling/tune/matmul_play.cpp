#include "tiling/tune/matmul_play.h"

#include <tuple>

#include "formats/units.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/cube_bound.h"

namespace tilesim {
namespace {

constexpr int64_t kMostSteps = 1 << 12;
constexpr int kPresetFlags = 3;     // that a TPipe sets when it is made
constexpr int64_t kLookEvery = 16;  // steps

}  // namespace

MatmulPlay::MatmulPlay(const MatmulPieces& pieces, MatmulFirstMoves& together, const MatmulShape& shape,
                       const SocConfig& soc, const MatmulSize& part, const MatmulSize& block, int64_t begin)
    : pieces_(pieces),
      together_(together),
      shape_(shape),
      soc_(soc),
      part_(part),
      block_(block),
      begin_(begin),
      at_start_(TimelineCosts::Of(soc)),
      clock_(at_start_) {
  a_.side = MatmulPieces::kA;
  b_.side = MatmulPieces::kB;
}

void MatmulPlay::BeginBlock() {
  // of all cores none hands its blocks over faster than by unit flags
  by_unit_ = choice_.unit_flag && (m_ % kFractalEdge == 0 || of_ == Of::kAll);
  if (choice_.unit_flag && !by_unit_) {
    clock_.SetFlag(Pipe::kFix, Pipe::kM, 0);
    clock_.WaitFlag(Pipe::kFix, Pipe::kM, 0);
  } else if (!choice_.unit_flag && c_given_back_[c_]) {
    clock_.WaitFlag(Pipe::kFix, Pipe::kM, static_cast<int>(c_));
    c_given_back_[c_] = false;
  }
}

void MatmulPlay::WriteBlock() {
  const Cost& cost =
      Find(kWrite, {m_, n_, 0}, [&](Known& known) { known.cost = pieces_.Write(m_, n_); }).cost;
  const int flag = choice_.unit_flag ? 0 : static_cast<int>(c_);
  if (!by_unit_) {
    clock_.SetFlag(Pipe::kM, Pipe::kFix, flag);
    clock_.WaitFlag(Pipe::kM, Pipe::kFix, flag);
  }
  const Span span = clock_.Run(Pipe::kFix, cost);
  done_.fix_busy += Real(cost.busy_cycles);
  if (by_unit_) {
    unit_since_[c_] = span.free;
  } else {
    clock_.SetFlag(Pipe::kFix, Pipe::kM, flag);
    if (choice_.unit_flag) {
      clock_.WaitFlag(Pipe::kFix, Pipe::kM, flag);
    } else {
      c_given_back_[c_] = true;
    }
  }
  c_ = choice_.l0c_copies == 2 ? 1 - c_ : 0;
}

void MatmulPlay::PlayK(const MatmulWalk& walk, int64_t k) {
  const int64_t size_k = std::min(block_.k, task_->size.k - k * block_.k);
  const int64_t tile = choice_.step_n * block_.n;
  // of all cores none loads its blocks in fewer pieces than one
  const int64_t tile_n = of_ == Of::kAll ? n_ : std::min(tile, task_->size.n - int64_t{walk.n_step()} * tile);
  const MatmulPieces::Loads& load_a = Find(kLoadA, {m_, size_k, 0}, [&](Known& known) {
                                        known.loads = pieces_.Load(MatmulPieces::kA, m_, size_k, m_);
                                      }).loads;
  const int flag = static_cast<int>(half_);
  clock_.WaitFlag(Pipe::kM, Pipe::kMte1, flag);
  clock_.Run(Pipe::kMte1, load_a.last);
  done_.mte1_busy += Real(load_a.busy_cycles());
  const MatmulPieces::Loads& load_b = Find(kLoadB, {n_, size_k, tile_n}, [&](Known& known) {
                                        known.loads = pieces_.Load(MatmulPieces::kB, n_, size_k, tile_n);
                                      }).loads;
  for (int64_t i = 1; i < load_b.count; ++i) {
    clock_.Run(Pipe::kMte1, load_b.each);
  }
  clock_.Run(Pipe::kMte1, load_b.last);
  done_.mte1_busy += Real(load_b.busy_cycles());
  clock_.SetFlag(Pipe::kMte1, Pipe::kM, flag);
  clock_.WaitFlag(Pipe::kMte1, Pipe::kM, flag);
  if (k > 0 && of_ != Of::kAll && AlignUp(m_, kFractalEdge) * AlignUp(n_, kFractalEdge) < kSelfOrdered) {
    clock_.Barrier(Pipe::kM);
  }
  if (by_unit_) {
    clock_.Hold(Pipe::kM, {unit_since_[c_], {}});
  }
  const Cost& cost = Find(kMultiply, {m_, n_, size_k}, [&](Known& known) {
                       known.cost = pieces_.Multiply(m_, n_, size_k);
                     }).cost;
  const Span span = clock_.Run(Pipe::kM, cost);
  if (by_unit_ && k + 1 == blocks_k_) {
    clock_.Hold(Pipe::kFix, {span.done, {}});
  }
  done_.m_busy += Real(cost.busy_cycles);
  clock_.SetFlag(Pipe::kM, Pipe::kMte1, flag);
  half_ = choice_.l0_copies == 2 ? 1 - half_ : 0;
  ++steps_;
}

void MatmulPlay::PlayBlock(const MatmulWalk& walk, const MatmulWalk* next) {
  const auto step_of = [](uint32_t step) { return static_cast<int64_t>(step); };
  m_ = std::min(block_.m, task_->size.m - walk.m() * block_.m);
  n_ = std::min(block_.n, task_->size.n - walk.n() * block_.n);
  const int64_t next_m = next == nullptr ? -1 : step_of(next->m_step());
  const int64_t next_n = next == nullptr ? -1 : step_of(next->n_step());
  const int64_t m_step = step_of(walk.m_step());
  const int64_t n_step = step_of(walk.n_step());
  BeginBlock();
  for (int64_t k = 0; k < blocks_k_ && !stops_; ++k) {
    Need(a_, m_step, k / a_.step_k);
    Need(b_, n_step, k / b_.step_k);
    BringNext(a_, k, m_step, next_m);
    BringNext(b_, k, n_step, next_n);
    PlayK(walk, k);
    for (Tiles* const tiles : {&a_, &b_}) {
      if (!tiles->keep && (k + 1 == blocks_k_ || (k + 1) % tiles->step_k == 0)) {
        FreeOldest(*tiles);
      }
    }
    stops_ = steps_ % kLookEvery == 0 && (steps_ >= kMostSteps || LeastEnd() >= cutoff_);
  }
  if (stops_) {
    return;
  }
  for (const auto& [tiles, now, then] : {std::tuple(&a_, m_step, next_m), std::tuple(&b_, n_step, next_n)}) {
    while (tiles->keep && then != now && tiles->held > 0 && tiles->tiles[0].block_step == now) {
      FreeOldest(*tiles);
    }
  }
  WriteBlock();
}

void MatmulPlay::PlayTask(const MatmulDealtTask& task) {
  task_ = &task;
  blocks_k_ = CeilDiv(task.size.k, block_.k);
  for (Tiles* const tiles : {&a_, &b_}) {
    const bool is_a = tiles->side == MatmulPieces::kA;
    const int64_t blocks = is_a ? CeilDiv(task.size.m, block_.m) : CeilDiv(task.size.n, block_.n);
    tiles->keep = blocks_k_ <= tiles->step_k * tiles->copies;
    tiles->k_steps = CeilDiv(blocks_k_, tiles->step_k);
    tiles->met.assign(static_cast<size_t>(CeilDiv(blocks, tiles->step) * tiles->k_steps), false);
  }
  MatmulWalk walk(data_, {.m = {0, task.size.m}, .n = {0, task.size.n}, .k = {0, task.size.k}});
  for (bool more = true; more && !stops_;) {
    MatmulWalk next = walk;
    more = next.Next();
    PlayBlock(walk, more ? &next : nullptr);
    walk = next;
  }
}

// With what the pipes have left to do.
double MatmulPlay::LeastEnd() const {
  CubeProgress now = done_;
  now.m_free = Real(clock_.NextStart(Pipe::kM));
  now.mte1_free = Real(clock_.NextStart(Pipe::kMte1));
  now.fix_free = Real(clock_.NextStart(Pipe::kFix));
  const double rest = all_moves_ - moves_busy_;
  const double from_cube =
      Real(soc_.mmad_latency_cycles + soc_.fixpipe_floor_cycles + soc_.gm_write_latency_cycles);
  return std::max(CubeBound::LeastEnd(soc_, now, all_),
                  rest > 0 ? Real(clock_.NextStart(Pipe::kMte2)) + rest + from_cube : 0);
}

double MatmulPlay::Play(const std::vector<MatmulDealtTask>& tasks, Of of) {
  of_ = of;
  clock_ = at_start_;
  for (int id = 0; id < kPresetFlags; ++id) {
    clock_.SetFlag(Pipe::kM, Pipe::kMte1, id);
  }
  if (begin_ > 0) {
    clock_.HoldAllUntil({begin_, {}});
  }
  for (Tiles* const tiles : {&a_, &b_}) {
    tiles->held = tiles->next = 0;
    tiles->given_back = {};
  }
  half_ = c_ = moves_ = 0;
  unit_since_ = {};
  c_given_back_ = {};
  done_ = {};
  moves_busy_ = 0;
  steps_ = 0;
  stops_ = false;
  l2_ = hbm_ = {};
  for (const MatmulDealtTask& task : tasks) {
    if (stops_) {
      break;
    }
    PlayTask(task);
  }
  if (stops_) {
    return LeastEnd();
  }
  for (size_t copy = 0; copy < 2; ++copy) {
    if (c_given_back_[copy]) {
      clock_.WaitFlag(Pipe::kFix, Pipe::kM, static_cast<int>(copy));
    }
  }
  return Real(clock_.End().at);
}

double MatmulPlay::Cycles(const MatmulDealt& dealt, const MatmulPlaces* places, const MatmulChoice& choice,
                          const CubeCycles& all, double moves, double cutoff) {
  dealt_ = &dealt;
  choice_ = choice;
  all_ = all;
  all_moves_ = moves;
  cutoff_ = cutoff;
  data_.baseM = static_cast<uint32_t>(block_.m);
  data_.baseN = static_cast<uint32_t>(block_.n);
  data_.stepM = static_cast<uint32_t>(choice.step_m);
  data_.stepN = static_cast<uint32_t>(choice.step_n);
  data_.iterateOrder = choice.n_fast ? 1 : 0;
  a_.copies = choice.copies_a, a_.step = choice.step_m, a_.step_k = choice.step_ka;
  b_.copies = choice.copies_b, b_.step = choice.step_n, b_.step_k = choice.step_kb;
  starts_.clear();
  least_starts_.clear();
  knows_all_ = dealt.even;
  if (!dealt.even && SameSteps(dealt, block_)) {
    all_ = {};  // what is left is known of the busiest core only
    all_moves_ = 0;
    Play(dealt.least, Of::kAll);
    all_ = all;
    all_moves_ = moves;
    knows_all_ = true;
  }
  first_least_.clear();
  first_last_.clear();
  first_moves_.clear();
  double each = Play(dealt.tasks, Of::kEach);
  if (each < cutoff && places != nullptr && FindFirstMoves(*places)) {
    starts_.clear();
    each = Play(dealt.tasks, Of::kEach);
  }
  const bool is_last = dealt.alike > 1 || !first_last_.empty();
  return each < cutoff && is_last ? std::max(each, Play(dealt.tasks, Of::kLast)) : each;
}

}  // namespace tilesim

#include "tiling/conv_backprop/input_clock.h"

#include <algorithm>
#include <cmath>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"

namespace tilesim {
namespace {

using ConvBackpropApi::InputBlock;
using ConvBackpropApi::InputStep;

constexpr double kScalarPerK = 8;  // instructions the scalar unit issues for one block of K, and one a load

}  // namespace

InputClock::InputClock(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling,
                       const SocConfig& soc, int64_t cores, const InputCoreWork& work)
    : p_(problem),
      t_(tiling),
      soc_(soc),
      moves_(problem, tiling, soc, cores, work),
      e_(ExtentsOf(problem)),
      depth_(InputTaskSpace::Of(tiling).depth) {
  const int64_t lines = InputL1::Of(tiling).lines;
  order_.Init(depth_, lines, lines * tiling.stepKb / tiling.stepKa);
  const ConvBackpropApi::InputShape shape = ConvBackpropApi::ShapeOf(tiling, 0, 1, 1, true);
  phases_ = Real(int64_t{shape.rows.split} * shape.columns.split);
  halves_ = tiling.al0Pbuffer == 2 && tiling.bl0Pbuffer == 2;
  load_latency_ = Real(soc.load_latency_cycles);
  multiply_latency_ = Real(soc.mmad_latency_cycles);
  a_.copies = tiling.al1Pbuffer;
  b_.copies = tiling.bl1Pbuffer;
}

double InputClock::now() const { return fix_free_ + Real(soc_.gm_write_latency_cycles); }

double InputClock::StepsOf(const InputTask& task) const {
  const double blocks =
      Real(CeilDiv(task.rows * p_.wi, int64_t{t_.baseM}) * CeilDiv(task.lines * e_.c0, int64_t{t_.baseN}));
  const double taps = Real(depth_.TapsBelow(task.din + task.dins) - depth_.TapsBelow(task.din));
  const double line = Real(p_.hk * p_.wk * e_.c0) / phases_;  // K behind a line of cout, of a phase
  const int64_t step = order_.LinesOfStep();
  const double a_tap =
      Real(CeilDiv(e_.cout1_g, step)) * std::ceil(Real(std::min(step, e_.cout1_g)) * line / Real(t_.baseK));
  return std::max(Real(task.dins), taps * a_tap) * blocks;
}

InputTileKey InputClock::KeyA(const InputStep& step) const {
  return {.depth = order_.PlaneOf(step),
          .across = step.rows.first,
          .along = order_.TileOfA(step).first,
          .extent = step.rows.count};
}

InputTileKey InputClock::KeyB(const InputStep& step) const {
  const InputBlock& block = step.walk.block();
  return {.depth = step.tap_d,
          .across = int64_t{step.walk.n()} * t_.baseN / e_.c0,
          .along = order_.TileOfB(step).first,
          .extent = int64_t{block.h.phase} * block.w.split + block.w.phase};
}

// A tile's buffer is given back when it is filled anew: after every load to L0 that was issued before.
void InputClock::Fill(Tiles& tiles, size_t at, const InputTileKey& key, const InputStep& step) {
  Tiles::Slot& slot = tiles.slots[at];
  const double start = std::max({scalar_, mte2_free_, slot.held ? mte1_done_ + 1 : 0});
  const CoreShares::Needs move =
      &tiles == &a_ ? moves_.LoadA(slot.zeros, key, step) : moves_.LoadB(key, step);
  mte2_free_ = shares_.EndOf(start, move, true);
  slot.key = key;
  slot.held = true;
  slot.ready = mte2_free_ + Real(soc_.gm_read_latency_cycles) + 1;
  busy_.mte2 += move.busy;
}

// Whether the tile is another than the one needed last.
bool InputClock::Need(Tiles& tiles, const InputTileKey& key, const InputStep& step, double& ready) {
  const Tiles::Slot& last = tiles.slots[tiles.in_use];
  const bool other = !last.held || last.key != key;
  if (other) {
    size_t at = tiles.copies == 2 ? 1 - tiles.in_use : 0;
    if (!tiles.slots[at].held || tiles.slots[at].key != key) {
      Fill(tiles, at, key, step);
    }
    tiles.in_use = at;
  }
  ready = std::max(ready, tiles.slots[tiles.in_use].ready);
  return other;
}

void InputClock::BringNext(Tiles& tiles, const InputStep& step, const InputTileKey& key) {
  if (tiles.copies != 2) {
    return;
  }
  constexpr int64_t kFarEnough = 64;  // blocks that nothing reaches, one behind the other
  const int64_t steps = order_.StepsOfTile();
  InputStep next = step;
  for (int64_t i = 0; i < steps && order_.NextAnywhere(next, kFarEnough); ++i) {
    const InputTileKey next_key = &tiles == &a_ ? KeyA(next) : KeyB(next);
    if (next_key != key) {
      const size_t other = 1 - tiles.in_use;
      if (!tiles.slots[other].held || tiles.slots[other].key != next_key) {
        Fill(tiles, other, next_key, next);
      }
      return;
    }
  }
}

const InputClock::KCosts& InputClock::CostsOf(const InputStep& step, int64_t k_length) {
  for (const KCosts& costs : k_costs_) {
    if (costs.length == k_length) {
      return costs;
    }
  }
  const InputBlock& block = step.walk.block();
  const int64_t lines = moves_.LinesOf(step.walk);
  const int64_t parts = k_length / e_.c0;
  const int64_t taps = int64_t{block.h.taps} * block.w.taps;
  KCosts costs{.length = k_length};
  costs.load_a = Real(isa::Img2ColCost(soc_, Memory::kL0A,
                                       {.m_start = block.col_begin,
                                        .m_extension = AlignUp(block.pixels, int64_t{16}),
                                        .channel_blocks = parts,
                                        .out_width = block.w.pixels})
                          .busy_cycles);
  int64_t loads = taps == 1 ? std::min(parts, lines) : parts;
  if (e_.c0 == 8) {
    loads = taps == 1 ? 1 : parts;
    costs.load_b = Real(loads * isa::Img2ColCost(soc_, Memory::kL0B,
                                                 {.m_start = 0,
                                                  .m_extension = k_length / loads,
                                                  .channel_blocks = lines,
                                                  .out_width = std::max(order_.lines_b() * e_.c0, k_length)})
                                    .busy_cycles);
  } else {
    costs.load_b = Real(loads * isa::LoadCost(soc_, Memory::kL0B, parts * lines / loads).busy_cycles);
  }
  costs.multiply = Real(
      isa::MmadCost(soc_, p_.dtype, t_.hf32Flag != 0, block.pixels, lines * e_.c0, k_length).busy_cycles);
  costs.entries = 3 + loads;
  k_costs_.push_back(costs);
  return k_costs_.back();
}

void InputClock::PlayK(const KCosts& costs, bool first, bool barrier) {
  ++steps_;
  const double loads = costs.load_a + costs.load_b;
  // entries of MTE1's queue: a new block of K waits until those of the oldest have left
  scalar_ += kScalarPerK + Real(costs.entries);
  while (queued_ > 0 && queued_ + costs.entries > soc_.queue_mte1) {
    Queued* oldest = &queue_[queue_next_];
    while (oldest->entries == 0) {
      queue_next_ = (queue_next_ + 1) % kMostQueued;
      oldest = &queue_[queue_next_];
    }
    scalar_ = std::max(scalar_, oldest->left);
    queued_ -= oldest->entries;
    oldest->entries = 0;
  }
  const double start = std::max({mte1_free_, half_free_[half_], scalar_});
  mte1_free_ = start + loads;
  mte1_done_ = mte1_free_ + load_latency_;
  double multiply_start = std::max(m_free_, mte1_done_ + 1);
  if (first) {
    multiply_start = std::max(multiply_start, c_free_[c_next_]);
  } else if (barrier) {
    multiply_start = std::max(multiply_start, m_done_ + 1);
  }
  m_free_ = multiply_start + costs.multiply;
  m_done_ = m_free_ + multiply_latency_;
  half_free_[half_] = m_done_ + 1;
  half_ = halves_ ? 1 - half_ : 0;
  busy_.mte1 += loads;
  busy_.cube += costs.multiply;

  size_t last = (queue_next_ + kMostQueued - 1) % kMostQueued;
  if (queue_[last].entries > 0) {  // full: the oldest is forgotten
    queued_ -= queue_[queue_next_].entries;
    last = queue_next_;
    queue_next_ = (queue_next_ + 1) % kMostQueued;
  }
  queue_[last] = {.left = mte1_free_, .entries = costs.entries};
  queued_ += costs.entries;
}

void InputClock::PlayStep(const InputStep& step, bool first) {
  const InputTileKey key_a = KeyA(step);
  const InputTileKey key_b = KeyB(step);
  double ready = 0;
  const bool new_a = Need(a_, key_a, step, ready);
  const bool new_b = Need(b_, key_b, step, ready);
  if (new_a) {
    BringNext(a_, step, key_a);
  }
  if (new_b) {
    BringNext(b_, step, key_b);
  }
  mte1_free_ = std::max(mte1_free_, ready);
  const InputBlock& block = step.walk.block();
  const int64_t k_end = order_.LinesOf(step) * block.h.taps * block.w.taps * e_.c0;
  const bool barrier =
      AlignUp(block.pixels, int64_t{16}) * AlignUp(moves_.LinesOf(step.walk) * e_.c0, int64_t{16}) <
      kSelfOrdered;
  const int64_t piece = ConvBackpropApi::PieceOfK(k_end, t_.baseK, e_.c0);
  for (int64_t k = 0; k < k_end && steps_ < most_steps_; k += piece) {
    PlayK(CostsOf(step, std::min(piece, k_end - k)), first && k == 0, barrier);
  }
}

void InputClock::PlayWrite() {
  const double start = std::max(fix_free_, m_done_ + 1);
  const CoreShares::Needs write = moves_.Write(walk_.block(), moves_.LinesOf(walk_));
  fix_free_ = shares_.EndOf(start, write, false);
  busy_.fix += write.busy;
  c_free_[c_next_] = fix_free_ + Real(soc_.gm_write_latency_cycles) + 1;
  c_next_ = t_.cl0Pbuffer == 2 ? 1 - c_next_ : 0;
}

void InputClock::PlayBlock() {
  k_costs_.clear();
  InputStep step;
  if (order_.First(walk_, step)) {
    bool first = true;
    do {
      PlayStep(step, first);
      first = false;
    } while (steps_ < most_steps_ && order_.Next(step));
  } else {
    const int64_t lines = moves_.LinesOf(walk_);
    const double multiply =
        Real(isa::MmadCost(soc_, p_.dtype, false, walk_.block().pixels, lines * e_.c0, e_.c0).busy_cycles);
    PlayK({.length = e_.c0, .load_a = 4, .load_b = 5, .multiply = multiply, .entries = 4}, true, false);
  }
  PlayWrite();
}

double InputClock::Play(const InputTask& task, double most_steps) {
  most_steps_ = most_steps;
  const double before = steps_;
  task_ = task;
  const int64_t lines = std::min<int64_t>(t_.cout1G, int64_t{t_.cout1} - task.group * t_.cout1G);
  const int64_t pad_up = (p_.hk - 1) * p_.dilation_h - p_.pad_up;
  const ConvBackpropApi::InputShape shape =
      ConvBackpropApi::ShapeOf(t_, task.row - pad_up, task.rows, task.lines, true);
  moves_.Start(task, shape);
  // tiles are forgotten where the kernel sets another tensor
  const auto forget = [](Tiles& tiles, int64_t& tensor, int64_t now) {
    for (Tiles::Slot& slot : tiles.slots) {
      slot.key = tensor == now ? slot.key : InputTileKey();
    }
    tensor = now;
  };
  const InputRowSpan behind = RowsBehind(p_, task.row, task.rows);
  forget(a_, tensor_a_, (task.batch * e_.real_groups + task.group) * p_.ho + behind.begin);
  forget(b_, tensor_b_, task.group * e_.cin1_g + task.line);
  for (int64_t din = task.din; din < task.din + task.dins && steps_ < most_steps_; ++din) {
    walk_.Start(shape);
    order_.Start(lines, din);
    do {
      PlayBlock();
    } while (steps_ < most_steps_ && walk_.Next());
  }
  return steps_ < most_steps_ ? 1 : std::min(1.0, (steps_ - before) / StepsOf(task));
}

}  // namespace tilesim

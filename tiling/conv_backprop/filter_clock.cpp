#include "tiling/conv_backprop/filter_clock.h"

#include <algorithm>
#include <cmath>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"

namespace tilesim {
namespace {

constexpr double kScalarPerK = 10;  // instructions the scalar unit issues for one k block

}  // namespace

FilterClock::FilterClock(const FilterProblem& problem, const TConv3DBpFilterTiling& tiling,
                         const SocConfig& soc, int64_t cores)
    : p_(problem), t_(tiling), soc_(soc), moves_(problem, tiling, soc, cores), e_(ExtentsOf(problem)) {
  halves_ = tiling.al0Pbuffer == 2 && tiling.bl0Pbuffer == 2;
  load_latency_ = Real(soc.load_latency_cycles);
  multiply_latency_ = Real(soc.mmad_latency_cycles);
  a_.copies = tiling.al1Pbuffer;
  b_.copies = tiling.bl1Pbuffer;
}

double FilterClock::StepsOf(const FilterTaskSize& size) const {
  const int64_t n = size.lines * p_.hk * p_.wk * e_.c0;
  return Real(CeilDiv(size.m, int64_t{t_.baseM}) * CeilDiv(n, int64_t{t_.baseN})) *
         Real(CeilDiv(size.rows * p_.wo, int64_t{t_.baseK}));
}

FilterTaskSize FilterClock::Sample(const FilterTaskSize& size, double most_steps) const {
  if (StepsOf(size) <= most_steps) {
    return size;
  }
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const auto blocks_m = Real(CeilDiv(size.m, int64_t{t_.baseM}));
  const auto blocks_n = Real(CeilDiv(size.lines * line, int64_t{t_.baseN}));
  const auto blocks_k = Real(CeilDiv(size.rows * p_.wo, int64_t{t_.baseK}));
  // two rounds of what L1 holds, so that a tile is kept, or not, as in the whole task
  const auto clamped = [](double blocks, double least, double all) {
    return std::clamp(std::ceil(blocks), std::min(least, all), all);
  };
  const bool m_fast = t_.iterateOrder == 1;
  double m = blocks_m;
  double n = blocks_n;
  const auto cut_m = [&](double least) {
    m = clamped(most_steps / (n * blocks_k), std::max(least, std::min(2.0 * t_.stepM, 32.0)), blocks_m);
  };
  const auto cut_n = [&](double least) {
    n = clamped(most_steps / (m * blocks_k), std::max(least, std::min(2.0 * t_.stepN, 32.0)), blocks_n);
  };
  if (m_fast) {
    cut_n(4);
    cut_m(8);
  } else {
    cut_m(4);
    cut_n(8);
  }
  const double held_k = std::max(t_.stepKa * t_.al1Pbuffer, t_.stepKb * t_.bl1Pbuffer);
  const double k = clamped(most_steps / (m * n), std::max(8.0, 2 * held_k), blocks_k);
  FilterTaskSize sample = size;
  sample.m = std::min(size.m, static_cast<int64_t>(m) * t_.baseM);
  sample.lines = std::min(size.lines, CeilDiv(static_cast<int64_t>(n) * t_.baseN, line));
  sample.rows = std::min(size.rows, CeilDiv(static_cast<int64_t>(k) * t_.baseK, p_.wo));
  return sample;
}

void FilterClock::PrepareLoads() {
  const int64_t k_tail = k_ - (k_count_ - 1) * t_.baseK;
  const std::array<int64_t, 2> ms = {t_.baseM, size_.m - (m_count_ - 1) * t_.baseM};
  const std::array<int64_t, 2> ns = {t_.baseN, n_ - (n_count_ - 1) * t_.baseN};
  const std::array<int64_t, 2> ks = {t_.baseK, k_tail};
  for (size_t m = 0; m < 2; ++m) {
    for (size_t k = 0; k < 2; ++k) {
      const isa::Img2ColShape line{.m_start = 0,
                                   .m_extension = AlignUp(ks[k], int64_t{16}),
                                   .channel_blocks = CeilDiv(ms[m], e_.c0),
                                   .out_width = std::max<int64_t>(int64_t{t_.stepKa} * t_.baseK, 16)};
      load_a_[m][k] = Real(isa::Img2ColCost(soc_, Memory::kL0A, line).busy_cycles);
      for (size_t n = 0; n < 2; ++n) {
        multiply_[m][n][k] =
            Real(isa::MmadCost(soc_, p_.dtype, t_.hf32Flag != 0, ms[m], ns[n], ks[k]).busy_cycles);
      }
    }
  }
  for (size_t n = 0; n < 2; ++n) {
    load_b_[n].resize(static_cast<size_t>(k_count_));
    for (int64_t k = 0; k < k_count_; ++k) {
      load_b_[n][static_cast<size_t>(k)] = static_cast<float>(
          isa::Img2ColCost(soc_, Memory::kL0B,
                           {.m_start = k * t_.baseK % p_.wo,
                            .m_extension = AlignUp(k + 1 == k_count_ ? k_tail : t_.baseK, int64_t{16}),
                            .channel_blocks = CeilDiv(ns[n], e_.c0),
                            .out_width = p_.wo,
                            .stride_w = p_.stride_w})
              .busy_cycles);
    }
  }
}

void FilterClock::FreeOldest(Tiles& tiles) {
  tiles.free[static_cast<size_t>(tiles.held[0].buffer)] = mte1_done_ + 1;
  tiles.held[0] = tiles.held[1];
  --tiles.count;
}

void FilterClock::FreeStep(Tiles& tiles, int64_t block_step) {
  while (tiles.count > 0 && tiles.held[0].block_step == block_step) {
    FreeOldest(tiles);
  }
}

const FilterClock::Tiles::Tile* FilterClock::Find(const Tiles& tiles, int64_t block_step,
                                                  int64_t k_step) const {
  for (int64_t i = 0; i < tiles.count; ++i) {
    const Tiles::Tile& tile = tiles.held[static_cast<size_t>(i)];
    if (tile.block_step == block_step && tile.k_step == k_step) {
      return &tile;
    }
  }
  return nullptr;
}

double FilterClock::EndOf(double start, const CoreShares::Needs& needs, bool reads) {
  return rates_ != nullptr ? rates_->EndOf(core_, start, needs, reads) : shares_.EndOf(start, needs, reads);
}

void FilterClock::Bring(Tiles& tiles, int64_t block_step, int64_t k_step) {
  if (tiles.count == tiles.copies || Find(tiles, block_step, k_step) != nullptr) {
    return;
  }
  Tiles::Tile& tile = tiles.held[static_cast<size_t>(tiles.count++)];
  tile = {.block_step = block_step, .k_step = k_step, .ready = 0, .buffer = tiles.next_buffer};
  tiles.next_buffer = tiles.copies == 2 ? 1 - tiles.next_buffer : 0;
  const CoreShares::Needs move =
      &tiles == &a_ ? moves_.LoadA(block_step, k_step) : moves_.LoadB(block_step, k_step);
  const double start = std::max({scalar_, mte2_free_, tiles.free[static_cast<size_t>(tile.buffer)]});
  mte2_free_ = EndOf(start, move, true);
  tile.ready = mte2_free_ + Real(soc_.gm_read_latency_cycles) + 1;
  busy_.mte2 += move.busy;
}

double FilterClock::Need(Tiles& tiles, int64_t block_step, int64_t k_step) {
  if (Find(tiles, block_step, k_step) == nullptr && tiles.count == tiles.copies) {
    FreeOldest(tiles);
  }
  Bring(tiles, block_step, k_step);
  return Find(tiles, block_step, k_step)->ready;
}

void FilterClock::PlayK(const Costs& costs, int64_t k, double ready) {
  const size_t tail_k = k + 1 == k_count_ ? 1 : 0;
  const double loads = costs.load_a[tail_k] + costs.load_b[static_cast<size_t>(k)];
  const double multiply = costs.multiply[tail_k];
  const auto half = static_cast<size_t>(half_);
  const double start = std::max({mte1_free_, half_free_[half], ready, scalar_});
  mte1_free_ = start + loads;
  mte1_done_ = mte1_free_ + load_latency_;
  // the queue takes the next block's entries as those of the block kLookAhead before it leave
  left_[next_left_] = mte1_free_;
  next_left_ = (next_left_ + 1) % kLookAhead;
  scalar_ = std::max(scalar_ + kScalarPerK, left_[next_left_]);

  double multiply_start = std::max(m_free_, mte1_done_ + 1);
  if (k == 0) {
    multiply_start = std::max(multiply_start, c_free_[static_cast<size_t>(c_next_)]);
  } else if (costs.barrier) {
    multiply_start = std::max(multiply_start, m_done_ + 1);
  }
  m_free_ = multiply_start + multiply;
  m_done_ = m_free_ + multiply_latency_;
  half_free_[half] = m_done_ + 1;
  half_ = halves_ ? 1 - half_ : 0;
  busy_.mte1 += loads;
  busy_.cube += multiply;
}

// Where a step of k begins, the one behind it is brought into a free buffer: the next along K, or the next
// block's first.
void FilterClock::BringTilesOf(const Block& block, int64_t k, const Block* next) {
  const auto bring = [&](Tiles& tiles, int64_t step_k, int64_t now_step, int64_t next_step, bool keep) {
    if (k % step_k != 0) {
      return;
    }
    const int64_t k_step = k / step_k + 1;
    if (k_step * step_k < k_count_) {
      Bring(tiles, now_step, k_step);
    } else if (next != nullptr && !(keep && next_step == now_step)) {
      Bring(tiles, next_step, 0);
    }
  };
  const Block& then = next != nullptr ? *next : block;
  bring(a_, t_.stepKa, block.m / t_.stepM, then.m / t_.stepM, keep_a());
  bring(b_, t_.stepKb, block.n / t_.stepN, then.n / t_.stepN, keep_b());
}

bool FilterClock::PlayStep(const Block& block, const Block* next) {
  const int64_t m_extent = std::min<int64_t>(t_.baseM, size_.m - block.m * t_.baseM);
  const int64_t n_extent = std::min<int64_t>(t_.baseN, n_ - block.n * t_.baseN);
  const int64_t m_step = block.m / t_.stepM;
  const int64_t n_step = block.n / t_.stepN;
  const size_t tail_m = block.m + 1 == m_count_ ? 1 : 0;
  const size_t tail_n = block.n + 1 == n_count_ ? 1 : 0;
  const Costs costs{
      .load_a = load_a_[tail_m],
      .load_b = load_b_[tail_n],
      .multiply = multiply_[tail_m][tail_n],
      .barrier = AlignUp(m_extent, int64_t{16}) * AlignUp(n_extent, int64_t{16}) < kSelfOrdered};
  const double ready_a = Need(a_, m_step, next_k_ / t_.stepKa);  // A's load goes first
  const double ready = std::max(ready_a, Need(b_, n_step, next_k_ / t_.stepKb));
  BringTilesOf(block, next_k_, next);
  const int64_t step = std::min(t_.stepKa, t_.stepKb);
  const int64_t end = std::min(next_k_ + step, k_count_);
  for (int64_t k = next_k_; k < end; ++k) {
    PlayK(costs, k, ready);
    const bool last = k + 1 == k_count_;
    if (!keep_a() && (last || (k + 1) % t_.stepKa == 0)) {
      FreeOldest(a_);
    }
    if (!keep_b() && (last || (k + 1) % t_.stepKb == 0)) {
      FreeOldest(b_);
    }
  }
  next_k_ = end % k_count_;
  if (end < k_count_) {
    return false;
  }
  if (keep_a() && (next == nullptr || next->m / t_.stepM != m_step)) {
    FreeStep(a_, m_step);
  }
  if (keep_b() && (next == nullptr || next->n / t_.stepN != n_step)) {
    FreeStep(b_, n_step);
  }
  const double start = std::max(fix_free_, m_done_ + 1);
  const CoreShares::Needs write = moves_.Write(m_extent, n_extent);
  fix_free_ = EndOf(start, write, false);
  busy_.fix += write.busy;
  c_free_[static_cast<size_t>(c_next_)] = fix_free_ + Real(soc_.gm_write_latency_cycles) + 1;
  c_next_ = t_.cl0Pbuffer == 2 ? 1 - c_next_ : 0;
  return true;
}

void FilterClock::PrepareBlocks() {
  const bool m_fast = t_.iterateOrder == 1;
  const int64_t slow_count = m_fast ? n_count_ : m_count_;
  const int64_t fast_count = m_fast ? m_count_ : n_count_;
  const int64_t slow_step = m_fast ? t_.stepN : t_.stepM;
  const int64_t fast_step = m_fast ? t_.stepM : t_.stepN;
  blocks_.clear();
  for (int64_t slow0 = 0; slow0 < slow_count; slow0 += slow_step) {
    for (int64_t fast0 = 0; fast0 < fast_count; fast0 += fast_step) {
      for (int64_t slow = slow0; slow < std::min(slow0 + slow_step, slow_count); ++slow) {
        for (int64_t fast = fast0; fast < std::min(fast0 + fast_step, fast_count); ++fast) {
          blocks_.push_back(m_fast ? Block{fast, slow} : Block{slow, fast});
        }
      }
    }
  }
}

void FilterClock::Play(const FilterTaskSize& size, const FilterTaskSize& whole) {
  Begin(size, whole);
  while (PlayNext()) {
  }
}

void FilterClock::Begin(const FilterTaskSize& size, const FilterTaskSize& whole) {
  if (!(size == size_)) {
    size_ = size;
    n_ = size.lines * p_.hk * p_.wk * e_.c0;
    k_ = size.rows * p_.wo;
    m_count_ = CeilDiv(size.m, int64_t{t_.baseM});
    n_count_ = CeilDiv(n_, int64_t{t_.baseN});
    k_count_ = CeilDiv(k_, int64_t{t_.baseK});
    PrepareBlocks();
    PrepareLoads();
  }
  steps_ += Real(m_count_ * n_count_) * Real(k_count_);
  moves_.Start(size, whole);
  next_block_ = 0;
  next_k_ = 0;
}

bool FilterClock::PlayNext() {
  if (next_block_ == blocks_.size()) {
    return false;
  }
  const Block* next = next_block_ + 1 < blocks_.size() ? &blocks_[next_block_ + 1] : nullptr;
  next_block_ += PlayStep(blocks_[next_block_], next) ? 1 : 0;
  return true;
}

}  // namespace tilesim

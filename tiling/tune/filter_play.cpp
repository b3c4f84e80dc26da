#include "tiling/tune/filter_play.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/tune/shared_bound.h"

namespace tilesim {

FilterPlay::FilterPlay(const FilterProblem& problem, const SocConfig& soc, const FilterBlock& block,
                       const FilterDealt& dealt, double begin)
    : p_(problem), soc_(soc), e_(ExtentsOf(problem)), block_(block), dealt_(dealt), begin_(begin) {
  for (const FilterDealtTask& task : dealt.tasks) {
    const auto same = std::ranges::find_if(
        kinds_, [&](const Kind& kind) { return kind.size == task.size && kind.first_row == task.first_row; });
    kind_of_.push_back(static_cast<size_t>(same - kinds_.begin()));
    if (same == kinds_.end()) {
      kinds_.push_back(KindOf(task.size, task.first_row));
    }
    owns_any_ = owns_any_ || task.owns_dy || task.owns_x;
  }
  for (const FilterDealtTask& task : dealt.firsts) {
    firsts_.push_back(KindOf(task.size, task.first_row));
  }
  for (const int64_t count : dealt.counts) {
    cores_with_.resize(std::max(cores_with_.size(), static_cast<size_t>(count)));
    for (int64_t task = 0; task < count; ++task) {
      ++cores_with_[static_cast<size_t>(task)];
    }
  }
  constexpr int64_t kMostBlocks = 65535;  // that a move states
  is_single_ = std::max(p_.ho * p_.wo, p_.hi * p_.wi) <= kMostBlocks;
  a_.is_a = true;
}

bool FilterPlay::Keeps(const Kind& kind, bool is_a) const {
  return kind.k_count <=
         (is_a ? choice_.step_ka * choice_.l1_copies_a : choice_.step_kb * choice_.l1_copies_b);
}

void FilterPlay::Bring(Tiles& tiles, const Kind& kind, int64_t block_step, int64_t k_step) {
  if (tiles.count == tiles.copies) {
    return;
  }
  for (int64_t i = 0; i < tiles.count; ++i) {
    const Tiles::Tile& tile = tiles.held[static_cast<size_t>(i)];
    if (tile.block_step == block_step && tile.k_step == k_step) {
      return;
    }
  }
  const Move move = tiles.is_a ? MoveOfA(kind, block_step, k_step) : MoveOfB(kind, block_step, k_step);
  tiles.met = true;
  const double start = std::max({scalar_, mte2_free_, tiles.free[tiles.next_buffer]});
  reads_.push_back({start, move.bytes, task_});
  mte2_free_ = start + move.busy;
  if (is_last_peer_) {
    peers_read_ += Real(dealt_.peers) * move.bytes;
    peers_fetched_ += move.new_bytes;
    const SharedTraffic traffic{
        .read_bytes = peers_read_, .least_fetched = peers_fetched_, .most_fetched = most_fetched_};
    mte2_free_ = std::max(mte2_free_, begin_ + traffic.Cycles(soc_));
  }
  mte2_done_ = std::max({mte2_done_, mte2_free_, start + move.ready});
  tiles.held[static_cast<size_t>(tiles.count++)] = {
      block_step, k_step, mte2_done_ + CubeBound::FlagCycles(soc_), tiles.next_buffer};
  tiles.next_buffer = tiles.copies == 2 ? 1 - tiles.next_buffer : 0;
}

void FilterPlay::FreeOldest(Tiles& tiles) {
  tiles.free[tiles.held[0].buffer] = mte1_done_ + CubeBound::FlagCycles(soc_);
  tiles.held[0] = tiles.held[1];
  --tiles.count;
}

void FilterPlay::FreeStep(Tiles& tiles, int64_t block_step) {
  while (tiles.count > 0 && tiles.held[0].block_step == block_step) {
    FreeOldest(tiles);
  }
}

double FilterPlay::Need(Tiles& tiles, const Kind& kind, int64_t block_step, int64_t k_step) {
  const auto find = [&]() -> const Tiles::Tile* {
    for (int64_t i = 0; i < tiles.count; ++i) {
      const Tiles::Tile& tile = tiles.held[static_cast<size_t>(i)];
      if (tile.block_step == block_step && tile.k_step == k_step) {
        return &tile;
      }
    }
    return nullptr;
  };
  const Tiles::Tile* tile = find();
  if (tile == nullptr) {
    if (tiles.count == tiles.copies) {
      FreeOldest(tiles);
    }
    Bring(tiles, kind, block_step, k_step);
    tile = find();
  }
  return tile->ready;
}

void FilterPlay::BringBehind(const Kind& kind, const Block& block, const Block* next, int64_t k) {
  const auto bring = [&](Tiles& tiles, int64_t step_k, int64_t now, int64_t then) {
    if (k % step_k != 0) {
      return;
    }
    const int64_t k_step = k / step_k + 1;
    if (k_step * step_k < kind.k_count) {
      Bring(tiles, kind, now, k_step);
    } else if (next != nullptr && !(then == now && Keeps(kind, tiles.is_a))) {
      Bring(tiles, kind, then, 0);
    }
  };
  const Block& then = next != nullptr ? *next : block;
  bring(a_, choice_.step_ka, block.m / choice_.step_m, then.m / choice_.step_m);
  bring(b_, choice_.step_kb, block.n / choice_.step_n, then.n / choice_.step_n);
}

void FilterPlay::PlayK(const Kind& kind, int64_t k, const std::array<size_t, 2>& last_mn, double ready) {
  constexpr double kIssued = 7;  // at least
  const auto [m, n] = last_mn;
  const size_t last_k = k + 1 == kind.k_count ? 1 : 0;
  const double loads = kind.load_a[m][last_k] + kind.load_b[n][static_cast<size_t>(k)];
  const double multiply = kind.multiply[m][n][last_k];
  cube_.mte1_free = std::max({cube_.mte1_free, half_free_[half_], ready, scalar_}) + loads;
  mte1_done_ = cube_.mte1_free + Real(soc_.load_latency_cycles);
  double start = std::max(cube_.m_free, mte1_done_ + CubeBound::FlagCycles(soc_));
  if (k == 0) {
    start = std::max(start, c_free_[c_next_]);
  } else if (kind.waits[m][n]) {
    start = std::max(start, m_done_ + Real(soc_.barrier_cycles));
  }
  cube_.m_free = start + multiply;
  m_done_ = cube_.m_free + Real(soc_.mmad_latency_cycles);
  half_free_[half_] = m_done_ + CubeBound::FlagCycles(soc_);
  half_ = l0_copies_ == 2 ? 1 - half_ : 0;
  cube_.mte1_busy += loads;
  cube_.m_busy += multiply;
  scalar_ += kIssued * Real(soc_.scalar_issue_cycles);
  const auto enter = [&](std::vector<double>& queue, double left) {  // as one that it holds leaves
    if (!queue.empty()) {
      double& last_left = queue[static_cast<size_t>(steps_) % queue.size()];
      scalar_ = std::max(scalar_, last_left);
      last_left = left;
    }
  };
  enter(left_mte1_, cube_.mte1_free);
  enter(left_m_, cube_.m_free);
  ++steps_;
}

void FilterPlay::PlayBlock(const Kind& kind, size_t index) {
  const Block& block = kind.order[index];
  const Block* next = index + 1 < kind.order.size() ? &kind.order[index + 1] : nullptr;
  const int64_t m_step = block.m / choice_.step_m;
  const int64_t n_step = block.n / choice_.step_n;
  const std::array<size_t, 2> last = {block.m + 1 == kind.m_count ? size_t{1} : size_t{0},
                                      block.n + 1 == kind.n_count ? size_t{1} : size_t{0}};
  const bool keeps_a = Keeps(kind, true);
  const bool keeps_b = Keeps(kind, false);
  double ready = 0;
  for (int64_t k = 0; k < kind.k_count; ++k) {
    if (k % choice_.step_ka == 0 || k % choice_.step_kb == 0) {
      const double ready_a = Need(a_, kind, m_step, k / choice_.step_ka);
      ready = std::max(ready_a, Need(b_, kind, n_step, k / choice_.step_kb));
      BringBehind(kind, block, next, k);
    }
    PlayK(kind, k, last, ready);
    const bool is_last = k + 1 == kind.k_count;
    if (!keeps_a && (is_last || (k + 1) % choice_.step_ka == 0)) {
      FreeOldest(a_);
    }
    if (!keeps_b && (is_last || (k + 1) % choice_.step_kb == 0)) {
      FreeOldest(b_);
    }
  }
  if (keeps_a && (next == nullptr || next->m / choice_.step_m != m_step)) {
    FreeStep(a_, m_step);
  }
  if (keeps_b && (next == nullptr || next->n / choice_.step_n != n_step)) {
    FreeStep(b_, n_step);
  }
  const double fix = kind.fix[last[0]][last[1]];
  const double start = std::max(m_done_ + CubeBound::FlagCycles(soc_), scalar_);
  writes_.push_back({start, kind.bytes[last[0]][last[1]], task_});
  cube_.fix_free = std::max(cube_.fix_free, start) + fix;
  if (is_last_peer_) {
    cube_.fix_free = std::max(cube_.fix_free, write_ends_[writes_.size() - 1]);
  }
  cube_.fix_busy += fix;
  c_free_[c_next_] = cube_.fix_free + Real(soc_.gm_write_latency_cycles) + CubeBound::FlagCycles(soc_);
  c_next_ = choice_.l0c_copies == 2 ? 1 - c_next_ : 0;
}

void FilterPlay::PrepareTask(const Kind& kind) {
  const auto tiles = [](int64_t across, int64_t step, int64_t along, int64_t step_k) {
    return static_cast<size_t>(CeilDiv(across, step) * CeilDiv(along, step_k));
  };
  met_a_.assign(tiles(kind.m_count, choice_.step_m, kind.k_count, choice_.step_ka), 0);
  met_b_.assign(tiles(kind.n_count, choice_.step_n, kind.k_count, choice_.step_kb), 0);
}

bool FilterPlay::PlayTask(const Kind& kind) {
  PrepareTask(kind);
  for (size_t i = 0; i < kind.order.size(); ++i) {
    PlayBlock(kind, i);
    if (LeastEnd() >= cutoff_) {
      return false;
    }
  }
  return true;
}

// With what the pipes have left to do.
double FilterPlay::LeastEnd() const { return CubeBound::LeastEnd(soc_, cube_, all_); }

void FilterPlay::Begin() {
  scalar_ = mte2_free_ = mte2_done_ = mte1_done_ = m_done_ = begin_;
  cube_ = {.mte1_free = begin_, .m_free = begin_, .fix_free = begin_};
  half_free_ = c_free_ = {};
  half_ = c_next_ = 0;
  constexpr int64_t kEntriesMte1 = 4;  // of a block of K, at least
  constexpr int64_t kEntriesM = 3;
  left_mte1_.assign(static_cast<size_t>(CeilDiv(soc_.queue_mte1, kEntriesMte1)), 0);
  left_m_.assign(static_cast<size_t>(CeilDiv(soc_.queue_m, kEntriesM)), 0);
  steps_ = 0;
  for (Tiles* tiles : {&a_, &b_}) {
    tiles->count = 0;
    tiles->next_buffer = 0;
    tiles->free = {};
    tiles->met = false;
    tiles->copies = tiles->is_a ? choice_.l1_copies_a : choice_.l1_copies_b;
  }
  reads_.clear();
  writes_.clear();
  peers_read_ = peers_fetched_ = 0;
  task_ = 0;
  owns_dy_ = owns_x_ = false;
}

double FilterPlay::Play(bool owns) {
  Begin();
  for (size_t i = 0; i < kind_of_.size(); ++i) {
    const Kind& kind = kinds_[kind_of_[i]];
    if (steps_ > kMostSteps) {
      break;
    }
    task_ = i;
    owns_dy_ = owns && dealt_.tasks[i].owns_dy;
    owns_x_ = owns && dealt_.tasks[i].owns_x;
    if (!PlayTask(kind)) {
      break;
    }
  }
  return LeastEnd();
}

}  // namespace tilesim

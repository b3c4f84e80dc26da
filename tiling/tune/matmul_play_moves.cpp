// Which tiles of a played matrix product stand in L1, and what bringing them takes.
#include <algorithm>
#include <array>
#include <vector>

#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/matmul_play.h"
#include "tiling/tune/shared_bound.h"

namespace tilesim {
namespace {

// Flags between moves and loads, by copy.
int FlagOf(MatmulPieces::Side side, size_t buffer) {
  return static_cast<int>(buffer) + (side == MatmulPieces::kB ? 2 : 0);
}

}  // namespace

void MatmulPlay::FreeOldest(Tiles& tiles) {
  const size_t buffer = tiles.tiles[0].buffer;
  clock_.SetFlag(Pipe::kMte1, Pipe::kMte2, FlagOf(tiles.side, buffer));
  tiles.given_back[buffer] = true;
  tiles.tiles[0] = tiles.tiles[1];
  --tiles.held;
}

const MatmulPieces::Bring& MatmulPlay::BringOf(const Tiles& tiles, int64_t free, int64_t k) {
  const bool is_a = tiles.side == MatmulPieces::kA;
  const int64_t granule =
      pieces_.GranuleOf(tiles.side, is_a ? part_.m : part_.n, part_.k,
                        tiles.step * (is_a ? block_.m : block_.n), tiles.step_k * block_.k);
  return Find(is_a ? kBringA : kBringB, {free, k, granule},
              [&](Known& known) { known.bring = pieces_.BringOf(tiles.side, free, k, granule); })
      .bring;
}

void MatmulPlay::Bring(Tiles& tiles, int64_t block_step, int64_t k_step) {
  for (size_t i = 0; i < tiles.held; ++i) {
    if (tiles.tiles[i].block_step == block_step && tiles.tiles[i].k_step == k_step) {
      return;
    }
  }
  if (tiles.held == static_cast<size_t>(tiles.copies)) {
    return;
  }
  const size_t buffer = tiles.next;
  tiles.next = tiles.copies == 2 ? 1 - buffer : 0;
  tiles.tiles[tiles.held++] = {block_step, k_step, false, buffer};
  if (tiles.given_back[buffer]) {
    clock_.WaitFlag(Pipe::kMte1, Pipe::kMte2, FlagOf(tiles.side, buffer));
    tiles.given_back[buffer] = false;
  }
  const bool is_a = tiles.side == MatmulPieces::kA;
  const int64_t step = tiles.step * (is_a ? block_.m : block_.n);
  const int64_t step_k = tiles.step_k * block_.k;
  const int64_t free = std::min(step, (is_a ? task_->size.m : task_->size.n) - block_step * step);
  const int64_t k = std::min(step_k, task_->size.k - k_step * step_k);
  const auto at = static_cast<size_t>(block_step * tiles.k_steps + k_step);
  const bool fresh = !tiles.met[at];
  tiles.met[at] = true;
  const int64_t part_free = is_a ? part_.m : part_.n;
  MatmulPieces::Bring bring = BringOf(tiles, free, k);
  if (of_ == Of::kAll) {  // a shorter row may take more reads
    const bool along_k = pieces_.KInRows(tiles.side);
    const MatmulPieces::Bring whole = along_k
                                          ? BringOf(tiles, free, std::min(step_k, part_.k - k_step * step_k))
                                          : BringOf(tiles, std::min(step, part_free - block_step * step), k);
    bring.found.busy_cycles = std::min(bring.found.busy_cycles, whole.found.busy_cycles);
    bring.fetched.busy_cycles = std::min(bring.fetched.busy_cycles, whole.fetched.busy_cycles);
    bring.least_fetched = std::min(bring.least_fetched, whole.least_fetched);
    bring.fill = 0;
  }
  const MatmulDealtOperand& operand = is_a ? task_->a : task_->b;
  if (of_ == Of::kEach && steps_ == 0 && first_moves_.size() == moves_ && bring.moves == 1 &&
      bring.fill == 0) {
    first_moves_.push_back({.side = tiles.side,
                            .free = {block_step * step, block_step * step + step},
                            .k = {k_step * step_k, k_step * step_k + step_k},
                            .issue = clock_.scalar().at + soc_.scalar_issue_cycles,
                            .needed = moves_ < 2 || k_step > 0});
  }
  Move(bring, fresh && operand.first, fresh ? operand.parts : 0, fresh ? operand.new_parts : 0);
  clock_.SetFlag(Pipe::kMte2, Pipe::kMte1, FlagOf(tiles.side, buffer));
}

void MatmulPlay::Need(Tiles& tiles, int64_t block_step, int64_t k_step) {
  const auto find = [&] {
    size_t i = 0;
    while (i < tiles.held && !(tiles.tiles[i].block_step == block_step && tiles.tiles[i].k_step == k_step)) {
      ++i;
    }
    return i;
  };
  if (find() == tiles.held) {
    if (tiles.held == static_cast<size_t>(tiles.copies)) {
      FreeOldest(tiles);
    }
    Bring(tiles, block_step, k_step);
  }
  Tiles::Tile& tile = tiles.tiles[find()];
  if (!tile.arrived) {
    clock_.WaitFlag(Pipe::kMte2, Pipe::kMte1, FlagOf(tiles.side, tile.buffer));
    tile.arrived = true;
  }
}

// `next`: the step of the block that follows; below 0: there is none.
void MatmulPlay::BringNext(Tiles& tiles, int64_t k, int64_t now, int64_t next) {
  if (k % tiles.step_k != 0) {
    return;
  }
  const int64_t k_step = k / tiles.step_k + 1;
  if (k_step * tiles.step_k < blocks_k_) {
    Bring(tiles, now, k_step);
  } else if (next >= 0 && !(tiles.keep && next == now)) {
    Bring(tiles, next, 0);
  }
}

bool MatmulPlay::SameSteps(const MatmulDealt& dealt, const MatmulSize& block) {
  for (size_t i = 0; i < dealt.tasks.size(); ++i) {
    const MatmulSize& size = dealt.tasks[i].size;
    const MatmulSize& least = dealt.least[i].size;
    if (CeilDiv(size.m, block.m) != CeilDiv(least.m, block.m) ||
        CeilDiv(size.n, block.n) != CeilDiv(least.n, block.n) ||
        CeilDiv(size.k, block.k) != CeilDiv(least.k, block.k)) {
      return false;
    }
  }
  return true;
}

// `first`: no core has brought it in an earlier task. Cores that do the same bring `parts` different ones
// here, of which nobody brought `new_parts` earlier.
void MatmulPlay::Move(const MatmulPieces::Bring& bring, bool first, int64_t parts, int64_t new_parts) {
  constexpr double kSlots = 2 * SharedRate::kSlotCycles;  // a rate is kept slot by slot
  constexpr double kRoundingOfAMove = 1 - 1e-5;           // of each move
  auto pass = clock_.Begin(Pipe::kMte2);
  const int64_t start = pass.start.at;
  const int64_t found = bring.moves * bring.found.busy_cycles;
  const size_t move = moves_++;
  if (of_ != Of::kLast) {
    (of_ == Of::kAll ? least_starts_ : starts_).push_back(start);
  }
  const std::vector<int64_t>& earliest = dealt_->even ? starts_ : least_starts_;
  const bool is_known = move == 0 || of_ == Of::kAll || (knows_all_ && move < earliest.size());
  const int64_t since = move == 0 || of_ == Of::kAll ? start : is_known ? earliest[move] : 0;
  double end = Real(start + found);
  if (first && is_known) {
    double fetch = Real(bring.moves * bring.fetched.busy_cycles);
    if (move == 0 && bring.moves == 1 && BeginAtOnce()) {
      const int64_t sharers = of_ == Of::kAll ? dealt_->least_sharers : dealt_->sharers;
      fetch = std::max(fetch, Real(bring.least_fetched * sharers) / soc_.hbm_total_bytes_per_cycle - 1);
    }
    end = std::max(end, Real(since) + fetch);
  }
  if (of_ == Of::kLast && move < starts_.size()) {
    if (dealt_->all_in_l2) {
      l2_.Take(starts_[move],
               LeastL2Load(soc_) *
                   Real(std::max<int64_t>(0, dealt_->alike * bring.bytes - parts * bring.most_fetched)),
               soc_.l2_total_bytes_per_cycle);
    }
    if (is_known) {
      hbm_.Take(since, Real(new_parts * bring.least_fetched), soc_.hbm_total_bytes_per_cycle);
    }
    end = std::max(end, std::max(l2_.until, hbm_.until) * kRoundingOfAMove - kSlots);
  }
  auto ended = static_cast<int64_t>(end);
  int64_t done = std::max(ended, start + found + bring.found.latency_cycles);
  const std::vector<MatmulFirstMoves::Times>& together = of_ == Of::kLast ? first_last_ : first_least_;
  if (of_ != Of::kAll && move < together.size()) {
    ended = std::max(ended, together[move].end);
    done = std::max(done, together[move].done);
  }
  clock_.Finish(Pipe::kMte2, {.busy_cycles = ended - start, .latency_cycles = done - ended}, {}, pass);
  moves_busy_ += Real(found);
  if (bring.fill > 0) {
    clock_.Run(Pipe::kMte2, {.busy_cycles = bring.fill, .latency_cycles = soc_.load_latency_cycles});
    moves_busy_ += Real(bring.fill);
  }
}

// The moves of the first step, for which every buffer is free. False: nothing is known of them.
bool MatmulPlay::FindFirstMoves(const MatmulPlaces& places) {
  const auto steps = [&](const MatmulRange& m, const MatmulRange& n, const MatmulRange& k) {
    return std::array{CeilDiv(m.size(), block_.m), CeilDiv(n.size(), block_.n), CeilDiv(k.size(), block_.k)};
  };
  const MatmulTask& own = places.tasks[places.alike.front()];
  if (begin_ > 0 || first_moves_.empty() || !BeginAtOnce()) {
    return false;
  }
  const bool same = std::ranges::all_of(places.tasks, [&](const MatmulTask& task) {
    const bool fills = shape_.transpose_b && task.n.size() % kFractalEdge != 0;  // takes MTE2, too
    return !fills && steps(task.m, task.n, task.k) == steps(own.m, own.n, own.k);
  });
  if (!same && first_moves_.size() > 2) {
    first_moves_.resize(2);  // the first of each operand
  }
  const std::vector<int64_t> dealt = {part_.m, part_.n, part_.k, static_cast<int64_t>(places.tasks.size()),
                                      static_cast<int64_t>(places.variant)};
  const MatmulFirstMoves::Together together = together_.Of(dealt, places, first_moves_);
  first_least_ = together.least;
  first_last_ = together.last;
  return !first_least_.empty();
}

}  // namespace tilesim

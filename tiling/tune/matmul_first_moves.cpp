#include "tiling/tune/matmul_first_moves.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/units.h"
#include "sim/core/l2_slices.h"
#include "sim/core/shared_gm.h"
#include "sim/isa/cost.h"

namespace tilesim {
namespace {

constexpr size_t kMostKnown = 1 << 18;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// All cores' moves, in the order in which they begin.
class Replayed {
 public:
  Replayed(const SocConfig& soc, const std::vector<uint64_t>& buffer_bytes, size_t cores)
      : gm_(soc, buffer_bytes, {}), slices_(soc, cores), starts_(cores, kNever), until_(cores) {}

  void Announce(size_t core, const GmPattern& pattern, uint64_t begin, int64_t start) {
    slices_.Announce(core, slices_.Of(pattern.shape, gm_.PlaceOf(pattern, begin)));
    starts_[core] = start;
  }
  [[nodiscard]] size_t Next() const {
    return static_cast<size_t>(std::ranges::min_element(starts_) - starts_.begin());
  }
  [[nodiscard]] int64_t start(size_t core) const { return starts_[core]; }
  MatmulFirstMoves::Times Move(size_t core, const GmPattern& pattern, uint64_t begin) {
    const int64_t start = starts_[core];
    const GmSharers sharers = SharersAt(core, start, starts_, until_, slices_.CyclesOf(core, start, starts_));
    GmTime time;
    const Cost cost = gm_.Move(pattern, begin, static_cast<int>(core), start, sharers, until_[core], time);
    slices_.Begin(core, start, start + cost.busy_cycles);
    starts_[core] = kNever;
    return {.end = start + cost.busy_cycles, .done = start + cost.busy_cycles + cost.latency_cycles};
  }

 private:
  SharedGm gm_;
  L2Slices slices_;
  std::vector<int64_t> starts_;  // by core
  std::vector<GmUntil> until_;
};

}  // namespace

MatmulFirstMoves::MatmulFirstMoves(const MatmulShape& shape, const SocConfig& soc)
    : p_(shape), soc_(soc), element_bytes_(static_cast<int64_t>(SizeOf(shape.dtype))) {}

MatmulFirstMoves::Placed MatmulFirstMoves::PlaceOf(const MatmulTask& task,
                                                   const MatmulFirstMove& move) const {
  const bool is_a = move.side == MatmulPieces::kA;
  const bool turned = is_a ? p_.transpose_a : !p_.transpose_b;
  const MatmulRange& own = is_a ? task.m : task.n;
  const auto within = [](const MatmulRange& all, const MatmulRange& part) {
    return MatmulRange{all.begin + part.begin, std::min(all.end, all.begin + part.end)};
  };
  const MatmulRange free = within(own, move.free);
  const MatmulRange k = within(task.k, move.k);
  const MatmulRange& down = turned ? k : free;
  const MatmulRange& along = turned ? free : k;
  const int64_t row = is_a ? (turned ? p_.m : p_.k) : (turned ? p_.n : p_.k);
  const auto bytes = [&](int64_t elements) { return static_cast<uint64_t>(elements * element_bytes_); };
  const uint64_t row_bytes = bytes(along.size());
  Placed placed;
  placed.begin = bytes(down.begin * row + along.begin);
  Region& shape = placed.pattern.shape;
  const bool one_piece = down.size() == 1 || along.size() == row;
  shape.block_bytes = one_piece ? row_bytes * static_cast<uint64_t>(down.size()) : row_bytes;
  shape.count = one_piece ? 1 : static_cast<uint64_t>(down.size());
  shape.stride_bytes = one_piece ? 0 : bytes(row);
  const bool aligned = (down.size() == 1 ? row_bytes : bytes(row)) % kDataBlockBytes == 0;
  placed.pattern.rule =
      isa::Nd2NzRule({.rows = down.size(), .row_bytes = static_cast<int64_t>(row_bytes), .aligned = aligned});
  placed.pattern.buffer = is_a ? 0 : 1;
  return placed;
}

MatmulFirstMoves::Together MatmulFirstMoves::Of(const std::vector<int64_t>& dealt, const MatmulPlaces& places,
                                                std::span<const MatmulFirstMove> moves) {
  std::vector<int64_t> key = dealt;
  for (const MatmulFirstMove& move : moves) {
    key.insert(key.end(), {move.side, move.free.begin, move.free.end, move.k.begin, move.k.end, move.issue,
                           move.needed ? 1 : 0});
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) {
      return known->second;
    }
  }
  const std::vector<std::vector<Times>> times = Replay(places.tasks, moves);
  Together together;
  together.least = together.last = times[places.alike.front()];
  for (const size_t core : places.alike) {
    const size_t certain = std::min(together.least.size(), times[core].size());
    together.least.resize(certain);
    together.last.resize(certain);
    for (size_t i = 0; i < certain; ++i) {
      together.least[i].end = std::min(together.least[i].end, times[core][i].end);
      together.least[i].done = std::min(together.least[i].done, times[core][i].done);
      together.last[i].end = std::max(together.last[i].end, times[core][i].end);
      together.last[i].done = std::max(together.last[i].done, times[core][i].done);
    }
  }
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  known_.emplace(std::move(key), together);
  return together;
}

std::vector<std::vector<MatmulFirstMoves::Times>> MatmulFirstMoves::Replay(
    std::span<const MatmulTask> tasks, std::span<const MatmulFirstMove> moves) const {
  const auto bytes = [&](int64_t elements) { return static_cast<uint64_t>(elements * element_bytes_); };
  Replayed all(soc_, {bytes(p_.m * p_.k), bytes(p_.k * p_.n)}, tasks.size());
  std::vector<std::vector<Times>> times(tasks.size());
  std::vector<std::vector<int64_t>> starts(tasks.size());
  const auto announce = [&](size_t core, int64_t free_since) {
    const size_t move = times[core].size();
    if (move < moves.size()) {
      const Placed placed = PlaceOf(tasks[core], moves[move]);
      all.Announce(core, placed.pattern, placed.begin, std::max(free_since, moves[move].issue));
    }
  };
  for (size_t core = 0; core < tasks.size(); ++core) {
    announce(core, 0);
  }
  for (size_t left = tasks.size() * moves.size(); left > 0; --left) {
    const size_t core = all.Next();
    const Placed placed = PlaceOf(tasks[core], moves[times[core].size()]);
    starts[core].push_back(all.start(core));
    times[core].push_back(all.Move(core, placed.pattern, placed.begin));
    announce(core, times[core].back().end);
  }
  int64_t alone_until = kNever;  // then a core may go on, or write a first block
  for (const std::vector<Times>& core : times) {
    int64_t block = 0;
    for (size_t i = 0; i < moves.size(); ++i) {
      block = moves[i].needed ? std::max(block, core[i].done) : block;
    }
    alone_until = std::min({alone_until, core.back().end, block});
  }
  for (size_t core = 0; core < tasks.size(); ++core) {
    size_t certain = 0;
    while (certain < moves.size() && starts[core][certain] < alone_until) {
      ++certain;
    }
    times[core].resize(certain);
  }
  return times;
}

}  // namespace tilesim

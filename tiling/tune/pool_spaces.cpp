#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/max_pool/pool_work.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

using enum PoolGradStrategy;

// Parts of a path.
constexpr int kPoolRowBits = 32;  // of rows of y; above them rows of x
constexpr int kPartBits = 16, kStrategyBits = 2;
constexpr int kPointBits = 12, kGradRowBits = 4;
constexpr int kTableBits = 6;

int64_t Low(uint64_t& code, int bits) {
  const uint64_t value = code & ((uint64_t{1} << bits) - 1);
  code >>= bits;
  return static_cast<int64_t>(value);
}

// No slot is without outputs to load. By tap only those are loaded that have one there: where taps lie apart
// that may be none.
bool AllSlotsLoad(const PoolGradAxis& axis, bool by_tap) {
  for (int64_t begin = axis.Slots().begin; begin < axis.Slots().end; ++begin) {
    const PoolRange slot = {begin, begin + 1};
    bool loads = !by_tap && !axis.OutputsOf(slot).Empty();
    for (int64_t k = 0; by_tap && !loads && k < axis.walk().window; ++k) {
      loads = !axis.OutputsOf(slot, k).Empty();
    }
    if (!loads) {
      return false;
    }
  }

  return true;
}

// What both have: bounds by sums of what cores do at least.
template <class Tiling>
class PoolSpace : public TilingSpace<Tiling> {
 public:
  [[nodiscard]] int levels() const override { return 4; }

 protected:
  // `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
  PoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : soc_(soc), cores_(cores), hbm_bytes_(static_cast<double>(least_reads)), counts_(shape) {}

  // What a core that does this takes at least, with the launch of so many cores.
  [[nodiscard]] double LeastUs(const PoolCycles& work, PoolFacts facts, int64_t cores) const {
    facts.hbm_bytes = hbm_bytes_;
    return TimeWithLaunchUs(PoolLeastCycles(soc_, work, facts), cores, soc_);
  }
  // Over all numbers of cores, each with the same to do.
  [[nodiscard]] double MeanUs(const PoolWork& work, const PoolFacts& facts, int64_t most_cores) const {
    double least = std::numeric_limits<double>::infinity();
    for (int64_t cores = 1; cores <= most_cores; ++cores) {
      least = std::min(least, LeastUs(work.Mean(cores), facts, cores));
    }
    return least;
  }
  [[nodiscard]] int64_t MostCores(int64_t tasks) const { return std::clamp<int64_t>(tasks, 1, cores_); }

  const SocConfig& soc_;
  const int64_t cores_;
  const double hbm_bytes_;
  const MaxPoolCounts counts_;
};

// A path is the lanes of a block, its outputs along W and the taps of a window's row in a load; the block
// along D and H; rows of x in a load and of y in a store; the cores.
class MaxPoolSpace : public PoolSpace<MaxPoolTiling> {
 public:
  MaxPoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : PoolSpace(shape, soc, cores, least_reads),
        s_(shape),
        lanes_(MostPoolLanes(shape)),
        most_w_(std::min(shape.w.out, kMostCopyPoints)) {}

  Opened Open(int level, const TilePath& node, double cutoff_us) override {
    return level == 0   ? OpenRoot(cutoff_us, PoolStored::kAll)
           : level == 1 ? OpenWidth(node, cutoff_us)
           : level == 2 ? OpenBlock(node, cutoff_us)
                        : OpenRows(node, cutoff_us);
  }
  [[nodiscard]] int64_t Count(const TilePath& node) const override {
    int64_t count = 0;
    for (uint64_t block = 0; block < static_cast<uint64_t>(s_.h.out * s_.d.out); ++block) {
      PoolTile tile = TileOf(2, {node[0], block});
      const int64_t most_rows = MostRowsOfLoad(s_, tile);
      for (tile.rows = 1; tile.rows <= most_rows && Fits(tile); ++tile.rows) {
        count += MostStoreRows(tile) * MostCores(Tasks(tile));
      }
    }
    return count;
  }

  // No tiling takes less, nor if it stored indices alone.
  [[nodiscard]] double LeastUsOfIndices() const {
    return LeastBoundUs(OpenRoot(std::numeric_limits<double>::infinity(), PoolStored::kIndices));
  }

  [[nodiscard]] MaxPoolTiling TilingOf(const TilePath& path) const override {
    return tilesim::TilingOf(s_, TileOf(3, path), static_cast<int64_t>(path[3]) + 1);
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return tilesim::BusiestCoreOf(TilingOf(path), s_, counts_, soc_);
  }

 private:
  // As if one block held all rows and planes, whatever UB holds: nothing is read twice then.
  [[nodiscard]] Opened OpenRoot(double cutoff_us, PoolStored stored) const {
    Opened opened;
    for (int64_t width = 0; width < most_w_ + s_.w.window - 1; ++width) {
      PoolTile tile = TileOf(1, {static_cast<uint64_t>(width * lanes_)});
      if (!Fits(tile)) {
        continue;  // whatever its lanes
      }
      const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
      tile.d = s_.d.out;
      tile.h = s_.h.out;
      tile.rows = MostRowsOfLoad(s_, tile);
      tile.store_rows = tile.h;
      for (int64_t i = 0; i < lanes_; ++i) {
        tile.lanes = lanes_ - i;
        const MaxPoolWork work(s_, counts_, tile, columns, soc_, stored);
        const double us = MeanUs(work, FactsOf(counts_), cores_);
        if (us < cutoff_us) {
          opened.nodes.push_back({us, {static_cast<uint64_t>(width * lanes_ + i)}});
        }
      }
    }

    return opened;
  }
  [[nodiscard]] Opened OpenWidth(const TilePath& node, double cutoff_us) const {
    PoolTile tile = TileOf(1, node);
    const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
    Opened opened;
    for (uint64_t block = 0; block < static_cast<uint64_t>(s_.h.out * s_.d.out); ++block) {
      tile = TileOf(2, {node[0], block});
      if (!Fits(tile)) {
        continue;
      }
      tile.rows = MostRowsOfLoad(s_, tile);
      tile.store_rows = tile.h;
      const double us =
          MeanUs(MaxPoolWork(s_, counts_, tile, columns, soc_), FactsOf(counts_), MostCores(Tasks(tile)));
      if (us < cutoff_us) {
        opened.nodes.push_back({us, {node[0], block}});
      }
    }

    return opened;
  }
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const {
    PoolTile tile = TileOf(2, node);
    const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
    MaxPoolWork work(s_, counts_, tile, columns, soc_);
    const int64_t most_cores = MostCores(Tasks(tile));
    const int64_t most_rows = MostRowsOfLoad(s_, tile);
    work.SetRows(most_rows, tile.h);
    std::vector<std::pair<int64_t, int64_t>> busiest;  // number of cores that may do, and which of them
    for (int64_t cores = 1; cores <= most_cores; ++cores) {
      if (LeastUs(work.Mean(cores), FactsOf(counts_), cores) < cutoff_us) {
        busiest.emplace_back(cores, work.BusiestCore(cores));
      }
    }
    Opened opened;
    for (tile.rows = most_rows; tile.rows > 0; --tile.rows) {
      for (tile.store_rows = MostStoreRows(tile); tile.store_rows > 0; --tile.store_rows) {
        work.SetRows(tile.rows, tile.store_rows);
        const PoolFacts facts = FactsOf(counts_, StorePoints(s_, tile));
        double us = std::numeric_limits<double>::infinity();
        for (const auto& [cores, core] : busiest) {
          us = std::min(us, LeastUs(work.OfCore(core, cores), facts, cores));
        }
        if (us < cutoff_us) {
          const auto rows = static_cast<uint64_t>(tile.rows << kPoolRowBits | tile.store_rows);
          opened.nodes.push_back({us, {node[0], node[1], rows}});
        }
      }
    }

    return opened;
  }
  [[nodiscard]] Opened OpenRows(const TilePath& node, double cutoff_us) const {
    const PoolTile tile = TileOf(3, node);
    const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
    const MaxPoolWork work(s_, counts_, tile, columns, soc_);
    const PoolFacts facts = FactsOf(counts_, StorePoints(s_, tile));
    Opened opened;
    opened.tilings = MostCores(Tasks(tile));
    for (int64_t cores = 1; cores <= opened.tilings; ++cores) {
      if (LeastUs(work.Mean(cores), FactsOf(counts_), cores) >= cutoff_us) {
        continue;
      }
      const double us = LeastUs(work.OfCore(work.BusiestCore(cores), cores), facts, cores);
      if (us < cutoff_us) {
        opened.nodes.push_back({us, {node[0], node[1], node[2], static_cast<uint64_t>(cores) - 1}});
      }
    }
    return opened;
  }

  // What a path of so many levels decides; the rest is the least there is.
  [[nodiscard]] PoolTile TileOf(int levels, const TilePath& path) const {
    const auto number = [&](size_t level) { return static_cast<int64_t>(path[level]); };
    // the widest first; then fewer and fewer taps of one output
    const int64_t width = number(0) / lanes_;
    const bool whole_rows = width < most_w_;
    PoolTile tile{.lanes = lanes_ - number(0) % lanes_,
                  .w = whole_rows ? most_w_ - width : 1,
                  .taps_w = whole_rows ? s_.w.window : s_.w.window - 1 - (width - most_w_)};
    if (levels > 1) {
      tile.h = s_.h.out - number(1) / s_.d.out;
      tile.d = s_.d.out - number(1) % s_.d.out;
    }
    if (levels > 2) {
      tile.rows = number(2) >> kPoolRowBits;
      tile.store_rows = number(2) & ((int64_t{1} << kPoolRowBits) - 1);
    }
    return tile;
  }

  [[nodiscard]] int64_t Tasks(const PoolTile& tile) const { return BlockCountsOf(s_, tile).total(); }
  [[nodiscard]] bool Fits(const PoolTile& tile) const {
    return TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes));
  }
  // The most rows of y in a store; 0: none.
  [[nodiscard]] int64_t MostStoreRows(PoolTile tile) const {
    return Largest(1, tile.h, [&](int64_t rows) {
      tile.store_rows = rows;
      return Fits(tile);
    });
  }

  const PoolShape s_;
  const int64_t lanes_;   // of a block at most
  const int64_t most_w_;  // outputs of a block along W at most
};

// A path is the block of dx; the strategy with the parts of dy in UB and the runs along D; rows and taps of x
// in a load and points of dx in a store; the table of taps and the cores. Tilings in one phase.
class MaxPoolGradSpace : public PoolSpace<MaxPoolGradTiling> {
 public:
  MaxPoolGradSpace(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : PoolSpace(problem.shape, soc, cores, least_reads), p_(problem), axes_(AxesOf(problem)) {
    for (const PoolGradStrategy strategy : kPoolGradStrategies) {
      bool waits = true;
      for (int64_t axis = 0; axis < 3; ++axis) {
        // for one tap after the other along the axes before the one that the strategy cuts
        waits = waits && AllSlotsLoad(axes_[static_cast<size_t>(axis)], axis < CutAxisOf(strategy));
      }
      waits_for_loads_[static_cast<size_t>(strategy)] = waits;
    }
    blocks_ = BlocksThatFit();
  }

  Opened Open(int level, const TilePath& node, double cutoff_us) override {
    return level == 0   ? OpenRoot(cutoff_us)
           : level == 1 ? OpenBlock(node, cutoff_us)
           : level == 2 ? OpenPart(node, cutoff_us)
                        : OpenBuffers(node, cutoff_us);
  }
  [[nodiscard]] int64_t Count(const TilePath& node) const override {
    const Block& block = blocks_[node[0]];
    int64_t count = 0;
    for (Part part : PartsOf(block)) {
      int64_t tables = 0;  // of all buffers; a run takes no room
      for (const Buffers& buffers : BuffersOf(block, part)) {
        tables += MostTable(TilingOf(block, part, buffers)) + 1;
      }
      for (part.run_d = axes_[0].Slots().size(); part.run_d >= block[0].slots; --part.run_d) {
        count += tables * MostCoresOf(TilingOf(block, part, {}));
      }
    }
    return count;
  }

  [[nodiscard]] MaxPoolGradTiling TilingOf(const TilePath& path) const override {
    MaxPoolGradTiling tiling = TilingOf(blocks_[path[0]], PartAt(path), BuffersAt(path));
    uint64_t code = path[3];
    tiling.split.tap_table = Low(code, kTableBits);
    tiling.split.used_cores = static_cast<int64_t>(code);
    tiling.data.usedCoreNum = code;
    tiling.data.totalUBSize = Unsigned(UbOf(tiling, p_.shape.element_bytes()).Total());
    return tiling;
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return tilesim::BusiestCoreOf(TilingOf(path), p_, counts_, soc_);
  }

 private:
  // Along one axis of a block: slots, or positions of a single one.
  struct Extent {
    int64_t slots, cut;
  };
  using Block = std::array<Extent, 3>;
  struct Part {
    PoolGradStrategy strategy = PoolGradStrategy::kResident;
    int64_t outputs = 0;  // in UB along the axis that the strategy cuts; of `resident` 0
    int64_t run_d = 1;
  };
  struct Buffers {
    int64_t x_rows = 0, x_taps = 0, out_points = 1;
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const {
    Opened opened;
    for (uint64_t block = 0; block < blocks_.size(); ++block) {
      if (GivesUp()) {  // a block of a large window may take a second
        opened.whole = false;
        break;
      }
      // as if all stood in UB
      const Part whole{.strategy = kResident, .outputs = 0, .run_d = axes_[0].Slots().size()};
      const double us = MeanUs(TilingOf(blocks_[block], whole, {}), PoolGradKnown::kBlock, cores_);
      if (us < cutoff_us) {
        opened.nodes.push_back({us, {block}});
      }
    }

    return opened;
  }
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const {
    const Block& block = blocks_[node[0]];
    Opened opened;
    for (Part part : PartsOf(block)) {
      for (part.run_d = axes_[0].Slots().size(); part.run_d >= block[0].slots; --part.run_d) {
        const MaxPoolGradTiling tiling = TilingOf(block, part, {});
        const double us = MeanUs(tiling, PoolGradKnown::kParts, MostCoresOf(tiling));
        if (us < cutoff_us) {
          uint64_t code = Unsigned(part.run_d);
          code = code << kStrategyBits | static_cast<uint64_t>(part.strategy);
          code = code << kPartBits | Unsigned(part.outputs);
          opened.nodes.push_back({us, {node[0], code}});
        }
      }
    }

    return opened;
  }
  [[nodiscard]] Opened OpenPart(const TilePath& node, double cutoff_us) const {
    const Block& block = blocks_[node[0]];
    const Part part = PartAt(node);
    Opened opened;
    for (const Buffers& buffers : BuffersOf(block, part)) {
      const MaxPoolGradTiling tiling = TilingOf(block, part, buffers);
      const double us = MeanUs(tiling, PoolGradKnown::kBuffers, MostCoresOf(tiling));
      if (us < cutoff_us) {
        uint64_t to = Unsigned(buffers.x_taps);
        to = to << kGradRowBits | Unsigned(buffers.x_rows);
        to = to << kPointBits | Unsigned(buffers.out_points);
        opened.nodes.push_back({us, {node[0], node[1], to}});
      }
    }

    return opened;
  }
  [[nodiscard]] Opened OpenBuffers(const TilePath& node, double cutoff_us) const {
    const MaxPoolGradTiling tiling = TilingOf(blocks_[node[0]], PartAt(node), BuffersAt(node));
    const auto work = WorkOf(p_, counts_, tiling, PoolGradKnown::kBuffers, soc_);
    Opened opened;
    const int64_t most_table = MostTable(tiling);
    const int64_t most_cores = MostCoresOf(tiling);
    PoolFacts facts = FactsOf(tiling, PoolGradKnown::kBuffers);
    opened.tilings = (most_table + 1) * most_cores;
    for (int64_t cores = most_cores; cores >= 1; --cores) {
      facts.tap_table = most_table;
      if (LeastUs(work->Mean(cores), facts, cores) >= cutoff_us) {
        continue;
      }
      const PoolCycles busiest = work->OfCore(work->BusiestCore(cores), cores);
      for (int64_t table = most_table; table >= 0; --table) {
        facts.tap_table = table;
        const double us = LeastUs(busiest, facts, cores);
        if (us < cutoff_us) {
          opened.nodes.push_back({us, {node[0], node[1], node[2], Unsigned(cores << kTableBits | table)}});
        }
      }
    }

    return opened;
  }

  // Of D, H and W the largest that may fit first; a block that does not fit with one output of dy at a time
  // is none, nor is any that is larger.
  [[nodiscard]] std::vector<Block> BlocksThatFit() const {
    const auto extents_of = [&](const PoolGradAxis& axis) {  // the smallest first
      std::vector<Extent> extents;
      const int64_t stride = axis.walk().stride;
      const int64_t most_points = soc_.ub_bytes / kPointBytes;
      for (int64_t cut = 1; cut < std::min(stride, most_points + 1); ++cut) {
        extents.push_back({1, cut});
      }
      for (int64_t slots = 1; slots <= std::min(axis.Slots().size(), most_points); ++slots) {
        extents.push_back({slots, stride});
      }
      return extents;
    };
    const auto fits = [&](const Block& block) {
      const Part part{.strategy = kColumns, .outputs = 1, .run_d = block[0].slots};
      return Fits(TilingOf(block, part, LeastBuffers(block, part)));
    };
    std::vector<Block> blocks;
    for (const Extent& d : extents_of(axes_[0])) {
      for (const Extent& h : extents_of(axes_[1])) {
        for (const Extent& w : extents_of(axes_[2])) {
          if (fits({d, h, w})) {
            blocks.push_back({d, h, w});
          } else if (w.cut == axes_[2].walk().stride) {
            break;  // more slots take more; of positions of one slot fewer phases may hold them
          }
        }
      }
    }

    std::ranges::reverse(blocks);
    return blocks;
  }
  // Those whose smallest buffers fit; runs of each are up to the caller.
  [[nodiscard]] std::vector<Part> PartsOf(const Block& block) const {
    std::vector<Part> parts;
    for (const PoolGradStrategy strategy : kPoolGradStrategies) {
      const size_t axis = strategy == kResident ? 0 : static_cast<size_t>(strategy) - 1;
      const int64_t needed = strategy == kResident ? 0 : NeededOutputs(p_, axis, block[axis].slots);
      const int64_t most = std::min(needed, soc_.ub_bytes / kPointBytes);
      for (int64_t outputs = strategy == kResident ? 0 : 1; outputs <= most; ++outputs) {
        const Part part{.strategy = strategy, .outputs = outputs, .run_d = block[0].slots};
        if (Fits(TilingOf(block, part, LeastBuffers(block, part)))) {
          parts.push_back(part);
        }
      }
    }

    return parts;
  }
  // All that fit; none twice that makes the cores do the same.
  [[nodiscard]] std::vector<Buffers> BuffersOf(const Block& block, const Part& part) const {
    const Buffers least = LeastBuffers(block, part);
    const int64_t window = p_.shape.w.window;
    const PoolAxis& h = p_.shape.h;
    const int64_t reach = std::min(
        (TilingOf(block, part, {}).split.part_ho - 1) * h.stride + (h.window - 1) * h.dilation + 1, h.in);
    const int64_t most_rows = p_.recomputes ? std::min(reach, kMostPoolRows) : 0;
    std::vector<Buffers> all;
    for (int64_t taps = p_.recomputes ? window : 0; taps >= least.x_taps; --taps) {
      for (int64_t rows = most_rows; rows >= least.x_rows; --rows) {
        for (const int64_t points : OutPointsOf(block)) {
          const Buffers buffers{.x_rows = rows, .x_taps = taps, .out_points = points};
          if (Fits(TilingOf(block, part, buffers))) {
            all.push_back(buffers);
          }
        }
      }
      if (taps == 0) {
        break;
      }
    }

    return all;
  }
  // The least number of points that makes the same boxes, for each way of making them.
  [[nodiscard]] std::vector<int64_t> OutPointsOf(const Block& block) const {
    std::set<int64_t, std::greater<>> points;
    const PoolGradAxis& w = axes_[2];
    const int64_t stride = w.walk().stride;
    for (int64_t begin = w.Slots().begin; begin < w.Slots().end; begin += block[2].slots) {
      for (int64_t r = 0; r < stride; r += block[2].cut) {
        const PoolRange slots = {begin, std::min(begin + block[2].slots, w.Slots().end)};
        const int64_t width = w.Cut({r, std::min(r + block[2].cut, stride)}).PositionsOf(slots).size();
        for (int64_t parts = 1; parts <= width; ++parts) {
          points.insert(CeilDiv(width, parts));
        }
        if (width == w.walk().in) {  // whole rows leave together
          const PoolGradAxis& h = axes_[1];
          const int64_t rows = std::min(block[1].slots * block[1].cut, h.walk().in);
          for (int64_t row = 2; row <= rows; ++row) {
            points.insert(row * width);
          }
        }
      }
    }

    points.erase(points.begin(), points.lower_bound(kMostMovePoints));
    return {points.begin(), points.end()};
  }
  [[nodiscard]] int64_t MostTable(MaxPoolGradTiling tiling) const {
    return Largest(0, MostTapsInUb(tiling), [&](int64_t table) {
      tiling.split.tap_table = table;
      return Fits(tiling);
    });
  }

  // Of a path of at least two and three levels.
  static Part PartAt(const TilePath& path) {
    uint64_t code = path[1];
    Part part;
    part.outputs = Low(code, kPartBits);
    part.strategy = static_cast<PoolGradStrategy>(Low(code, kStrategyBits));
    part.run_d = static_cast<int64_t>(code);
    return part;
  }
  static Buffers BuffersAt(const TilePath& path) {
    uint64_t code = path[2];
    Buffers buffers;
    buffers.out_points = Low(code, kPointBits);
    buffers.x_rows = Low(code, kGradRowBits);
    buffers.x_taps = static_cast<int64_t>(code);
    return buffers;
  }
  [[nodiscard]] bool Fits(const MaxPoolGradTiling& tiling) const {
    return TilingFits(tiling, p_, soc_.ub_bytes);
  }
  // The rest is the least there is.
  [[nodiscard]] MaxPoolGradTiling TilingOf(const Block& block, const Part& part,
                                           const Buffers& buffers) const {
    MaxPoolGradTiling tiling;
    SetProblemFields(p_, tiling);
    SetBlockFields(p_,
                   {.d = block[0].slots,
                    .h = block[1].slots,
                    .w = block[2].slots,
                    .run_d = part.run_d,
                    .cut = {block[0].cut, block[1].cut, block[2].cut}},
                   part.strategy, part.outputs, tiling);
    tiling.split.x_rows = buffers.x_rows;
    tiling.split.x_taps = buffers.x_taps;
    tiling.split.out_points = buffers.out_points;
    tiling.split.used_cores = 1;
    return tiling;
  }

  [[nodiscard]] Buffers LeastBuffers(const Block& block, const Part& part) const {
    const int64_t makes = p_.recomputes ? 1 : 0;
    const bool whole_window = TilingOf(block, part, {}).split.part_wo > 1;
    return {.x_rows = makes, .x_taps = whole_window ? makes * p_.shape.w.window : makes, .out_points = 1};
  }

  [[nodiscard]] double MeanUs(const MaxPoolGradTiling& tiling, PoolGradKnown known,
                              int64_t most_cores) const {
    return PoolSpace::MeanUs(*WorkOf(p_, counts_, tiling, known, soc_), FactsOf(tiling, known), most_cores);
  }
  // Every tap's index stands in UB.
  [[nodiscard]] PoolFacts FactsOf(const MaxPoolGradTiling& tiling, PoolGradKnown known) const {
    // `columns` loads the least
    const PoolGradStrategy strategy = known == PoolGradKnown::kBlock ? kColumns : tiling.split.strategy;
    PoolFacts facts = tilesim::FactsOf(p_, tiling);
    facts.store_points = known == PoolGradKnown::kBuffers ? facts.store_points : 0;
    facts.waits_for_loads = waits_for_loads_[static_cast<size_t>(strategy)];
    facts.tap_table = PoolFacts().tap_table;
    return facts;
  }
  [[nodiscard]] int64_t MostCoresOf(const MaxPoolGradTiling& tiling) const {
    return MostCores(Signed(tiling.data.totalCnt));
  }

  const PoolGradProblem p_;
  const PoolGradAxes axes_;
  std::array<bool, 4> waits_for_loads_{};  // of each strategy: no block of dx is without outputs to load
  std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<TilingSpace<MaxPoolTiling>> AllTilingsOf(const PoolShape& shape, const SocConfig& soc,
                                                         int64_t cores, int64_t least_reads) {
  return std::make_unique<MaxPoolSpace>(shape, soc, cores, least_reads);
}

double LeastUsOfIndices(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads) {
  return MaxPoolSpace(shape, soc, cores, least_reads).LeastUsOfIndices();
}

std::unique_ptr<TilingSpace<MaxPoolGradTiling>> AllTilingsOf(const PoolGradProblem& problem,
                                                             const SocConfig& soc, int64_t cores,
                                                             int64_t least_reads) {
  return std::make_unique<MaxPoolGradSpace>(problem, soc, cores, least_reads);
}

}  // namespace tilesim

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/tune/pool_space.h"

namespace tilesim {
namespace {

using enum PoolGradStrategy;

// Parts of a path.
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

}  // namespace

MaxPoolGradSpace::MaxPoolGradSpace(const PoolGradProblem& problem, const SocConfig& soc, int64_t cores,
                                   int64_t least_reads)
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

TileSpace::Opened MaxPoolGradSpace::Open(int level, const TilePath& node, double cutoff_us) {
  switch (level) {
    case 0:
      return OpenRoot(cutoff_us);
    case 1:
      return OpenBlock(node, cutoff_us);
    case 2:
      return OpenPart(node, cutoff_us);
    default:
      return OpenBuffers(node, cutoff_us);
  }
}

MaxPoolGradTiling MaxPoolGradSpace::TilingOf(const Block& block, const Part& part,
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

MaxPoolGradSpace::Part MaxPoolGradSpace::PartAt(const TilePath& path) {
  uint64_t code = path[1];
  Part part;
  part.outputs = Low(code, kPartBits);
  part.strategy = static_cast<PoolGradStrategy>(Low(code, kStrategyBits));
  part.run_d = static_cast<int64_t>(code);
  return part;
}

MaxPoolGradSpace::Buffers MaxPoolGradSpace::BuffersAt(const TilePath& path) {
  uint64_t code = path[2];
  Buffers buffers;
  buffers.out_points = Low(code, kPointBits);
  buffers.x_rows = Low(code, kGradRowBits);
  buffers.x_taps = static_cast<int64_t>(code);
  return buffers;
}

bool MaxPoolGradSpace::Fits(const MaxPoolGradTiling& tiling) const {
  return TilingFits(tiling, p_, soc_.ub_bytes);
}

int64_t MaxPoolGradSpace::MostCoresOf(const MaxPoolGradTiling& tiling) const {
  return MostCores(Signed(tiling.data.totalCnt));
}

PoolFacts MaxPoolGradSpace::FactsOf(const MaxPoolGradTiling& tiling, PoolGradKnown known) const {
  // `columns` loads the least
  const PoolGradStrategy strategy = known == PoolGradKnown::kBlock ? kColumns : tiling.split.strategy;
  PoolFacts facts = tilesim::FactsOf(p_, tiling);
  facts.store_points = known == PoolGradKnown::kBuffers ? facts.store_points : 0;
  facts.waits_for_loads = waits_for_loads_[static_cast<size_t>(strategy)];
  facts.tap_table = PoolFacts().tap_table;
  return facts;
}

double MaxPoolGradSpace::MeanUs(const MaxPoolGradTiling& tiling, PoolGradKnown known,
                                int64_t most_cores) const {
  return PoolSpace::MeanUs(MaxPoolGradWork(p_, counts_, tiling, known, soc_), FactsOf(tiling, known),
                           most_cores);
}

// Of D, H and W the largest that may fit first; a block that does not fit with one output of dy at a time is
// none, nor is any that is larger.
std::vector<MaxPoolGradSpace::Block> MaxPoolGradSpace::BlocksThatFit() const {
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

std::vector<MaxPoolGradSpace::Part> MaxPoolGradSpace::PartsOf(const Block& block) const {
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

// The least number of points that makes the same boxes, for each way of making them.
std::vector<int64_t> MaxPoolGradSpace::OutPointsOf(const Block& block) const {
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

std::vector<MaxPoolGradSpace::Buffers> MaxPoolGradSpace::BuffersOf(const Block& block,
                                                                   const Part& part) const {
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

int64_t MaxPoolGradSpace::MostTable(MaxPoolGradTiling tiling) const {
  return Largest(0, MostTapsInUb(tiling), [&](int64_t table) {
    tiling.split.tap_table = table;
    return Fits(tiling);
  });
}

MaxPoolGradSpace::Buffers MaxPoolGradSpace::LeastBuffers(const Block& block, const Part& part) const {
  const int64_t makes = p_.recomputes ? 1 : 0;
  const bool whole_window = TilingOf(block, part, {}).split.part_wo > 1;
  return {.x_rows = makes, .x_taps = whole_window ? makes * p_.shape.w.window : makes, .out_points = 1};
}

TileSpace::Opened MaxPoolGradSpace::OpenRoot(double cutoff_us) const {
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

TileSpace::Opened MaxPoolGradSpace::OpenBlock(const TilePath& node, double cutoff_us) const {
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

TileSpace::Opened MaxPoolGradSpace::OpenPart(const TilePath& node, double cutoff_us) const {
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

TileSpace::Opened MaxPoolGradSpace::OpenBuffers(const TilePath& node, double cutoff_us) const {
  const MaxPoolGradTiling tiling = TilingOf(blocks_[node[0]], PartAt(node), BuffersAt(node));
  const MaxPoolGradWork work(p_, counts_, tiling, PoolGradKnown::kBuffers, soc_);
  Opened opened;
  const int64_t most_table = MostTable(tiling);
  const int64_t most_cores = MostCoresOf(tiling);
  PoolFacts facts = FactsOf(tiling, PoolGradKnown::kBuffers);
  opened.tilings = (most_table + 1) * most_cores;
  for (int64_t cores = most_cores; cores >= 1; --cores) {
    facts.tap_table = most_table;
    if (LeastUs(work.Mean(cores), facts, cores) >= cutoff_us) {
      continue;
    }
    const PoolCycles busiest = work.OfCore(work.BusiestCore(cores), cores);
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

int64_t MaxPoolGradSpace::Count(const TilePath& node) const {
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

MaxPoolGradTiling MaxPoolGradSpace::TilingOf(const TilePath& path) const {
  MaxPoolGradTiling tiling = TilingOf(blocks_[path[0]], PartAt(path), BuffersAt(path));
  uint64_t code = path[3];
  tiling.split.tap_table = Low(code, kTableBits);
  tiling.split.used_cores = static_cast<int64_t>(code);
  tiling.data.usedCoreNum = code;
  tiling.data.totalUBSize = Unsigned(UbOf(tiling, p_.shape.element_bytes()).Total());
  return tiling;
}

size_t MaxPoolGradSpace::BusiestCoreOf(const TilePath& path) const {
  return tilesim::BusiestCoreOf(TilingOf(path), p_, counts_, soc_);
}

}  // namespace tilesim

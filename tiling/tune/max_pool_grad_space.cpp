#include "tiling/tune/max_pool_grad_space.h"

#include <algorithm>
#include <limits>

#include "formats/units.h"
#include "tiling/launch_cost.h"
#include "tiling/max_pool/max_pool_grad_ub.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

using enum PoolGradStrategy;
constexpr int64_t kAnyTable = INT32_MAX;  // every tap's index stands in UB

// Parts of a path.
constexpr int kPartBits = 16, kStrategyBits = 2;
constexpr int kPointBits = 12, kGradRowBits = 4;
constexpr int kTableBits = 6;

int64_t Low(uint64_t& code, int bits) {
  const uint64_t value = code & ((uint64_t{1} << bits) - 1);
  code >>= bits;
  return static_cast<int64_t>(value);
}

// Outputs are loaded for one tap after the other along the axes before the one that the strategy cuts.
bool LoadsByTap(PoolGradStrategy strategy, size_t axis) { return axis + 1 < static_cast<size_t>(strategy); }

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
    : p_(problem),
      soc_(soc),
      cores_(cores),
      hbm_bytes_(Real(least_reads)),
      element_bytes_(static_cast<int64_t>(SizeOf(problem.shape.dtype))),
      axes_(AxesOf(problem)),
      counts_(problem.shape) {
  for (const PoolGradStrategy strategy : kPoolGradStrategies) {
    bool waits = true;
    for (size_t axis = 0; axis < axes_.size(); ++axis) {
      waits = waits && AllSlotsLoad(axes_[axis], LoadsByTap(strategy, axis));
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
  std::array<int64_t, 3> parts = {1, 1, 1};
  if (part.strategy != kResident) {
    const auto axis = static_cast<size_t>(part.strategy) - 1;
    parts[axis] = part.outputs;
    for (size_t i = axis + 1; i < parts.size(); ++i) {
      parts[i] = NeededOutputs(p_, i, block[i].slots);
    }
  }
  SetBlockFields(p_,
                 {.d = block[0].slots,
                  .h = block[1].slots,
                  .w = block[2].slots,
                  .run_d = part.run_d,
                  .cut = {block[0].cut, block[1].cut, block[2].cut}},
                 part.strategy, parts, tiling);
  tiling.split.x_rows = buffers.x_rows;
  tiling.split.x_taps = buffers.x_taps;
  tiling.split.out_points = buffers.out_points;
  tiling.split.used_cores = 1;
  return tiling;
}

MaxPoolGradTiling MaxPoolGradSpace::TilingOf(int levels, const TilePath& path) const {
  const Block& block = blocks_[path[0]];
  if (levels == 1) {  // as if all stood in UB
    return TilingOf(block, {.strategy = kResident, .outputs = 0, .run_d = axes_[0].Slots().size()}, {});
  }
  uint64_t code = path[1];
  Part part;
  part.outputs = Low(code, kPartBits);
  part.strategy = static_cast<PoolGradStrategy>(Low(code, kStrategyBits));
  part.run_d = static_cast<int64_t>(code);
  Buffers buffers;
  if (levels > 2) {
    code = path[2];
    buffers.out_points = Low(code, kPointBits);
    buffers.x_rows = Low(code, kGradRowBits);
    buffers.x_taps = static_cast<int64_t>(code);
  }
  return TilingOf(block, part, buffers);
}

int64_t MaxPoolGradSpace::MostCores(const MaxPoolGradTiling& tiling) const {
  return std::clamp<int64_t>(Signed(tiling.data.totalCnt), 1, cores_);
}

PoolFacts MaxPoolGradSpace::FactsOf(const MaxPoolGradTiling& tiling, PoolGradKnown known) const {
  // `columns` loads the least
  const PoolGradStrategy strategy = known == PoolGradKnown::kBlock ? kColumns : tiling.split.strategy;
  PoolFacts facts = known == PoolGradKnown::kBuffers
                        ? tilesim::FactsOf(p_, tiling)
                        : PoolFacts{.loads_take_turns = p_.recomputes, .element_bytes = element_bytes_};
  facts.waits_for_loads = waits_for_loads_[static_cast<size_t>(strategy)];
  facts.tap_table = kAnyTable;
  facts.hbm_bytes = hbm_bytes_;
  return facts;
}

double MaxPoolGradSpace::LeastUs(const PoolCycles& work, const PoolFacts& facts, int64_t cores) const {
  return TimeWithLaunchUs(PoolLeastCycles(soc_, work, facts), cores, soc_);
}

double MaxPoolGradSpace::MeanUs(const MaxPoolGradTiling& tiling, PoolGradKnown known,
                                int64_t most_cores) const {
  const MaxPoolGradWork work(p_, counts_, tiling, known, soc_);
  const PoolFacts facts = FactsOf(tiling, known);
  double least = std::numeric_limits<double>::infinity();
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    least = std::min(least, LeastUs(work.Mean(cores), facts, cores));
  }
  return least;
}

TileSpace::Opened MaxPoolGradSpace::OpenRoot(double cutoff_us) const {
  Opened opened;
  for (uint64_t block = 0; block < blocks_.size(); ++block) {
    if (GivesUp()) {  // a block of a large window may take a second
      opened.whole = false;
      break;
    }
    const double us = MeanUs(TilingOf(1, {block}), PoolGradKnown::kBlock, cores_);
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
    for (const int64_t run : RunsOf(block)) {
      part.run_d = run;
      const MaxPoolGradTiling tiling = TilingOf(block, part, {});
      const double us = MeanUs(tiling, PoolGradKnown::kParts, MostCores(tiling));
      if (us < cutoff_us) {
        uint64_t code = Unsigned(run);
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
  uint64_t code = node[1];
  Part part;
  part.outputs = Low(code, kPartBits);
  part.strategy = static_cast<PoolGradStrategy>(Low(code, kStrategyBits));
  part.run_d = static_cast<int64_t>(code);
  Opened opened;
  for (const Buffers& buffers : BuffersOf(block, part)) {
    const MaxPoolGradTiling tiling = TilingOf(block, part, buffers);
    const double us = MeanUs(tiling, PoolGradKnown::kBuffers, MostCores(tiling));
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
  const MaxPoolGradTiling tiling = TilingOf(3, node);
  const MaxPoolGradWork work(p_, counts_, tiling, PoolGradKnown::kBuffers, soc_);
  Opened opened;
  const int64_t most_table = MostTable(tiling);
  const int64_t most_cores = MostCores(tiling);
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
    for (const int64_t run : RunsOf(block)) {
      part.run_d = run;
      count += tables * MostCores(TilingOf(block, part, {}));
    }
  }
  return count;
}

MaxPoolGradTiling MaxPoolGradSpace::TilingOf(const TilePath& path) const {
  MaxPoolGradTiling tiling = TilingOf(3, path);
  uint64_t code = path[3];
  tiling.split.tap_table = Low(code, kTableBits);
  tiling.split.used_cores = static_cast<int64_t>(code);
  tiling.data.usedCoreNum = code;
  tiling.data.totalUBSize = Unsigned(UbOf(tiling, element_bytes_).Total());
  return tiling;
}

size_t MaxPoolGradSpace::BusiestCoreOf(const TilePath& path) const {
  return tilesim::BusiestCoreOf(TilingOf(path), p_, counts_, soc_);
}

}  // namespace tilesim

#include "tiling/conv_backprop/filter_explain.h"

#include <algorithm>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_legality.h"
#include "tiling/conv_backprop/lever.h"

namespace tilesim {
namespace {

using DwTiling = TConv3DBpFilterTiling;

std::string TasksLine(const FilterProblem& p, const FilterTiling& tiling) {
  const FilterSplit& s = tiling.split;
  const TConv3DBpFilterBasicBlockTiling& task = tiling.data.basicBlockTiling;
  const int64_t tasks = s.m_dim * s.n_dim * s.k_dim * p.batch * p.dout * tiling.data.dwTiling.group * p.dk;
  std::string text =
      Say(Name(s.strategy), ": ", Counted(tasks, "task"), " of ", task.singleCoreM, " x ", task.singleCoreN,
          " x ", task.singleCoreK, " (M x N x K) on ", Counted(s.used_cores, "core"));
  if (s.merged_groups > 1) {
    text += Say(", ", s.merged_groups, " groups as one dense block");
  }
  return text;
}

std::string MemoryLine(const FilterProblem& p, const FilterTiling& tiling, const CoreMemory& memory) {
  const DwTiling& t = tiling.data.dwTiling;
  return Say("block ", t.baseM, " x ", t.baseN, " x ", t.baseK, " fills ", SharesOf(memory, DemandOf(t, p)));
}

// bl1Bound follows from the other fields.
void SetBound(const FilterProblem& problem, DwTiling& tiling) {
  constexpr int64_t kMost = UINT32_MAX;
  tiling.bl1Bound = static_cast<uint32_t>(std::min(DemandOf(tiling, problem).bound_elements, kMost));
}

}  // namespace

std::vector<std::string> Explained(const FilterProblem& problem, const FilterTiling& tiling,
                                   const CoreMemory& memory) {
  return {TasksLine(problem, tiling), MemoryLine(problem, tiling, memory)};
}

Rejections NotLarger(const FilterProblem& problem, const FilterTiling& tiling, const CoreMemory& memory) {
  const DwTiling& t = tiling.data.dwTiling;
  return WhyNotLarger<DwTiling>("dwTiling", t, t.baseK + t.k0, [&](DwTiling larger) {
    SetBound(problem, larger);
    Rejections found;
    CheckCapacity(larger, problem, memory, found);
    return found;
  });
}

Rejections WhyNothingFits(const FilterProblem& p, const CoreMemory& memory) {
  const FilterExtents e = ExtentsOf(p);
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const CubeChoice smallest{.base_m = 16, .base_n = 16, .base_k = 16};
  FilterCut cut{.split = {}, .part = {.m = 16, .lines = 1, .rows = 1}};
  const FilterTiling tiling = TilingOf(p, memory, cut, smallest);
  Rejections reasons = WhyNot(tiling.data, p, memory);
  const FilterDemand demand = DemandOf(tiling.data.dwTiling, p);
  const int64_t bytes = demand.l1_bytes();
  if (bytes > memory.l1_bytes) {
    const int64_t pixel_bytes = demand.step.rows_in * demand.step.lines * e.c0 * element_bytes;
    const int64_t fits = (memory.l1_bytes - demand.l1_a_bytes) / pixel_bytes;
    const ConvAxis w = AxisW(p);
    const int64_t narrowest = std::max<int64_t>(1, w.window() - w.pad_before - w.pad_after);
    std::erase_if(reasons, [](const Rejection& reason) { return reason.rule == kL1Rule; });
    reasons.insert(reasons.begin(),
                   {Say("bytes of L1 for the smallest step, which holds ", demand.step.rows_in,
                        " whole rows of the feature map (W is never cut)"),
                    "wi", bytes, memory.l1_bytes, MendOfRows("wi", fits, narrowest)});
  }
  return reasons;
}

}  // namespace tilesim

#include "tiling/conv_backprop/filter_explain.h"

#include <algorithm>
#include <array>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/filter_capacity.h"
#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/conv_backprop/filter_legality.h"

namespace tilesim {
namespace {

using Tiling = TConv3DBpFilterTiling;

std::string Percent(int64_t part, int64_t whole) { return Say(part * 100 / whole, " %"); }

std::string TasksLine(const FilterProblem& p, const FilterTiling& tiling) {
  const FilterSplit& s = tiling.split;
  const TConv3DBpFilterBasicBlockTiling& task = tiling.data.basicBlockTiling;
  const int64_t tasks = s.m_dim * s.n_dim * s.k_dim * p.batch * p.dout * tiling.data.dwTiling.group * p.dk;
  std::string text =
      Say(Name(s.strategy), ": ", tasks, " tasks of ", task.singleCoreM, " x ", task.singleCoreN, " x ",
          task.singleCoreK, " (M x N x K) on ", s.used_cores, s.used_cores == 1 ? " core" : " cores");
  if (s.merged_groups > 1) {
    text += Say(", ", s.merged_groups, " groups as one dense block");
  }
  return text;
}

std::string MemoryLine(const FilterProblem& p, const FilterTiling& tiling, const CoreMemory& memory) {
  const Tiling& t = tiling.data.dwTiling;
  const FilterDemand demand = DemandOf(t, p);
  return Say("block ", t.baseM, " x ", t.baseN, " x ", t.baseK, " fills ",
             Percent(demand.l0a_bytes, memory.l0a_bytes), " of L0A, ",
             Percent(demand.l0b_bytes, memory.l0b_bytes), " of L0B, ",
             Percent(demand.l0c_bytes, memory.l0c_bytes), " of L0C, its L1 steps ",
             Percent(demand.l1_a_bytes + demand.l1_b_bytes, memory.l1_bytes), " of L1");
}

// bl1Bound follows from the other fields.
void SetBound(const FilterProblem& problem, Tiling& tiling) {
  constexpr int64_t kMost = UINT32_MAX;
  tiling.bl1Bound = static_cast<uint32_t>(std::min(DemandOf(tiling, problem).bound_elements, kMost));
}

}  // namespace

std::vector<std::string> Explained(const FilterProblem& problem, const FilterTiling& tiling,
                                   const CoreMemory& memory) {
  return {TasksLine(problem, tiling), MemoryLine(problem, tiling, memory)};
}

Rejections NotLarger(const FilterProblem& problem, const FilterTiling& tiling, const CoreMemory& memory) {
  struct Step {
    std::string_view name;
    uint32_t Tiling::*field;
    uint32_t value;
    uint32_t most;
  };
  const Tiling& t = tiling.data.dwTiling;
  constexpr uint32_t kAny = UINT32_MAX;
  const std::array<Step, 8> steps = {{
      {"baseM", &Tiling::baseM, t.baseM + 16, kAny},
      {"baseN", &Tiling::baseN, t.baseN + 16, kAny},
      {"baseK", &Tiling::baseK, t.baseK + t.k0, kAny},
      {"cl0Pbuffer", &Tiling::cl0Pbuffer, t.cl0Pbuffer + 1, 2},
      {"stepKa", &Tiling::stepKa, t.stepKa * 2, kAny},
      {"stepKb", &Tiling::stepKb, t.stepKb * 2, kAny},
      {"al1Pbuffer", &Tiling::al1Pbuffer, t.al1Pbuffer + 1, 2},
      {"bl1Pbuffer", &Tiling::bl1Pbuffer, t.bl1Pbuffer + 1, 2},
  }};
  Rejections reasons;
  for (const Step& step : steps) {
    Tiling larger = t;
    larger.*step.field = step.value;
    SetBound(problem, larger);
    Rejections found;
    if (step.value <= step.most) {
      CheckCapacity(larger, problem, memory, found);
    }
    if (!found.empty()) {
      reasons.push_back({Say("with ", step.name, " ", step.value, ", ", found.front().rule),
                         Say("dwTiling.", step.name), found.front().value, found.front().limit,
                         Say(step.name, " ", t.*step.field, " fits")});
    }
  }
  return reasons;
}

Rejections WhyNothingFits(const FilterProblem& p, const CoreMemory& memory) {
  const FilterExtents e = ExtentsOf(p);
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const FilterBlockChoice smallest{.base_m = 16, .base_n = 16, .base_k = 16};
  FilterCut cut{.split = {}, .part = {.m = 16, .lines = 1, .rows = 1}};
  const FilterTiling tiling = TilingOf(p, memory, cut, smallest);
  Rejections reasons = WhyNot(tiling.data, p, memory);
  const FilterDemand demand = DemandOf(tiling.data.dwTiling, p);
  const int64_t bytes = demand.l1_a_bytes + demand.l1_b_bytes;
  if (bytes > memory.l1_bytes) {
    const int64_t pixel_bytes = demand.step.rows_in * demand.step.lines * e.c0 * element_bytes;
    const int64_t fits = (memory.l1_bytes - demand.l1_a_bytes) / pixel_bytes;
    std::erase_if(reasons, [](const Rejection& reason) { return reason.rule == kL1Rule; });
    reasons.insert(
        reasons.begin(),
        {Say("bytes of L1 for the smallest step, which holds ", demand.step.rows_in,
             " whole rows of the feature map (W is never cut)"),
         "wi", bytes, memory.l1_bytes, Say("wi ", fits, " fits, as does a kernel that spans fewer rows")});
  }
  return reasons;
}

}  // namespace tilesim

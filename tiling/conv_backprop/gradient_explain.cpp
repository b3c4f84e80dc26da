#include "tiling/conv_backprop/gradient_explain.h"

#include <algorithm>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/conv_backprop/lever.h"

namespace tilesim {
namespace {

// `extents`: of a task.
template <class Split, class Tiling>
std::vector<std::string> Sentences(const Split& split, int64_t tasks, const std::string& extents,
                                   const Tiling& t, const CoreMemory& memory, const CoreDemand& demand) {
  std::string text = Say(Name(split.strategy), ": ", Counted(tasks, "task"), " of ", extents, " on ",
                         Counted(split.used_cores, "core"));
  if (split.merged_groups > 1) {
    text += Say(", ", split.merged_groups, " groups as one dense block");
  }
  return {text, Say("block ", t.baseM, " x ", t.baseN, " x ", t.baseK, " fills ", SharesOf(memory, demand))};
}

}  // namespace

std::vector<std::string> Explained(const FilterProblem& p, const FilterTiling& tiling,
                                   const CoreMemory& memory) {
  const FilterSplit& s = tiling.split;
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  const TConv3DBpFilterBasicBlockTiling& task = tiling.data.basicBlockTiling;
  return Sentences(s, s.m_dim * s.n_dim * s.k_dim * p.batch * p.dout * t.group * p.dk,
                   Say(task.singleCoreM, " x ", task.singleCoreN, " x ", task.singleCoreK, " (M x N x K)"), t,
                   memory, DemandOf(t, p));
}

std::vector<std::string> Explained(const InputProblem& p, const InputTiling& tiling,
                                   const CoreMemory& memory) {
  const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  return Sentences(tiling.split, tiling.split.parts(), Say(t.singleCoreM, " x ", t.singleCoreCin, " (M x N)"),
                   t, memory, DemandOf(t, p));
}

Rejections NotLarger(const FilterProblem& problem, const FilterTiling& tiling, const CoreMemory& memory) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return WhyNotLarger<TConv3DBpFilterTiling>(
      "dwTiling", t, t.baseK + t.k0, [&](TConv3DBpFilterTiling larger) {
        larger.bl1Bound = static_cast<uint32_t>(  // which follows from the other fields
            std::min<int64_t>(DemandOf(larger, problem).bound_elements, UINT32_MAX));
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

Rejections NotLarger(const InputProblem& problem, const InputTiling& tiling, const CoreMemory& memory) {
  const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  return WhyNotLarger<TConv3DBackpropInputTiling>("conv3DDxTiling", t, t.baseK * 2,
                                                  [&](const TConv3DBackpropInputTiling& larger) {
                                                    Rejections found;
                                                    CheckCapacity(larger, problem, memory, found);
                                                    return found;
                                                  });
}

Rejections WhyNothingFits(const InputProblem& p, const CoreMemory& memory) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  const InputCut cut{.rows = 1, .lines = std::min(ExtentsOf(p).cin1_g, 16 / c0)};
  const CubeChoice smallest{.base_k = c0, .step_ka = taps, .step_kb = taps};
  const InputTiling tiling = TilingOf(p, cut, smallest);
  Rejections reasons = WhyNot(tiling.data, p, memory);
  const CoreDemand demand = DemandOf(tiling.data.conv3DDxTiling, p);
  const int64_t bytes = demand.l1_bytes();
  if (bytes > memory.l1_bytes) {
    const InputL1 l1 = InputL1::Of(tiling.data.conv3DDxTiling);
    const int64_t width = std::max<int64_t>((memory.l1_bytes - demand.l1_b_bytes) / (l1.rows * 32), 0);
    std::erase_if(reasons, [](const Rejection& reason) { return reason.rule.starts_with("bytes of L1"); });
    reasons.insert(reasons.begin(), {Say("bytes of L1 for the smallest step, which holds ", l1.rows,
                                         " whole rows of the stride-expanded gradient (W is never cut)"),
                                     "wo", bytes, memory.l1_bytes,
                                     MendOfRows("wo", (width + p.stride_w - 1) / p.stride_w, 1)});
  }
  return reasons;
}

}  // namespace tilesim

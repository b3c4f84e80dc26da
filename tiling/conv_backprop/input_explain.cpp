#include "tiling/conv_backprop/input_explain.h"

#include <algorithm>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/input_capacity.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_legality.h"
#include "tiling/conv_backprop/lever.h"

namespace tilesim {
namespace {

using DxTiling = TConv3DBackpropInputTiling;

std::string TasksLine(const InputTiling& tiling) {
  const InputSplit& s = tiling.split;
  const DxTiling& t = tiling.data.conv3DDxTiling;
  std::string text = Say(Name(s.strategy), ": ", Counted(s.parts(), "task"), " of ", t.singleCoreM, " x ",
                         t.singleCoreCin, " (M x N) on ", Counted(s.used_cores, "core"));
  if (s.merged_groups > 1) {
    text += Say(", ", s.merged_groups, " groups as one dense block");
  }
  return text;
}

std::string MemoryLine(const InputProblem& p, const InputTiling& tiling, const CoreMemory& memory) {
  const DxTiling& t = tiling.data.conv3DDxTiling;
  return Say("block ", t.baseM, " x ", t.baseN, " x ", t.baseK, " fills ", SharesOf(memory, DemandOf(t, p)));
}

}  // namespace

std::vector<std::string> Explained(const InputProblem& problem, const InputTiling& tiling,
                                   const CoreMemory& memory) {
  return {TasksLine(tiling), MemoryLine(problem, tiling, memory)};
}

Rejections NotLarger(const InputProblem& problem, const InputTiling& tiling, const CoreMemory& memory) {
  const DxTiling& t = tiling.data.conv3DDxTiling;
  return WhyNotLarger<DxTiling>("conv3DDxTiling", t, t.baseK * 2, [&](const DxTiling& larger) {
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

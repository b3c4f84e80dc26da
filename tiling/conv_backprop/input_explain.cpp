#include "tiling/conv_backprop/input_explain.h"

#include <algorithm>
#include <array>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/input_capacity.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_legality.h"

namespace tilesim {
namespace {

using Tiling = TConv3DBackpropInputTiling;

std::string Percent(int64_t part, int64_t whole) { return Say(part * 100 / whole, " %"); }

std::string TasksLine(const InputTiling& tiling) {
  const InputSplit& s = tiling.split;
  const Tiling& t = tiling.data.conv3DDxTiling;
  std::string text =
      Say(Name(s.strategy), ": ", s.parts(), " tasks of ", t.singleCoreM, " x ", t.singleCoreCin,
          " (M x N) on ", s.used_cores, s.used_cores == 1 ? " core" : " cores");
  if (s.merged_groups > 1) {
    text += Say(", ", s.merged_groups, " groups as one dense block");
  }
  return text;
}

std::string MemoryLine(const InputProblem& p, const InputTiling& tiling, const CoreMemory& memory) {
  const Tiling& t = tiling.data.conv3DDxTiling;
  const InputDemand demand = DemandOf(t, p);
  return Say("block ", t.baseM, " x ", t.baseN, " x ", t.baseK, " fills ",
             Percent(demand.l0a_bytes, memory.l0a_bytes), " of L0A, ",
             Percent(demand.l0b_bytes, memory.l0b_bytes), " of L0B, ",
             Percent(demand.l0c_bytes, memory.l0c_bytes), " of L0C, its L1 steps ",
             Percent(demand.l1_a_bytes + demand.l1_b_bytes, memory.l1_bytes), " of L1");
}

}  // namespace

std::vector<std::string> Explained(const InputProblem& problem, const InputTiling& tiling,
                                   const CoreMemory& memory) {
  return {TasksLine(tiling), MemoryLine(problem, tiling, memory)};
}

Rejections NotLarger(const InputProblem& problem, const InputTiling& tiling, const CoreMemory& memory) {
  struct Step {
    std::string_view name;
    uint32_t Tiling::*field;
    uint32_t value;
    uint32_t most;
  };
  const Tiling& t = tiling.data.conv3DDxTiling;
  constexpr uint32_t kAny = UINT32_MAX;
  const std::array<Step, 8> steps = {{
      {"baseM", &Tiling::baseM, t.baseM + 16, kAny},
      {"baseN", &Tiling::baseN, t.baseN + 16, kAny},
      {"baseK", &Tiling::baseK, t.baseK * 2, kAny},
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
    Rejections found;
    if (step.value <= step.most) {
      CheckCapacity(larger, problem, memory, found);
    }
    if (!found.empty()) {
      reasons.push_back({Say("with ", step.name, " ", step.value, ", ", found.front().rule),
                         Say("conv3DDxTiling.", step.name), found.front().value, found.front().limit,
                         Say(step.name, " ", t.*step.field, " fits"), found.front().kind});
    }
  }
  return reasons;
}

Rejections WhyNothingFits(const InputProblem& p, const CoreMemory& memory) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  const InputCut cut{.rows = 1, .lines = std::min(ExtentsOf(p).cin1_g, 16 / c0)};
  const InputBlockChoice smallest{.base_k = c0, .step_ka = taps, .step_kb = taps};
  const InputTiling tiling = TilingOf(p, cut, smallest);
  Rejections reasons = WhyNot(tiling.data, p, memory);
  const InputDemand demand = DemandOf(tiling.data.conv3DDxTiling, p);
  const int64_t bytes = demand.l1_a_bytes + demand.l1_b_bytes;
  if (bytes > memory.l1_bytes) {
    const InputL1 l1 = InputL1::Of(tiling.data.conv3DDxTiling);
    const int64_t width = std::max<int64_t>((memory.l1_bytes - demand.l1_b_bytes) / (l1.rows * 32), 0);
    std::erase_if(reasons, [](const Rejection& reason) { return reason.rule.starts_with("bytes of L1"); });
    reasons.insert(reasons.begin(), {Say("bytes of L1 for the smallest step, which holds ", l1.rows,
                                         " whole rows of the stride-expanded gradient (W is never cut)"),
                                     "wo", bytes, memory.l1_bytes,
                                     Say("wo ", (width + p.stride_w - 1) / p.stride_w,
                                         " fits, as does a kernel that spans fewer rows")});
  }
  return reasons;
}

}  // namespace tilesim

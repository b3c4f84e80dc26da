#include "tiling/conv_backprop/filter_capacity.h"

#include <algorithm>
#include <optional>
#include <string>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/lever.h"

namespace tilesim {
namespace {

using DwTiling = TConv3DBpFilterTiling;

constexpr int64_t kAccumulatorBytes = 4;  // L0C holds fp32 whatever the inputs
constexpr int64_t kL0Halves = 2;  // the second half of L0A and L0B starts at a fixed place, used or not

int64_t Padded(uint32_t extent) { return AlignUp(int64_t{extent}, kFractalEdge); }

// The L1 need with bl1Bound set to what the step really touches.
int64_t L1Bytes(DwTiling tiling, const FilterProblem& problem) {
  tiling.bl1Bound =
      static_cast<uint32_t>(std::min<int64_t>(DemandOf(tiling, problem).bound_elements, UINT32_MAX));
  return DemandOf(tiling, problem).l1_bytes();
}

// What to do where not even the smallest step fits: W is never cut.
std::string NarrowerFits(DwTiling t, const FilterProblem& p, const CoreMemory& memory) {
  t.baseM = t.baseN = 16;
  t.baseK = static_cast<uint32_t>(C0Of(p.dtype));
  t.stepM = t.stepN = t.stepKa = t.stepKb = t.al1Pbuffer = t.bl1Pbuffer = 1;
  const FilterDemand least = DemandOf(t, p);
  const int64_t pixel_bytes =
      least.step.rows_in * least.step.lines * C0Of(p.dtype) * static_cast<int64_t>(SizeOf(p.dtype));
  return Say("no tiling fits at this width, wi ", (memory.l1_bytes - least.l1_a_bytes) / pixel_bytes,
             " does");
}

void CheckL1(const DwTiling& t, const FilterProblem& p, const CoreMemory& memory, Rejections& reasons) {
  const FilterDemand demand = DemandOf(t, p);
  if (t.bl1Bound < demand.bound_elements) {
    reasons.push_back({Say("elements of one L1 copy of B, which holds ", demand.step.rows_in,
                           " feature map rows of ", demand.step.lines, " cin1 lines"),
                       "dwTiling.bl1Bound", t.bl1Bound, demand.bound_elements,
                       Say("bl1Bound ", demand.bound_elements, " fits")});
  }
  const int64_t bytes = demand.l1_bytes();
  if (bytes <= memory.l1_bytes) {
    return;
  }
  const auto k0 = static_cast<uint32_t>(C0Of(p.dtype));
  const FitsTest<DwTiling> fits = [&](const DwTiling& trial) {
    const uint32_t larger = std::max(trial.stepKa, trial.stepKb);
    return larger % std::min(trial.stepKa, trial.stepKb) == 0 && L1Bytes(trial, p) <= memory.l1_bytes;
  };
  const Lever<DwTiling> levers[] = {
      {"stepKb", &DwTiling::stepKb, 1},         {"stepKa", &DwTiling::stepKa, 1},
      {"bl1Pbuffer", &DwTiling::bl1Pbuffer, 1}, {"al1Pbuffer", &DwTiling::al1Pbuffer, 1},
      {"stepN", &DwTiling::stepN, 1},           {"stepM", &DwTiling::stepM, 1},
      {"baseK", &DwTiling::baseK, k0},          {"baseN", &DwTiling::baseN, 16},
      {"baseM", &DwTiling::baseM, 16}};
  std::string mend = Say("bl1Bound ", demand.bound_elements, " fits");
  if (L1Bytes(t, p) > memory.l1_bytes) {
    const std::optional<std::string> step = MendBy<DwTiling>(levers, t, fits);
    mend = step ? *step + ", with the bl1Bound it needs" : NarrowerFits(t, p, memory);
  }
  reasons.push_back({std::string(kL1Rule), "dwTiling.bl1Bound", bytes, memory.l1_bytes, mend});
}

}  // namespace

FilterWindow TaskWindow(const DwTiling& t) {
  return {.rows_out = t.singleCoreHo, .lines = static_cast<int64_t>(t.singleCoreCin) / t.channelSize};
}

FilterDemand DemandOf(const DwTiling& t, const FilterProblem& p) {
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const FilterExtents e = ExtentsOf(p);
  const int64_t k_extent = int64_t{t.stepKb} * t.baseK;
  const int64_t columns = int64_t{t.stepN} * t.baseN / e.c0;
  FilterDemand demand;
  demand.l0a_bytes = Padded(t.baseM) * Padded(t.baseK) * element_bytes * kL0Halves;
  demand.l0b_bytes = Padded(t.baseN) * Padded(t.baseK) * element_bytes * kL0Halves;
  demand.l0c_bytes = int64_t{t.baseM} * t.baseN * kAccumulatorBytes * t.cl0Pbuffer;
  demand.l1_a_bytes = int64_t{t.stepM} * t.baseM * t.stepKa * t.baseK * element_bytes * t.al1Pbuffer;
  demand.l1_b_bytes = int64_t{t.bl1Bound} * element_bytes * t.bl1Pbuffer;
  demand.step = L1StepOf(p, e, TaskWindow(t), k_extent, columns);
  demand.bound_elements = L1BoundOf(p, e, TaskWindow(t), k_extent, columns);
  return demand;
}

void CheckCapacity(const DwTiling& tiling, const FilterProblem& problem, const CoreMemory& memory,
                   Rejections& reasons) {
  const Lever<DwTiling> c[] = {{"cl0Pbuffer", &DwTiling::cl0Pbuffer, 1},
                               {"baseN", &DwTiling::baseN, 16},
                               {"baseM", &DwTiling::baseM, 16}};
  CheckL0<DwTiling>(
      "dwTiling", tiling, static_cast<uint32_t>(C0Of(problem.dtype)), memory,
      [&](const DwTiling& trial) { return DemandOf(trial, problem); }, [](const DwTiling&) { return true; },
      c, reasons);
  CheckL1(tiling, problem, memory, reasons);
}

}  // namespace tilesim

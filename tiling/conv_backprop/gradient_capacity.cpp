#include "tiling/conv_backprop/gradient_capacity.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {
namespace {

// Of the tasks that the tiling data describe.
FilterWindow TaskWindow(const DwTiling& t) {
  return {.rows_out = t.singleCoreHo, .lines = static_cast<int64_t>(t.singleCoreCin) / t.channelSize};
}

// A field of tiling data that may be made smaller, a granule at a time, until the whole fits. Knows no memory
// and no rule: the caller tells what fits.
template <class Tiling>
struct Lever {
  std::string_view name;
  uint32_t Tiling::*field;
  uint32_t granule;
};

template <class Tiling>
using FitsTest = std::function<bool(const Tiling&)>;

// The largest value of one field, in steps of its granule down from its own, with which `fits` holds; 0 if
// none.
template <class Tiling>
uint32_t LargestThatFits(Tiling tiling, const Lever<Tiling>& lever, const FitsTest<Tiling>& fits) {
  constexpr uint32_t kFarTooLarge = 4096;  // of any field: no need to try from further up
  const uint32_t start = std::min(tiling.*lever.field, kFarTooLarge);
  for (uint32_t value = start / lever.granule * lever.granule; value >= lever.granule;
       value -= lever.granule) {
    tiling.*lever.field = value;
    if (fits(tiling)) {
      return value;
    }
  }
  return 0;
}

// "baseK 64 fits": the first lever that alone makes it fit. Failing that, all of them at their least; nothing
// where even that does not fit.
template <class Tiling>
std::optional<std::string> MendBy(std::span<const Lever<Tiling>> levers, const Tiling& tiling,
                                  const FitsTest<Tiling>& fits) {
  for (const Lever<Tiling>& lever : levers) {
    if (const uint32_t value = LargestThatFits(tiling, lever, fits)) {
      return Say(lever.name, " ", value, " fits");
    }
  }
  Tiling least = tiling;
  std::string text;
  for (const Lever<Tiling>& lever : levers) {
    least.*lever.field = std::min(least.*lever.field, lever.granule);
    text += Say(text.empty() ? "" : ", ", lever.name, " ", least.*lever.field);
  }
  return fits(least) ? std::optional(Say(text, " fits")) : std::nullopt;
}

constexpr const char* kNoMend =
    "no value of these fields fits; let planner op vary the others too, or give a larger memory";

// Refuses what does not fit L0A, L0B and L0C. `c0`: of K; `c`: what of L0C may be made smaller, its field
// first named by the second; a mend must be one that `is_whole` takes.
template <class Tiling>
void CheckL0(std::string_view section, const Tiling& t, uint32_t c0, const CoreMemory& memory,
             const std::function<CoreDemand(const Tiling&)>& demand_of, const FitsTest<Tiling>& is_whole,
             std::span<const Lever<Tiling>> c, Rejections& reasons) {
  const CoreDemand demand = demand_of(t);
  const auto refuse = [&](std::string_view rule, std::string_view field, int64_t CoreDemand::*bytes,
                          int64_t limit, std::span<const Lever<Tiling>> levers) {
    if (demand.*bytes > limit) {
      const FitsTest<Tiling> fits = [&](const Tiling& trial) {
        return is_whole(trial) && demand_of(trial).*bytes <= limit;
      };
      reasons.push_back({std::string(rule), Say(section, ".", field), demand.*bytes, limit,
                         MendBy(levers, t, fits).value_or(kNoMend)});
    }
  };
  const Lever<Tiling> a[] = {{"baseM", &Tiling::baseM, 16}, {"baseK", &Tiling::baseK, c0}};
  const Lever<Tiling> b[] = {{"baseN", &Tiling::baseN, 16}, {"baseK", &Tiling::baseK, c0}};
  refuse("bytes of L0A for both halves of A", "baseM", &CoreDemand::l0a_bytes, memory.l0a_bytes, a);
  refuse("bytes of L0B for both halves of B", "baseN", &CoreDemand::l0b_bytes, memory.l0b_bytes, b);
  refuse("bytes of L0C for all fp32 results", c[1].name, &CoreDemand::l0c_bytes, memory.l0c_bytes, c);
}

using DwTiling = TConv3DBpFilterTiling;
using DxTiling = TConv3DBackpropInputTiling;

constexpr int64_t kAccumulatorBytes = 4;  // L0C holds fp32 whatever the inputs
constexpr int64_t kL0Halves = 2;  // the second half of L0A and L0B starts at a fixed place, used or not

std::string Percent(int64_t part, int64_t whole) { return Say(part * 100 / whole, " %"); }

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

int64_t LineOf(const DxTiling& t) { return int64_t{t.hk} * t.wk * t.c0; }

// Blocks of K are whole lines of output channels or even parts of one.
bool BlocksAreWhole(const DxTiling& t) { return t.baseK % LineOf(t) == 0 || LineOf(t) % t.baseK == 0; }

// And so are loads along K.
bool StepsAreWhole(const DxTiling& t) {
  const int64_t line = LineOf(t);
  const int64_t k = t.baseK;
  const auto [less, more] = std::minmax(t.stepKa, t.stepKb);
  return BlocksAreWhole(t) && k * t.stepKa % line == 0 && k * t.stepKb % line == 0 && more % less == 0;
}

void CheckL1(const DxTiling& t, const InputProblem& p, const CoreMemory& memory, Rejections& reasons) {
  const int64_t bytes = DemandOf(t, p).l1_bytes();
  if (bytes <= memory.l1_bytes) {
    return;
  }
  const FitsTest<DxTiling> fits = [&](const DxTiling& trial) {
    return StepsAreWhole(trial) && DemandOf(trial, p).l1_bytes() <= memory.l1_bytes;
  };
  const auto c0 = static_cast<uint32_t>(C0Of(p.dtype));
  const Lever<DxTiling> levers[] = {
      {"stepKb", &DxTiling::stepKb, 1},         {"stepKa", &DxTiling::stepKa, 1},
      {"bl1Pbuffer", &DxTiling::bl1Pbuffer, 1}, {"al1Pbuffer", &DxTiling::al1Pbuffer, 1},
      {"baseM", &DxTiling::baseM, 16},          {"baseN", &DxTiling::baseN, 16},
      {"baseK", &DxTiling::baseK, c0}};
  const InputL1 l1 = InputL1::Of(t);
  reasons.push_back({Say("bytes of L1 for all copies of A and B, of A ", l1.rows, " rows of ", l1.width,
                         " pixels in ", l1.lines, " lines of channels"),
                     "conv3DDxTiling.stepKa", bytes, memory.l1_bytes,
                     MendBy<DxTiling>(levers, t, fits).value_or(kNoMend)});
}

}  // namespace

bool Fits(const CoreDemand& demand, const CoreMemory& memory) {
  return demand.l0a_bytes <= memory.l0a_bytes && demand.l0b_bytes <= memory.l0b_bytes &&
         demand.l0c_bytes <= memory.l0c_bytes && demand.l1_bytes() <= memory.l1_bytes;
}

std::string SharesOf(const CoreMemory& memory, const CoreDemand& demand) {
  return Say(Percent(demand.l0a_bytes, memory.l0a_bytes), " of L0A, ",
             Percent(demand.l0b_bytes, memory.l0b_bytes), " of L0B, ",
             Percent(demand.l0c_bytes, memory.l0c_bytes), " of L0C, its L1 steps ",
             Percent(demand.l1_bytes(), memory.l1_bytes), " of L1");
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

CoreDemand DemandOf(const DxTiling& t, const InputProblem& p) {
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const InputL1 l1 = InputL1::Of(t);
  const int64_t halves = t.al0Pbuffer == 2 && t.bl0Pbuffer == 2 ? 2 : 1;
  CoreDemand demand;
  demand.l0a_bytes = Padded(t.baseM) * Padded(t.baseK) * element_bytes * halves;
  demand.l0b_bytes = Padded(t.baseN) * Padded(t.baseK) * element_bytes * halves;
  demand.l0c_bytes = Padded(t.baseM) * Padded(t.baseN) * kAccumulatorBytes * t.cl0Pbuffer;
  demand.l1_a_bytes = l1.elements_a * element_bytes * t.al1Pbuffer;
  demand.l1_b_bytes = l1.elements_b * element_bytes * t.bl1Pbuffer;
  return demand;
}

void CheckCapacity(const DxTiling& tiling, const InputProblem& problem, const CoreMemory& memory,
                   Rejections& reasons) {
  const Lever<DxTiling> c[] = {{"cl0Pbuffer", &DxTiling::cl0Pbuffer, 1},
                               {"baseM", &DxTiling::baseM, 16},
                               {"baseN", &DxTiling::baseN, 16}};
  CheckL0<DxTiling>(
      "conv3DDxTiling", tiling, static_cast<uint32_t>(C0Of(problem.dtype)), memory,
      [&](const DxTiling& trial) { return DemandOf(trial, problem); }, BlocksAreWhole, c, reasons);
  CheckL1(tiling, problem, memory, reasons);
}

FilterL1Step L1StepOf(const FilterProblem& p, const FilterExtents& e, const FilterWindow& window,
                      int64_t k_extent, int64_t columns) {
  FilterL1Step step{};
  step.rows_out = std::min({MostTouched(k_extent, p.wo), window.rows_out, p.ho});
  const int64_t rows = (step.rows_out - 1) * p.stride_h + (p.hk - 1) * p.dilation_h + 1;
  step.rows_in = std::min(rows, p.hi);
  // with c0 = 8 the last fractal of 16 columns may reach into the line behind the last
  const int64_t lines = std::min(window.lines, e.cin1_g) + (e.c0 == 8 ? 1 : 0);
  step.lines = std::min(MostTouched(columns, p.hk * p.wk), lines);
  return step;
}

int64_t L1BoundOf(const FilterProblem& p, const FilterExtents& e, const FilterWindow& window,
                  int64_t k_extent, int64_t columns) {
  const FilterL1Step step = L1StepOf(p, e, window, k_extent, columns);
  constexpr int64_t kFarTooMany = int64_t{1} << 40;  // more than any L1 holds, and safe to multiply on
  const __int128 elements = static_cast<__int128>(step.rows_in) * p.wi * step.lines * e.c0;
  return elements < kFarTooMany ? static_cast<int64_t>(elements) : kFarTooMany;
}

}  // namespace tilesim

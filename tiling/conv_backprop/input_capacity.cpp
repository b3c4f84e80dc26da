#include "tiling/conv_backprop/input_capacity.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {
namespace {

using Tiling = TConv3DBackpropInputTiling;
using FieldOf = uint32_t Tiling::*;

constexpr int64_t kAccumulatorBytes = 4;  // L0C holds fp32 whatever the inputs

int64_t Padded(uint32_t extent) { return AlignUp(int64_t{extent}, kFractalEdge); }

int64_t LineOf(const Tiling& t) { return int64_t{t.hk} * t.wk * t.c0; }

// Blocks of K are whole lines of output channels or even parts of one.
bool BlocksAreWhole(const Tiling& t) { return t.baseK % LineOf(t) == 0 || LineOf(t) % t.baseK == 0; }

// And so are loads along K.
bool StepsAreWhole(const Tiling& t) {
  const int64_t line = LineOf(t);
  const int64_t k = t.baseK;
  const auto [less, more] = std::minmax(t.stepKa, t.stepKb);
  return BlocksAreWhole(t) && k * t.stepKa % line == 0 && k * t.stepKb % line == 0 && more % less == 0;
}

using Fits = std::function<bool(const Tiling&)>;

struct Lever {
  std::string_view name;
  FieldOf field;
  uint32_t granule;
};

// The largest value of one field, in steps of its granule down from its own, with which `fits` holds; 0 if
// none.
uint32_t LargestThatFits(Tiling tiling, const Lever& lever, const Fits& fits) {
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

// "baseK 64 fits": the first lever that alone makes it fit. Failing that, all of them at their least.
std::string Mend(const Tiling& tiling, std::span<const Lever> levers, const Fits& fits) {
  for (const Lever& lever : levers) {
    if (const uint32_t value = LargestThatFits(tiling, lever, fits)) {
      return Say(lever.name, " ", value, " fits");
    }
  }
  Tiling least = tiling;
  std::string text;
  for (const Lever& lever : levers) {
    least.*lever.field = std::min(least.*lever.field, lever.granule);
    text += Say(text.empty() ? "" : ", ", lever.name, " ", least.*lever.field);
  }
  return fits(least)
             ? Say(text, " fits")
             : "no value of these fields fits; let planner op vary the others too, or give a larger memory";
}

void CheckL0(const Tiling& t, const InputProblem& p, const CoreMemory& memory, Rejections& reasons) {
  const InputDemand demand = DemandOf(t, p);
  const auto c0 = static_cast<uint32_t>(C0Of(p.dtype));
  const auto refuse = [&](std::string_view rule, std::string_view field, int64_t InputDemand::*bytes,
                          int64_t limit, std::span<const Lever> levers) {
    if (demand.*bytes > limit) {
      reasons.push_back({std::string(rule), std::string(field), demand.*bytes, limit,
                         Mend(t, levers, [&](const Tiling& trial) {
                           return BlocksAreWhole(trial) && DemandOf(trial, p).*bytes <= limit;
                         })});
    }
  };
  const Lever a[] = {{"baseM", &Tiling::baseM, 16}, {"baseK", &Tiling::baseK, c0}};
  const Lever b[] = {{"baseN", &Tiling::baseN, 16}, {"baseK", &Tiling::baseK, c0}};
  const Lever c[] = {
      {"cl0Pbuffer", &Tiling::cl0Pbuffer, 1}, {"baseM", &Tiling::baseM, 16}, {"baseN", &Tiling::baseN, 16}};
  refuse("bytes of L0A for both halves of A", "conv3DDxTiling.baseM", &InputDemand::l0a_bytes,
         memory.l0a_bytes, a);
  refuse("bytes of L0B for both halves of B", "conv3DDxTiling.baseN", &InputDemand::l0b_bytes,
         memory.l0b_bytes, b);
  refuse("bytes of L0C for all fp32 results", "conv3DDxTiling.baseM", &InputDemand::l0c_bytes,
         memory.l0c_bytes, c);
}

int64_t L1Bytes(const Tiling& t, const InputProblem& p) {
  const InputDemand demand = DemandOf(t, p);
  return demand.l1_a_bytes + demand.l1_b_bytes;
}

void CheckL1(const Tiling& t, const InputProblem& p, const CoreMemory& memory, Rejections& reasons) {
  const int64_t bytes = L1Bytes(t, p);
  if (bytes <= memory.l1_bytes) {
    return;
  }
  const Fits fits = [&](const Tiling& trial) {
    return StepsAreWhole(trial) && L1Bytes(trial, p) <= memory.l1_bytes;
  };
  const auto c0 = static_cast<uint32_t>(C0Of(p.dtype));
  const Lever levers[] = {{"stepKb", &Tiling::stepKb, 1},         {"stepKa", &Tiling::stepKa, 1},
                          {"bl1Pbuffer", &Tiling::bl1Pbuffer, 1}, {"al1Pbuffer", &Tiling::al1Pbuffer, 1},
                          {"baseM", &Tiling::baseM, 16},          {"baseN", &Tiling::baseN, 16},
                          {"baseK", &Tiling::baseK, c0}};
  const InputL1 l1 = InputL1::Of(t);
  reasons.push_back({Say("bytes of L1 for all copies of A and B, of A ", l1.rows, " rows of ", l1.width,
                         " pixels in ", l1.lines, " lines of channels"),
                     "conv3DDxTiling.stepKa", bytes, memory.l1_bytes, Mend(t, levers, fits)});
}

}  // namespace

InputDemand DemandOf(const Tiling& t, const InputProblem& p) {
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  const InputL1 l1 = InputL1::Of(t);
  const int64_t halves = t.al0Pbuffer == 2 && t.bl0Pbuffer == 2 ? 2 : 1;
  InputDemand demand;
  demand.l0a_bytes = Padded(t.baseM) * Padded(t.baseK) * element_bytes * halves;
  demand.l0b_bytes = Padded(t.baseN) * Padded(t.baseK) * element_bytes * halves;
  demand.l0c_bytes = Padded(t.baseM) * Padded(t.baseN) * kAccumulatorBytes * t.cl0Pbuffer;
  demand.l1_a_bytes = l1.elements_a * element_bytes * t.al1Pbuffer;
  demand.l1_b_bytes = l1.elements_b * element_bytes * t.bl1Pbuffer;
  return demand;
}

void CheckCapacity(const Tiling& tiling, const InputProblem& problem, const CoreMemory& memory,
                   Rejections& reasons) {
  CheckL0(tiling, problem, memory, reasons);
  CheckL1(tiling, problem, memory, reasons);
}

}  // namespace tilesim

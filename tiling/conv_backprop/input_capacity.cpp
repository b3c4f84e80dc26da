#include "tiling/conv_backprop/input_capacity.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/conv_backprop/lever.h"

namespace tilesim {
namespace {

using DxTiling = TConv3DBackpropInputTiling;

constexpr int64_t kAccumulatorBytes = 4;  // L0C holds fp32 whatever the inputs

int64_t Padded(uint32_t extent) { return AlignUp(int64_t{extent}, kFractalEdge); }

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

}  // namespace tilesim

#include "sim/isa/vector_reduce.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kReduceCycles = 7;  // measured: KPP 910B1, cmax of fp16 and fp32

int64_t Bytes(const VectorReduceMax& reduce, int64_t elements) {
  return elements * ElementBits(reduce.type) / 8;
}
// What the first pass leaves, a value and an index a repeat; with the index of the result what the next two
// passes leave, too; each in whole data blocks (assumed: the documents that we know have no formula).
int64_t ScratchElements(const VectorReduceMax& reduce) {
  const int64_t block = kDataBlockBytes * 8 / ElementBits(reduce.type);
  int64_t pass = 2 * reduce.work.repeats;
  int64_t elements = AlignUp(pass, block);
  for (int later = 0; later < 2 && reduce.with_index; ++later) {
    pass = 2 * CeilDiv(pass, reduce.work.lanes);
    elements += AlignUp(pass, block);
  }
  return elements;
}

// The largest element so far and its lane.
struct Largest {
  float value = 0;
  int64_t lane = -1;  // none yet

  template <class T>
  void Meet(const std::byte* src, int64_t first_lane, int64_t count) {
    const auto* const values = reinterpret_cast<const T*>(src);
    int64_t i = 0;
    if (lane < 0) {
      value = values[0];
      lane = first_lane;
      i = 1;
    }
    for (; i < count && value == value; ++i) {
      const float other = values[i];
      if (!(other <= value)) {
        value = other;
        lane = first_lane + i;
      }
    }
  }
};

}  // namespace

void VectorReduceMax::Check(Core& core) const {
  RequireType(core, type, {VectorType::kFp16, VectorType::kFp32});
  const int64_t most = type == VectorType::kFp16 && with_index ? 65536 : (int64_t{1} << 31) - 1;
  RequireRange(core, "count", work.Elements().value_or(work.repeats * work.lanes), 0, most,
               "its index would not fit into an element: reduce in parts");
  RequireUb(core, "dst", {.at = dst});
  RequireUb(core, "src", src);
  RequireUb(core, "sharedTmpBuffer", {.at = scratch});
  if (work.IsNop()) {
    return;
  }
  const Extent passes{scratch.begin, scratch.begin + Unsigned(Bytes(*this, ScratchElements(*this)))};
  if (!passes.Meets(ExtentOf(work, src))) {
    return;
  }
  // between repeats it may lie; dst, which is written last, anywhere
  for (int64_t r = 0; r < work.repeats; ++r) {
    VectorOperand repeat = src;
    repeat.at.begin += Unsigned(r * src.RepeatBytes());
    const Extent read = ExtentOf(WorkOfMask(work.MaskOf(r), work.lanes, 1), repeat);
    core.Require(!passes.Meets(read), FaultKind::kMisuse, "sharedTmpBuffer", "overlaps src: bytes [",
                 passes.begin, ", ", passes.end, ") of UB take what each pass leaves, and repeat ", r,
                 " reads [", read.begin, ", ", read.end, "); use another buffer");
  }
}

Operands VectorReduceMax::Footprint(Core& /*core*/) const {
  Operands operands;
  if (!work.IsNop()) {
    operands.Add(RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(Bytes(*this, with_index ? 2 : 1))}));
    AddLanes(operands, work, src, Use::kRead, "src");
    operands.Add(RegionOf(scratch, Use::kWrite, "sharedTmpBuffer",
                          {0, Unsigned(Bytes(*this, ScratchElements(*this)))}));
  }
  return operands;
}

void VectorReduceMax::Execute(Core& core) const {
  if (work.IsNop()) {
    return;
  }
  std::byte* const ub = core.ub();
  Largest largest;
  ForRuns<1>(work, {&src}, [&](const std::array<uint64_t, 1>& at, int64_t lane, const VectorRun& run) {
    for (int64_t r = 0; r < run.repeats; ++r) {
      const std::byte* const from = ub + at[0] + r * run.step_bytes[0];
      if (type == VectorType::kFp16) {
        largest.Meet<Half>(from, lane + r * work.lanes, run.count);
      } else {
        largest.Meet<float>(from, lane + r * work.lanes, run.count);
      }
    }
  });
  const size_t size = Unsigned(Bytes(*this, 1));
  const int64_t place =
      largest.lane / work.lanes * src.RepeatBytes() + src.LaneBytes(largest.lane % work.lanes);
  std::byte result[8];
  std::memcpy(result, ub + src.at.begin + Unsigned(place), size);
  const auto index = static_cast<uint32_t>(largest.lane);
  std::memcpy(result + size, &index, size);  // little-endian: the low bytes
  std::memset(ub + scratch.begin, 0xFF, Unsigned(Bytes(*this, ScratchElements(*this))));
  std::memcpy(ub + dst.begin, result, with_index ? 2 * size : size);
}

// Repeats to a value and an index each, and those again, until one is left; each pass waits for the one
// before.
Cost VectorReduceMax::TimeOn(Core& core) const {
  if (work.IsNop()) {
    return {};
  }
  int64_t cycles = 0;
  for (int64_t repeats = work.repeats;; repeats = CeilDiv(2 * repeats, work.lanes)) {
    cycles += std::max(core.soc().vector_startup_cycles, kReduceCycles * repeats);
    if (repeats == 1) {
      break;
    }
    cycles += core.soc().vector_latency_cycles;
  }
  const Extent read = ExtentOfRepeats(work, src);
  return VectorCost(core, cycles, {dst.begin, dst.begin + Unsigned(Bytes(*this, with_index ? 2 : 1))},
                    std::span<const Extent>(&read, 1));
}

}  // namespace tilesim::isa

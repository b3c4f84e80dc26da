#include "sim/isa/vector_reduce.h"

#include <cstring>

#include "formats/half.h"
#include "formats/units.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kCyclesPerRepeat = 7;  // measured: KPP 910B1, cmax of fp16 and fp32 (timing 2.6)

int64_t Bytes(const VectorReduceMax& reduce, int64_t elements) {
  return elements * ElementBits(reduce.type) / 8;
}
int64_t ScratchElements(const VectorReduceMax& reduce) { return 2 * CeilDiv(reduce.count, reduce.lanes()); }

template <class T>
int64_t LargestOf(const std::byte* src, int64_t count) {
  const auto* const values = reinterpret_cast<const T*>(src);
  int64_t best = 0;
  float largest = values[0];
  for (int64_t i = 1; i < count && largest == largest; ++i) {
    const float value = values[i];
    if (value > largest || value != value) {
      largest = value;
      best = i;
    }
  }
  return best;
}

void RequireOperand(Core& core, const char* name, const Operand& operand) {
  RequireUb(core, name, {.at = operand});
}

}  // namespace

void VectorReduceMax::Check(Core& core) const {
  RequireType(core, type, {VectorType::kFp16, VectorType::kFp32});
  const int64_t most = type == VectorType::kFp16 && with_index ? 65536 : (int64_t{1} << 31) - 1;
  RequireRange(core, "count", count, 0, most, "its index would not fit into an element: reduce in parts");
  RequireOperand(core, "dst", dst);
  RequireOperand(core, "src", src);
  RequireOperand(core, "sharedTmpBuffer", scratch);
}

Operands VectorReduceMax::Footprint(Core& /*core*/) const {
  Operands operands;
  if (count > 0) {
    operands.Add(RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(Bytes(*this, with_index ? 2 : 1))}));
    operands.Add(RegionOf(src, Use::kRead, "src", {0, Unsigned(Bytes(*this, count))}));
    operands.Add(RegionOf(scratch, Use::kWrite, "sharedTmpBuffer",
                          {0, Unsigned(Bytes(*this, ScratchElements(*this)))}));
  }
  return operands;
}

void VectorReduceMax::Execute(Core& core) const {
  if (count == 0) {
    return;
  }
  std::byte* const ub = core.ub();
  const size_t size = Unsigned(Bytes(*this, 1));
  const int64_t best = type == VectorType::kFp16 ? LargestOf<Half>(ub + src.begin, count)
                                                 : LargestOf<float>(ub + src.begin, count);
  std::byte result[8];
  std::memcpy(result, ub + src.begin + Unsigned(Bytes(*this, best)), size);
  const auto index = static_cast<uint32_t>(best);
  std::memcpy(result + size, &index, size);  // little-endian: the low bytes
  std::memset(ub + scratch.begin, 0xFF, Unsigned(Bytes(*this, ScratchElements(*this))));
  std::memcpy(ub + dst.begin, result, with_index ? 2 * size : size);
}

// Repeats to a value and an index each, and those again, until one is left; each pass waits for the one
// before.
Cost VectorReduceMax::TimeOn(Core& core) const {
  if (count == 0) {
    return {};
  }
  int64_t cycles = 0;
  for (int64_t left = count;;) {
    const int64_t repeats = CeilDiv(left, lanes());
    cycles += std::max(core.soc().vector_startup_cycles, kCyclesPerRepeat * repeats);
    if (repeats == 1) {
      break;
    }
    cycles += core.soc().vector_latency_cycles;
    left = 2 * repeats;
  }
  const Extent read{src.begin, src.begin + Unsigned(Bytes(*this, count))};
  return VectorCost(core, cycles, {dst.begin, dst.begin + Unsigned(Bytes(*this, with_index ? 2 : 1))},
                    std::span<const Extent>(&read, 1));
}

}  // namespace tilesim::isa

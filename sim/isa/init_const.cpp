#include <algorithm>
#include <cstring>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/data_move.h"
#include "sim/isa/l0_values.h"

namespace tilesim::isa {

void InitConst::Check(Core& core) const {
  core.Require(dst.memory == Memory::kL1 || dst.memory == Memory::kL0A || dst.memory == Memory::kL0B,
               FaultKind::kMisuse, "dst", "is in ", tilesim::Name(dst.memory), ", must be in L1, L0A or L0B");
  core.Require(SizeOf(dtype) == 2 || SizeOf(dtype) == 4, FaultKind::kMisuse, "dst", "has elements of ",
               SizeOf(dtype), " bytes, must be of 2 or 4");
  RequireRange(core, "repeatTimes", repeat_times, 0, 32767, "fill in parts");
  RequireRange(core, "blockNum", num_blocks, 0, 32767, "fill in parts");
  RequireRange(core, "dstGap", gap_blocks, 0, 32767, "fill in parts");
}

Operands InitConst::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst",
                        {0, Unsigned(num_blocks * block_bytes()),
                         Times(repeat_times, (num_blocks + gap_blocks) * block_bytes())}));
  return operands;
}

void InitConst::Execute(Core& core) const {
  std::byte block[kFractalBytes];
  for (size_t at = 0; at < sizeof(block); at += SizeOf(dtype)) {
    std::memcpy(block + at, &value_bits, SizeOf(dtype));
  }
  if (dst.memory == Memory::kL1) {
    for (int64_t r = 0; r < repeat_times; ++r) {
      std::byte* const to = core.l1() + dst.begin + r * (num_blocks + gap_blocks) * kDataBlockBytes;
      const int64_t size = num_blocks * kDataBlockBytes;
      for (int64_t at = 0; at < size; at += kFractalBytes) {
        std::memcpy(to + at, block, Unsigned(std::min(kFractalBytes, size - at)));
      }
    }
    return;
  }
  L0Memory& l0 = dst.memory == Memory::kL0A ? core.l0a() : core.l0b();
  // integers have no fractals of their own: their bytes are kept as those of a floating type of their width
  const DType as = SizeOf(dtype) == 4 ? DType::kFp32 : dtype == DType::kBf16 ? DType::kBf16 : DType::kFp16;
  float values[L0Memory::kFloats];
  WidenFractal(as, block, values);
  const size_t kept = sizeof(float) * Unsigned(as == DType::kFp32 ? 128 : 256);
  for (int64_t r = 0; r < repeat_times; ++r) {
    const int64_t first = static_cast<int64_t>(dst.begin) / kFractalBytes + r * (num_blocks + gap_blocks);
    for (int64_t i = first; i < first + num_blocks; ++i) {
      std::memcpy(l0.Fractal(i), values, kept);
      l0.type(i) = FractalTypeOf(as);
    }
  }
}

Cost InitConst::TimeOn(Core& core) const {
  return IsNop() ? Cost{} : FillCost(core.soc(), dst.memory, repeat_times * num_blocks * block_bytes());
}

}  // namespace tilesim::isa

#include <algorithm>
#include <cstring>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "sim/isa/data_move.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/l0_values.h"

namespace tilesim::isa {

void InitConst::Check(Core& core) const {
  core.Require(dst.memory == Memory::kL1 || dst.memory == Memory::kL0A || dst.memory == Memory::kL0B,
               FaultKind::kMisuse, "dst", "is in ", tilesim::Name(dst.memory), ", must be in L1, L0A or L0B");
  core.Require(dtype.bits() == 16 || dtype.bits() == 32, FaultKind::kMisuse, "dst", "has elements of ",
               dtype.bits() / 8, " bytes, must be of 2 or 4");
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
  const size_t size = Unsigned(dtype.bits() / 8);
  for (size_t at = 0; at < sizeof(block); at += size) {
    std::memcpy(block + at, &value_bits, size);
  }
  if (dst.memory == Memory::kL1) {
    for (int64_t r = 0; r < repeat_times; ++r) {
      std::byte* const to = core.l1() + dst.begin + r * (num_blocks + gap_blocks) * kDataBlockBytes;
      const int64_t filled = num_blocks * kDataBlockBytes;
      for (int64_t at = 0; at < filled; at += kFractalBytes) {
        std::memcpy(to + at, block, Unsigned(std::min(kFractalBytes, filled - at)));
      }
    }
    return;
  }
  L0Memory& l0 = dst.memory == Memory::kL0A ? core.l0a() : core.l0b();
  const FractalType as = FractalTypeOf(dtype);
  const int64_t from = static_cast<int64_t>(dst.begin) / kFractalBytes;
  if (IsNop()) {
    return;
  }
  LandFractal(l0, from, dtype, block, false);
  const size_t kept =
      sizeof(float) * Unsigned(as == FractalType::kFp16 || as == FractalType::kBf16 ? 256 : 128);
  for (int64_t r = 0; r < repeat_times; ++r) {
    const int64_t first = from + r * (num_blocks + gap_blocks);
    for (int64_t i = r == 0 ? first + 1 : first; i < first + num_blocks; ++i) {
      std::memcpy(l0.Fractal(i), l0.Fractal(from), kept);
      l0.type(i) = as;
    }
  }
}

Cost InitConst::TimeOn(Core& core) const {
  return IsNop() ? Cost{} : FillCost(core.soc(), dst.memory, repeat_times * num_blocks * block_bytes());
}

void AddInitConstRows(InstructionRows& rows, const SocConfig& soc) {
  rows.push_back(
      {"cube", Say(InitConst::kName, " / Fill"), "MTE1, to L1 MTE2", "of 16 and 32 bits",
       "blocks and gaps; L0A, L0B, L1",
       CostOfParameters(soc,
                        Say(soc.load_issue_cycles, " + bytes / ", soc.l0a_bytes_per_cycle, ", to L0B ",
                            soc.l0b_bytes_per_cycle, ", to L1 ", soc.l1_fill_bytes_per_cycle),
                        {"mte1.load_issue_cycles", "mte1.l0a_bytes_per_cycle", "mte1.l0b_bytes_per_cycle",
                         "mte1.l1_fill_bytes_per_cycle"})});
}

}  // namespace tilesim::isa

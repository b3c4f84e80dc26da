#include "sim/isa/long_repeats.h"

#include "formats/units.h"

namespace tilesim::isa {

Extent LongRepeats::ExtentOf(const VectorOperand& operand) const {
  if (IsNop()) {
    return {};
  }
  return {operand.at.begin,
          operand.at.begin + Unsigned((repeats - 1) * operand.RepeatBytes() + operand.EndOfLanes(elements))};
}

void LongRepeats::AddTo(Operands& operands, const VectorOperand& operand, Use use, const char* name) const {
  const int64_t bytes = elements * operand.element_bits / 8;
  const int64_t whole = bytes / kDataBlockBytes;
  const auto add = [&](int64_t at, int64_t block_bytes, int64_t blocks) {
    Region region =
        RegionOf(operand.at, use, name,
                 {Unsigned(at), Unsigned(block_bytes), Times(blocks, operand.block_stride * kDataBlockBytes),
                  Times(repeats, operand.RepeatBytes())});
    operands.Add(region);
  };
  if (whole > 0) {
    add(0, kDataBlockBytes, whole);
  }
  if (bytes % kDataBlockBytes > 0) {
    add(whole * operand.block_stride * kDataBlockBytes, bytes % kDataBlockBytes, 1);
  }
}

}  // namespace tilesim::isa

#include "sim/isa/vector_dequant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kSetListBytes = kDequantSets * 8;
constexpr int64_t kHalfBytes = 16;
constexpr int64_t kBlockLanes = 16;

// Measured: KPP 910B1, VCONVDEQ_INT16_INT8 and VCONVVDEQ_INT16_INT8; uint8 the same (derived).
constexpr int64_t kCyclesOfOne = 1;
constexpr int64_t kCyclesOfList = 7;

struct Dequant {
  double scale;
  double offset;
  bool has_sign;
};
Dequant DequantOf(uint64_t word) {
  constexpr uint32_t kScaleBits = 0xffff'e000;  // sign, exponent, 10 of the mantissa
  return {.scale = std::bit_cast<float>(static_cast<uint32_t>(word) & kScaleBits),
          .offset = static_cast<double>(static_cast<int64_t>(word << 18) >> 55),
          .has_sign = (word >> 46 & 1) != 0};
}

std::byte Dequantized(int16_t value, const Dequant& by) {
  const double least = by.has_sign ? -128 : 0;
  const double most = by.has_sign ? 127 : 255;
  const double whole = std::nearbyint(value * by.scale + by.offset);
  return static_cast<std::byte>(static_cast<int32_t>(whole != whole ? 0 : std::clamp(whole, least, most)) &
                                0xff);
}

uint64_t LanesOfBlock(const LaneMask& mask, int64_t block) {
  return mask.words[static_cast<size_t>(block / 4)] >> (block % 4 * kBlockLanes) & 0xffff;
}

// What repeats [first, first + repeats) write: of each data block as many bytes of either half. As lanes of
// 16 bits where blocks are whole; else as lanes of bytes, of 4 blocks at a time.
void AddHalves(Operands& operands, const VectorOperand& dst, const VectorWork& work, const LaneMask& mask,
               int64_t first, int64_t repeats) {
  VectorOperand at = dst;
  at.at.begin += Unsigned(first * dst.RepeatBytes());
  LaneMask bytes[2] = {};
  bool whole = true;
  for (int64_t block = 0; block < work.lanes / kBlockLanes; ++block) {
    const uint64_t lanes = LanesOfBlock(mask, block);
    bytes[block / 4].words[static_cast<size_t>(block % 4 / 2)] |= (lanes | lanes << kHalfBytes)
                                                                  << (block % 2 * kDataBlockBytes);
    whole = whole && (lanes == 0 || lanes == 0xffff);
  }
  if (whole) {
    return AddLanes(operands, WorkOfMask(mask, work.lanes, repeats), at, Use::kWrite, "dst");
  }
  at.element_bits = 8;
  for (const LaneMask& four_blocks : bytes) {
    AddLanes(operands, WorkOfMask(four_blocks, work.lanes, repeats), at, Use::kWrite, "dst");
    at.at.begin += Unsigned(4 * dst.block_stride * kDataBlockBytes);
  }
}

}  // namespace

void VectorDequant::Check(Core& core) const {
  const VectorRegisters& registers = core.registers().vector;
  if (by_list) {
    core.Require(
        registers.dequant_list_set, FaultKind::kMisuse, "vdeq",
        "isVecDeq = true takes 16 sets of parameters from UB; call SetDeqScale(vdeq, VdeqInfo) first");
  } else {
    core.Require(registers.dequant_one_set, FaultKind::kMisuse, "scale",
                 "isVecDeq = false takes one set of parameters for all; call SetDeqScale(scale, offset, "
                 "signMode) first");
    core.Require(DequantOf(registers.dequant_one).has_sign == has_sign, FaultKind::kMisuse, "signMode",
                 "signMode = ", !has_sign, " was set, dst has ", has_sign ? "int8" : "uint8",
                 "; int8 needs true, uint8 false");
  }
  RequireOneSource(core, work, dst, src);
}

Operands VectorDequant::Footprint(Core& core) const {
  Operands operands;
  if (work.IsNop()) {
    return operands;
  }
  const bool same = work.mask == work.last_mask;
  AddHalves(operands, dst, work, work.mask, 0, same ? work.repeats : work.repeats - 1);
  AddHalves(operands, dst, work, work.last_mask, work.repeats - 1, same ? 0 : 1);
  AddLanes(operands, work, src, Use::kRead, "src");
  if (by_list) {
    AddBytes(operands, {.memory = Memory::kUb, .begin = core.registers().vector.dequant_list}, kSetListBytes,
             Use::kRead, "vdeq");
  }
  return operands;
}

void VectorDequant::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  const VectorRegisters& registers = core.registers().vector;
  std::array<Dequant, kDequantSets> sets;
  for (size_t i = 0; i < sets.size(); ++i) {
    uint64_t word = registers.dequant_one;
    if (by_list && !work.IsNop()) {
      std::memcpy(&word, ub + registers.dequant_list + i * sizeof(word), sizeof(word));
    }
    sets[i] = DequantOf(word);
  }
  for (int64_t r = 0; r < work.repeats; ++r) {
    const LaneMask& mask = work.MaskOf(r);
    std::array<std::byte, 128> results{};  // read in whole before any is written
    for (int64_t lane = 0; lane < work.lanes; ++lane) {
      if (!mask.Has(lane)) {
        continue;
      }
      int16_t value;
      std::memcpy(&value, ub + src.at.begin + Unsigned(r * src.RepeatBytes() + src.LaneBytes(lane)),
                  sizeof(value));
      const Dequant& by = sets[static_cast<size_t>(lane % kBlockLanes)];
      core.Require(by.has_sign == has_sign, FaultKind::kMisuse, "vdeqSignMode", "vdeqSignMode[",
                   lane % kBlockLanes, "] = ", by.has_sign, ", dst has ", has_sign ? "int8" : "uint8",
                   "; int8 needs true, uint8 false");
      results[static_cast<size_t>(lane)] = Dequantized(value, by);
    }
    for (int64_t lane = 0; lane < work.lanes; ++lane) {
      if (mask.Has(lane)) {
        std::byte* const block =
            ub + dst.at.begin +
            Unsigned(r * dst.RepeatBytes() + dst.LaneBytes(lane / kBlockLanes * kBlockLanes));
        block[lane % kBlockLanes + (upper_half ? kHalfBytes : 0)] = results[static_cast<size_t>(lane)];
        block[lane % kBlockLanes + (upper_half ? 0 : kHalfBytes)] = std::byte{0};
      }
    }
  }
}

Cost VectorDequant::TimeOn(Core& core) const {
  return VectorCost(core, work, by_list ? kCyclesOfList : kCyclesOfOne, dst, src);
}

void AddDequantRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  FamilyRows(rows, "conversion")
      .AddMeasured(Say(VectorDequant::kName, " / CastDeq"), "int16 to int8, uint8", kLaneForms,
                   Say(kCyclesOfOne, " a repeat with one scale, ", kCyclesOfList, " with a list"),
                   "VCONVDEQ, VCONVVDEQ; uint8 derived");
}

}  // namespace tilesim::isa

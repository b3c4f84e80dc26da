#include "sim/isa/vector_cast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "formats/units.h"
#include "sim/isa/cast_values.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_values.h"

namespace tilesim::isa {

template Half CastElement<Half>(float, const CastRule&);
template int32_t CastElement<int32_t>(float, const CastRule&);
namespace {

constexpr TypeSet kFloorTypes = {VectorType::kFp16, VectorType::kFp32};
constexpr int64_t kCastCycles = 1;  // measured: KPP 910B1, all casts

constexpr uint32_t Modes(std::initializer_list<Round> rounds) {
  uint32_t bits = 0;
  for (const Round round : rounds) {
    bits |= 1U << static_cast<uint32_t>(round);
  }
  return bits;
}
constexpr uint32_t kNone = Modes({Round::kNone});
constexpr uint32_t kOdd = Modes({Round::kOdd});
constexpr uint32_t kFive = Modes({Round::kRint, Round::kFloor, Round::kCeil, Round::kRound, Round::kTrunc});

template <class From, class To, class F>
void ForRepeats(const std::byte* src, std::byte* dst, const VectorRun& run, const F& f) {
  for (int64_t r = 0; r < run.repeats; ++r) {
    f(reinterpret_cast<const From*>(src + r * run.step_bytes[1]),
      reinterpret_cast<To*>(dst + r * run.step_bytes[0]));
  }
}

// A repeat's elements are read before any is written: dst may lie over src.
template <class From, class To>
void Each(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule) {
  constexpr auto kLanes = static_cast<int64_t>(kRepeatBytes / std::max(sizeof(From), sizeof(To)));
  ForRepeats<From, To>(src, dst, run, [&](const From* from, To* to) {
    for (int64_t at = 0; at < run.count; at += kLanes) {
      const int64_t here = std::min(kLanes, run.count - at);
      From read[kLanes];
      std::copy_n(from + at, here, read);
      for (int64_t i = 0; i < here; ++i) {
        to[at + i] = CastElement<To>(read[i], rule);
      }
    }
  });
}

// To nearest even in bulk; other modes element by element.
template <class From, class To, VectorType kFrom, VectorType kTo>
void Bulk(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule) {
  if (rule.round == Round::kRint || rule.round == Round::kNone) {
    BulkCastFor(kFrom, kTo, rule.saturate)(src, dst, run);
  } else {
    Each<From, To>(src, dst, run, rule);
  }
}

void RoundRun(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule) {
  RoundCastFor(rule.round, false)(src, dst, run);
}
void FloorHalves(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule) {
  const BulkCast widen = BulkCastFor(VectorType::kFp16, VectorType::kFp32, false);
  const BulkCast floor = RoundCastFor(Round::kFloor, false);
  const BulkCast narrow = BulkCastFor(VectorType::kFp32, VectorType::kFp16, rule.saturate);
  ForRepeats<Half, Half>(src, dst, run, [&](const Half* from, Half* to) {
    constexpr int64_t kLanes = kRepeatBytes / sizeof(Half);
    for (int64_t at = 0; at < run.count; at += kLanes) {
      const VectorRun here{.count = std::min(kLanes, run.count - at)};
      std::byte floats[kLanes * sizeof(float)];
      widen(reinterpret_cast<const std::byte*>(from + at), floats, here);
      floor(floats, floats, here);
      narrow(floats, reinterpret_cast<std::byte*>(to + at), here);
    }
  });
}
void FloatToWhole(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule) {
  if (rule.wrap) {
    return Each<float, int32_t>(src, dst, run, rule);
  }
  RoundCastFor(rule.round, true)(src, dst, run);
}

int32_t Int4At(const std::byte* src, int64_t index) {
  const auto byte = static_cast<uint32_t>(src[index / 2]);
  const auto nibble = static_cast<int32_t>(byte >> (index % 2 * 4) & 15U);
  return nibble >= 8 ? nibble - 16 : nibble;
}
void Int4ToHalf(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& /*rule*/) {
  ForRepeats<std::byte, Half>(src, dst, run, [&](const std::byte* from, Half* to) {
    for (int64_t at = 0; at < run.count; at += 128) {  // a repeat, read before it is written
      const int64_t here = std::min<int64_t>(128, run.count - at);
      std::byte read[64];
      std::copy_n(from + at / 2, CeilDiv(here, 2), read);
      for (int64_t i = 0; i < here; ++i) {
        to[at + i] = Half(Int4At(read, i));
      }
    }
  });
}
void PutInt4(std::byte* dst, int64_t index, double whole, bool wrap) {
  const int32_t value =
      wrap ? LowBits<int32_t>(whole) : std::clamp<int32_t>(Saturated<int32_t>(whole), -8, 7);
  const auto nibble = static_cast<uint32_t>(value) & 15U;
  const auto shift = static_cast<uint32_t>(index % 2 * 4);
  const uint32_t other = static_cast<uint32_t>(dst[index / 2]) & (15U << (4 - shift));
  dst[index / 2] = static_cast<std::byte>(other | nibble << shift);
}
void HalfToInt4(const std::byte* src, std::byte* dst, const VectorRun& run, const CastRule& rule) {
  ForRepeats<Half, std::byte>(src, dst, run, [&](const Half* from, std::byte* to) {
    for (int64_t i = 0; i < run.count; ++i) {
      PutInt4(to, i, RoundToWhole(float(from[i]), rule.round), rule.wrap);
    }
  });
}

using enum VectorType;
constexpr CastRow kRows[] = {
    {kInt4, kFp16, kNone, Int4ToHalf},
    {kInt8, kFp16, kNone, Each<int8_t, Half>},
    {kUint8, kFp16, kNone, Each<uint8_t, Half>},
    {kInt16, kFp16, kFive | kNone, Each<int16_t, Half>},
    {kInt16, kFp32, kNone, Each<int16_t, float>},
    {kFp16, kInt4, kFive | kNone, HalfToInt4},
    {kFp16, kInt8, kFive | kNone, Each<Half, int8_t>},
    {kFp16, kUint8, kFive | kNone, Each<Half, uint8_t>},
    {kFp16, kInt16, kFive, Each<Half, int16_t>},
    {kFp16, kInt32, kFive, Each<Half, int32_t>},
    {kFp16, kFp32, kNone, Bulk<Half, float, kFp16, kFp32>},
    {kBf16, kInt32, kFive, Each<BFloat16, int32_t>},
    {kBf16, kFp32, kNone, Bulk<BFloat16, float, kBf16, kFp32>},
    {kInt32, kInt16, kNone, Each<int32_t, int16_t>},
    {kInt32, kFp16, kNone, Each<int32_t, Half>},
    {kInt32, kFp32, kFive | kNone, Bulk<int32_t, float, kInt32, kFp32>},
    {kInt32, kInt64, kNone, Each<int32_t, int64_t>},
    {kFp32, kInt16, kFive, Each<float, int16_t>},
    {kFp32, kInt32, kFive, FloatToWhole},
    {kFp32, kInt64, kFive, Each<float, int64_t>},
    {kFp32, kFp32, kFive, RoundRun},
    {kFp32, kBf16, kFive, Bulk<float, BFloat16, kFp32, kBf16>},
    {kFp32, kFp16, kFive | kOdd | kNone, Bulk<float, Half, kFp32, kFp16>},
    {kInt64, kInt32, kNone, Each<int64_t, int32_t>},
    {kInt64, kFp32, kFive, Each<int64_t, float>},
};

// The place of a pair of types in kRows, one more than it; 0: there is no such row.
constexpr auto kRowNumbers = [] {
  std::array<std::array<uint8_t, kNumVectorTypes>, kNumVectorTypes> numbers{};
  uint8_t number = 0;
  for (const CastRow& row : kRows) {
    numbers[static_cast<size_t>(row.from)][static_cast<size_t>(row.to)] = ++number;
  }
  return numbers;
}();

const CastRow* RowOf(VectorType from, VectorType to) {
  const uint8_t number = kRowNumbers[static_cast<size_t>(from)][static_cast<size_t>(to)];
  return number == 0 ? nullptr : &kRows[number - 1];
}

std::string TargetsOf(VectorType from) {
  std::string names;
  for (const CastRow& row : kRows) {
    if (row.from == from) {
      names += Say(names.empty() ? "" : ", ", Name(row.to));
    }
  }
  return names.empty() ? "nothing" : names;
}

// The casts that do the same in two or three steps; nothing where there are none.
std::string DetourOf(VectorType from, VectorType to) {
  constexpr VectorType kBetween[] = {kFp32, kFp16, kInt32};
  for (const VectorType one : kBetween) {
    if (RowOf(from, one) != nullptr && RowOf(one, to) != nullptr) {
      return Say("; go through ", Name(one));
    }
  }
  for (const VectorType one : kBetween) {
    for (const VectorType other : kBetween) {
      if (RowOf(from, one) != nullptr && RowOf(one, other) != nullptr && RowOf(other, to) != nullptr) {
        return Say("; go through ", Name(one), ", then ", Name(other));
      }
    }
  }
  return "";
}

std::string ModesOf(const CastRow& row) {
  std::string names;
  for (int r = 0; r <= static_cast<int>(Round::kOdd); ++r) {
    if (row.Allows(static_cast<Round>(r))) {
      names += Say(names.empty() ? "" : ", ", NameOf(static_cast<Round>(r)));
    }
  }
  return names;
}

// Are both lanes of each byte of int4 on, or off?
bool InPairs(const LaneMask& mask) {
  const auto in_pairs = [](uint64_t word) { return ((word >> 1 ^ word) & 0x5555'5555'5555'5555U) == 0; };
  return in_pairs(mask.words[0]) && in_pairs(mask.words[1]);
}

// Another width in place, of elements and repeats that lie one behind the other: narrowing from where src
// begins on, or widening from the upper part of dst's memory, at or beyond the end of what is written. A
// repeat is read before it is written, and reads nothing that those before it have written.
bool IsInPlace(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src) {
  const auto is_in_a_row = [&](const VectorOperand& one) {
    return one.block_stride == 1 && (work.repeats == 1 || one.RepeatBytes() == one.LaneBytes(work.lanes));
  };
  return dst.element_bits != src.element_bits && is_in_a_row(dst) && is_in_a_row(src) &&
         (dst.element_bits < src.element_bits ? dst.at.begin == src.at.begin
                                              : ExtentOf(work, src).end >= ExtentOf(work, dst).end);
}

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

const char* MendOfSign(bool has_sign) {
  return has_sign ? ", dst has int8; int8 needs true, uint8 false"
                  : ", dst has uint8; int8 needs true, uint8 false";
}

std::byte Dequantized(int16_t value, const Dequant& by) {
  const double least = by.has_sign ? -128 : 0;
  const double most = by.has_sign ? 127 : 255;
  const double whole = std::nearbyint(value * by.scale + by.offset);
  return static_cast<std::byte>(static_cast<int32_t>(whole != whole ? 0 : std::clamp(whole, least, most)) &
                                0xff);
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
    const uint64_t lanes = mask.From(block * kBlockLanes) & 0xffff;
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

std::span<const CastRow> CastTable() { return kRows; }

void VectorCast::Check(Core& core) const {
  const CastRow* row = RowOf(from, to);
  if (row == nullptr) [[unlikely]] {
    core.Fail(FaultKind::kMisuse, "dst",
              Say("there is no cast from ", Name(from), " to ", Name(to), " on this part; from ", Name(from),
                  " there is one to: ", TargetsOf(from), DetourOf(from, to)));
  }
  if (round > Round::kOdd || !row->Allows(round)) [[unlikely]] {
    core.Fail(FaultKind::kMisuse, "roundMode",
              Say(round <= Round::kOdd ? NameOf(round) : "the mode given", " does not exist for ", Name(from),
                  " to ", Name(to), "; allowed: ", ModesOf(*row)));
  }
  core.Require(from != kInt32 || to != kFp16 || core.registers().vector.deq_scale_set, FaultKind::kMisuse,
               "dst", "int32 to fp16 needs a scale; call SetDeqScale first");
  const bool halves_of_bytes = from == kInt4 || to == kInt4;
  core.Require(!halves_of_bytes || (InPairs(work.last_mask) && (work.repeats == 1 || InPairs(work.mask))),
               FaultKind::kLimit, "mask",
               "selects half a byte of int4; select elements in pairs from the first");
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  if (!IsInPlace(work, dst, src)) {
    RequireNoOverlap(core, work, dst, src, "src");
  }
}

Operands VectorCast::Footprint(Core& /*core*/) const { return OneSource(work, dst, src); }

void VectorCast::Execute(Core& core) const {
  const CastRow& row = *RowOf(from, to);
  const CastRule rule{.round = round,
                      .saturate = !core.registers().ieee,
                      .deq_scale = core.registers().vector.deq_scale,
                      .wrap = core.registers().vector.wrap_casts};
  std::byte* const ub = core.ub();
  ForRuns<2>(work, {&dst, &src}, [&](const std::array<uint64_t, 2>& at, int64_t, const VectorRun& run) {
    row.run(ub + at[1], ub + at[0], run, rule);
  });
}

Cost VectorCast::TimeOn(Core& core) const { return VectorCost(core, work, kCastCycles, dst, src); }

void VectorFloor::Check(Core& core) const {
  RequireType(core, type, kFloorTypes);
  RequireOneSource(core, work, dst, src);
}

Operands VectorFloor::Footprint(Core& /*core*/) const { return OneSource(work, dst, src); }

void VectorFloor::Execute(Core& core) const {
  const auto floor = type == kFp32 ? RoundRun : FloorHalves;
  const CastRule rule{.round = Round::kFloor, .saturate = !core.registers().ieee};
  std::byte* const ub = core.ub();
  ForRuns<2>(work, {&dst, &src}, [&](const std::array<uint64_t, 2>& at, int64_t, const VectorRun& run) {
    floor(ub + at[1], ub + at[0], run, rule);
  });
}

// fp16: to fp32, floor, and back; each waits for the one before, and half as many elements are in a repeat.
Cost VectorFloor::TimeOn(Core& core) const {
  const int64_t cycles = type == kFp32 || work.IsNop()
                             ? kCastCycles * work.repeats
                             : 3 * (2 * kCastCycles * work.repeats) + 2 * core.soc().vector_latency_cycles;
  return VectorCost(core, cycles, ExtentOfRepeats(work, dst), ExtentOfRepeats(work, src));
}

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
                 "signMode = ", !has_sign, " was set", MendOfSign(has_sign));
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
    std::array<int16_t, 128> values{};  // read in whole before anything is written
    CopyLanes(ub + src.at.begin + Unsigned(r * src.RepeatBytes()), src,
              LaneRuns(mask, work.lanes, src.ContiguousLanes(work.lanes)),
              reinterpret_cast<std::byte*>(values.data()));
    for (int64_t lane = 0; lane < work.lanes; ++lane) {
      if (!mask.Has(lane)) {
        continue;
      }
      const int64_t in_block = lane % kBlockLanes;
      const Dequant& by = sets[static_cast<size_t>(in_block)];
      core.Require(by.has_sign == has_sign, FaultKind::kMisuse, "vdeqSignMode", "vdeqSignMode[", in_block,
                   "] = ", by.has_sign, MendOfSign(has_sign));
      std::byte* const block =
          ub + dst.at.begin + Unsigned(r * dst.RepeatBytes() + dst.LaneBytes(lane - in_block));
      block[in_block + (upper_half ? kHalfBytes : 0)] = Dequantized(values[static_cast<size_t>(lane)], by);
      block[in_block + (upper_half ? 0 : kHalfBytes)] = std::byte{0};
    }
  }
}

Cost VectorDequant::TimeOn(Core& core) const {
  return VectorCost(core, work, by_list ? kCyclesOfList : kCyclesOfOne, dst, src);
}

void AddCastRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  std::string types;
  for (const CastRow& row : kRows) {
    const bool more = &row != kRows && (&row - 1)->from == row.from;
    types +=
        more ? Say(", ", Name(row.to)) : Say(types.empty() ? "" : "; ", Name(row.from), " to ", Name(row.to));
  }
  const FamilyRows family(rows, "conversion");
  family.AddMeasured(VectorCast::kName, types, kLaneForms, Say(kCastCycles, " a repeat"), "VCONV");
  family.Add(VectorFloor::kName, kFloorTypes.Names(), kLaneForms,
             {Say(kCastCycles, " a repeat; fp16: three casts, each after the other"), Provenance::kDerived,
              "KPP 910B1, VCONV"});
  family.AddMeasured(Say(VectorDequant::kName, " / CastDeq"), "int16 to int8, uint8", kLaneForms,
                     Say(kCyclesOfOne, " a repeat with one scale, ", kCyclesOfList, " with a list"),
                     "VCONVDEQ, VCONVVDEQ; uint8 derived");
}

}  // namespace tilesim::isa

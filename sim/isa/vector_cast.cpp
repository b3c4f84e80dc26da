#include "sim/isa/vector_cast.h"

#include <algorithm>
#include <cstring>

#include "formats/convert.h"
#include "sim/isa/round_values.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kCyclesPerRepeat = 1;  // timing 2.6: all casts
constexpr int64_t kChunk = 1024;         // elements converted at a time

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

template <class From, class To>
void Each(const std::byte* src, std::byte* dst, int64_t count, const CastRule& rule) {
  const auto* const from = reinterpret_cast<const From*>(src);
  auto* const to = reinterpret_cast<To*>(dst);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = CastElement<To>(from[i], rule);
  }
}

template <class From>
void Widen(const std::byte* src, std::byte* dst, int64_t count, const CastRule& /*rule*/) {
  const auto n = static_cast<size_t>(count);
  ConvertElements(std::span<const From>(reinterpret_cast<const From*>(src), n),
                  std::span<float>(reinterpret_cast<float*>(dst), n));
}

// To nearest even in bulk; other modes element by element. dst may be src.
template <class To>
void Narrow(const std::byte* src, std::byte* dst, int64_t count, const CastRule& rule) {
  if (rule.round != Round::kRint && rule.round != Round::kNone) {
    return Each<float, To>(src, dst, count, rule);
  }
  const auto most = float(std::is_same_v<To, Half> ? float(kHalfMax) : float(kBFloat16Max));
  const auto* const from = reinterpret_cast<const float*>(src);
  auto* const to = reinterpret_cast<To*>(dst);
  float values[kChunk];
  To narrow[kChunk];
  for (int64_t at = 0; at < count; at += kChunk) {
    const auto here = static_cast<size_t>(std::min(kChunk, count - at));
    if (rule.saturate) {
      ClampFloats(most, from + at, values, static_cast<int64_t>(here));
    } else {
      std::copy(from + at, from + at + here, values);
    }
    ConvertElements(std::span<const float>(values, here), std::span<To>(narrow, here));
    std::memcpy(to + at, narrow, here * sizeof(To));
  }
}

// Loops without branches, for the compiler to turn into vectors.
void WholeToFloat(const std::byte* src, std::byte* dst, int64_t count, const CastRule& rule) {
  if (rule.round != Round::kRint && rule.round != Round::kNone) {
    return Each<int32_t, float>(src, dst, count, rule);
  }
  const auto* const from = reinterpret_cast<const int32_t*>(src);
  auto* const to = reinterpret_cast<float*>(dst);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<float>(from[i]);
  }
}

void RoundRun(const std::byte* src, std::byte* dst, int64_t count, const CastRule& rule) {
  RoundFloats(rule.round, reinterpret_cast<const float*>(src), reinterpret_cast<float*>(dst), count);
}
void FloatToWhole(const std::byte* src, std::byte* dst, int64_t count, const CastRule& rule) {
  FloatsToInt32(rule.round, reinterpret_cast<const float*>(src), reinterpret_cast<int32_t*>(dst), count);
}

int32_t Int4At(const std::byte* src, int64_t index) {
  const auto byte = static_cast<uint32_t>(src[index / 2]);
  const auto nibble = static_cast<int32_t>(byte >> (index % 2 * 4) & 15U);
  return nibble >= 8 ? nibble - 16 : nibble;
}
void Int4ToHalf(const std::byte* src, std::byte* dst, int64_t count, const CastRule& /*rule*/) {
  for (int64_t i = 0; i < count; ++i) {
    reinterpret_cast<Half*>(dst)[i] = Half(Int4At(src, i));
  }
}
void HalfToInt4(const std::byte* src, std::byte* dst, int64_t count, const CastRule& rule) {
  for (int64_t i = 0; i < count; ++i) {
    const double whole = RoundToWhole(float(reinterpret_cast<const Half*>(src)[i]), rule.round);
    const auto nibble = static_cast<uint32_t>(std::clamp<int32_t>(Saturated<int32_t>(whole), -8, 7)) & 15U;
    const auto shift = static_cast<uint32_t>(i % 2 * 4);
    const uint32_t other = static_cast<uint32_t>(dst[i / 2]) & (15U << (4 - shift));
    dst[i / 2] = static_cast<std::byte>(other | nibble << shift);
  }
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
    {kFp16, kFp32, kNone, Widen<Half>},
    {kBf16, kInt32, kFive, Each<BFloat16, int32_t>},
    {kBf16, kFp32, kNone, Widen<BFloat16>},
    {kInt32, kInt16, kNone, Each<int32_t, int16_t>},
    {kInt32, kFp16, kNone, Each<int32_t, Half>},
    {kInt32, kFp32, kFive | kNone, WholeToFloat},
    {kInt32, kInt64, kNone, Each<int32_t, int64_t>},
    {kFp32, kInt16, kFive, Each<float, int16_t>},
    {kFp32, kInt32, kFive, FloatToWhole},
    {kFp32, kInt64, kFive, Each<float, int64_t>},
    {kFp32, kFp32, kFive, RoundRun},
    {kFp32, kBf16, kFive, Narrow<BFloat16>},
    {kFp32, kFp16, kFive | kOdd | kNone, Narrow<Half>},
    {kInt64, kInt32, kNone, Each<int64_t, int32_t>},
    {kInt64, kFp32, kFive, Each<int64_t, float>},
};

const CastRow* RowOf(VectorType from, VectorType to) {
  const auto* const row =
      std::ranges::find_if(kRows, [&](const CastRow& r) { return r.from == from && r.to == to; });
  return row == std::end(kRows) ? nullptr : row;
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

std::string ModesOf(const CastRow& row) {
  std::string names;
  for (int r = 0; r <= static_cast<int>(Round::kOdd); ++r) {
    if (row.Allows(static_cast<Round>(r))) {
      names += Say(names.empty() ? "" : ", ", NameOf(static_cast<Round>(r)));
    }
  }
  return names;
}

Operands OneSource(const VectorWork& work, const VectorOperand& dst, const VectorOperand& src) {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  AddLanes(operands, work, src, Use::kRead, "src");
  return operands;
}

void RunRow(Core& core, const CastRow& row, const CastRule& rule, const VectorCast& cast) {
  std::byte* const ub = core.ub();
  ForRuns<2>(cast.work, {cast.dst, cast.src}, [&](const std::array<uint64_t, 2>& at, int64_t, int64_t count) {
    row.run(ub + at[1], ub + at[0], count, rule);
  });
}

}  // namespace

std::span<const CastRow> CastTable() { return kRows; }

void VectorCast::Check(Core& core) const {
  const CastRow* row = RowOf(from, to);
  core.Require(row != nullptr, FaultKind::kMisuse, "dst", "there is no cast from ", Name(from), " to ",
               Name(to), " on this part; from ", Name(from), " there is one to: ", TargetsOf(from),
               "; go through fp32");
  core.Require(round <= Round::kOdd && row->Allows(round), FaultKind::kMisuse, "roundMode",
               round <= Round::kOdd ? NameOf(round) : "the mode given", " does not exist for ", Name(from),
               " to ", Name(to), "; allowed: ", ModesOf(*row));
  core.Require(from != kInt32 || to != kFp16 || core.registers().vector.deq_scale_set, FaultKind::kMisuse,
               "dst", "int32 to fp16 needs a scale; call SetDeqScale first");
  const bool halves_of_bytes = from == kInt4 || to == kInt4;
  core.Require(!halves_of_bytes ||
                   (work.mask.IsPrefix() && work.last_mask.IsPrefix() &&
                    (work.mask.Leading() % 2 == 0 || work.repeats == 1) && work.last_mask.Leading() % 2 == 0),
               FaultKind::kLimit, "mask",
               "selects half a byte of int4; select elements in pairs from the first");
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  RequireNoOverlap(core, work, dst, src, "src");
}

Operands VectorCast::Footprint(Core& /*core*/) const { return OneSource(work, dst, src); }

void VectorCast::Execute(Core& core) const {
  RunRow(core, *RowOf(from, to),
         {.round = round, .saturate = !core.registers().ieee, .deq_scale = core.registers().vector.deq_scale},
         *this);
}

Cost VectorCast::TimeOn(Core& core) const {
  return VectorCost(core, work, kCyclesPerRepeat, dst, std::span<const VectorOperand>(&src, 1));
}

void VectorFloor::Check(Core& core) const {
  RequireType(core, type, {kFp16, kFp32});
  RequireUb(core, "dst", dst);
  RequireUb(core, "src", src);
  RequireNoOverlap(core, work, dst, src, "src");
}

Operands VectorFloor::Footprint(Core& /*core*/) const { return OneSource(work, dst, src); }

void VectorFloor::Execute(Core& core) const {
  const bool saturate = !core.registers().ieee;
  std::byte* const ub = core.ub();
  ForRuns<2>(work, {dst, src}, [&](const std::array<uint64_t, 2>& at, int64_t, int64_t count) {
    if (type == kFp32) {
      RoundRun(ub + at[1], ub + at[0], count, {.round = Round::kFloor});
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      const float whole = std::floor(float(reinterpret_cast<const Half*>(ub + at[1])[i]));
      reinterpret_cast<Half*>(ub + at[0])[i] = RoundTo16Bits<Half>(whole, Round::kNone, saturate);
    }
  });
}

// fp16: to fp32, floor, and back; each waits for the one before, and half as many elements are in a repeat.
Cost VectorFloor::TimeOn(Core& core) const {
  const Extent read = ExtentOf(work, src);
  const int64_t cycles = type == kFp32 || work.IsNop() ? kCyclesPerRepeat * work.repeats
                                                       : 3 * (2 * kCyclesPerRepeat * work.repeats) +
                                                             2 * core.soc().vector_latency_cycles;
  return VectorCost(core, cycles, ExtentOf(work, dst), std::span<const Extent>(&read, 1));
}

}  // namespace tilesim::isa

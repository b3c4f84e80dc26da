// Compare and Select: masks of a bit an element, and choice by them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "sim/core/core.h"
#include "sim/isa/elementwise_values.h"
#include "sim/isa/vector_values.h"
#include "sim/isa/vector_work.h"
#include "sim/isa/whole_run.h"

namespace tilesim::isa {

inline constexpr TypeSet kFloating = {VectorType::kFp16, VectorType::kFp32};
inline constexpr TypeSet kEquatable = {VectorType::kFp16, VectorType::kInt32, VectorType::kFp32};
constexpr const TypeSet& TypesOf(CompareKind kind) {
  return kind == CompareKind::kEq ? kEquatable : kFloating;
}

// A bit an element, lowest bit first, whole repeats one behind the other: 8 bytes a repeat of 32-bit
// elements, 16 of 16-bit ones. Knows no mask: every lane of each repeat is compared. fp16, fp32; int32 only
// for equality.
struct VectorCompare {
  static constexpr const char* kName = "Compare";
  Operand dst;
  VectorOperand src0;
  VectorOperand src1;
  VectorType type = VectorType::kFp32;
  CompareKind kind = CompareKind::kEq;
  int64_t repeats = 0;

  [[nodiscard]] int64_t lanes() const { return LanesOfRepeat(type); }
  [[nodiscard]] VectorWork work() const { return WorkOfRepeats(lanes(), repeats); }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// At once (Core::at_once): false, with nothing computed, where it has to be issued.
template <VectorType kType>
[[gnu::always_inline]] inline bool CompareAtOnce(Core& core, CompareKind kind,
                                                 const WholeRun<ElementBits(kType) / 8, 2, false>& whole,
                                                 const WholeOperand& bits) {
  if constexpr (!kEquatable.Has(kType)) {
    return false;
  } else {
    static const std::array<CompareRun, kNumCompareKinds> kRuns = CompareRunsFor(kType);
    const uint64_t end = bits.begin + Unsigned(whole.run.count * whole.run.repeats / 8);
    if (!whole || kind > CompareKind::kNe || !TypesOf(kind).Has(kType) || bits.memory != Memory::kUb ||
        bits.begin % AlignBytes(Memory::kUb) != 0 || whole.Meets(bits.begin, end) ||
        !core.FitsUb(end, bits.limit, Use::kWrite)) {
      return false;
    }
    std::byte* const ub = core.ub();
    kRuns[static_cast<size_t>(kind)](ub + whole.at[0], ub + whole.at[1], ub + bits.begin, whole.run);
    return true;
  }
}

// Into the register CMPMASK, which holds one repeat: of several, which counter mode makes, the last one
// stays. Lanes that the mask leaves out become 0. fp16, fp32.
struct VectorCompareToRegister {
  static constexpr const char* kName = "Compare";
  VectorOperand src0;
  VectorOperand src1;
  VectorType type = VectorType::kFp32;
  CompareKind kind = CompareKind::kEq;
  VectorWork work;

  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

enum class SelectMode : uint8_t { kCompareMask, kTensorScalar, kTensorTensor };  // SELMODE, in its order

// dst = bit ? src0 : src1 (or the scalar). kCompareMask: the bits of one repeat, for every repeat; the
// others: bits one behind the other, and the last 8 KiB of UB are scratch. All leave the bits of a repeat in
// CMPMASK. fp16, fp32.
struct VectorSelect {
  static constexpr const char* kName = "Select";
  VectorOperand dst;
  Operand bits;
  VectorOperand src0;
  VectorOperand src1;  // not of kTensorScalar
  uint32_t scalar_bits = 0;
  VectorType type = VectorType::kFp32;
  SelectMode mode = SelectMode::kTensorTensor;
  VectorWork work;

  [[nodiscard]] bool scalar() const { return mode == SelectMode::kTensorScalar; }
  [[nodiscard]] int64_t BitBytes() const;
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

// The last bytes of UB, which Select by bits in UB uses (the vendor's TMP_UB_OFFSET).
inline constexpr int64_t kScratchBytes = 8 * 1024;
inline Operand ScratchOf(Core& core) {
  return {.memory = Memory::kUb,
          .begin = Unsigned(core.soc().ub_bytes > kScratchBytes ? core.soc().ub_bytes - kScratchBytes : 0),
          .limit = 0};
}
inline void OverwriteScratch(Core& core) {
  const uint64_t begin = ScratchOf(core).begin;
  if (!core.UbIsCleanFrom(begin)) {
    SetAllBits(core.ub() + begin, core.soc().ub_bytes - static_cast<int64_t>(begin));
  }
}
// The bits of the last repeat, `bytes` from `begin` of UB on, into CMPMASK.
inline void KeepLastBits(Core& core, uint64_t begin, int64_t bytes) {
  uint64_t* const kept = core.registers().vector.compare_mask.data();
  if (bytes == sizeof(*kept)) {  // most
    std::memcpy(kept, core.ub() + begin, sizeof(*kept));
  } else {
    std::memcpy(kept, core.ub() + begin, Unsigned(bytes));
  }
}

// At once, as above. dst and the sources, or the one beside a scalar, are `whole`, and each of several
// repeats has all its lanes: the bits of one begin where those of all lanes of the one before end.
template <int64_t kElementBytes, size_t kOperands>
[[gnu::always_inline]] inline bool SelectAtOnce(Core& core, VectorType type,
                                                const WholeRun<kElementBytes, kOperands>& whole,
                                                const WholeOperand& bits, uint32_t scalar_bits) {
  constexpr int64_t kLanes = kRepeatBytes / kElementBytes;
  const int64_t elements = whole.run.count * whole.run.repeats;
  const uint64_t end = bits.begin + Unsigned((elements + 7) / 8);
  const uint64_t scratch = ScratchOf(core).begin;
  if (!whole || !kFloating.Has(type) || bits.memory != Memory::kUb ||
      bits.begin % AlignBytes(Memory::kUb) != 0 || scratch == 0 || whole.Meets(scratch, ~uint64_t{0}) ||
      end > scratch || (bits.begin < whole.ends[0] && whole.at[0] < end) ||
      !core.FitsUb(end, bits.limit, Use::kRead)) {
    return false;
  }
  const int64_t before = (elements - 1) / kLanes * kLanes;  // the last repeat
  KeepLastBits(core, bits.begin + Unsigned(before / 8), (kLanes < elements + 7 ? kLanes : elements + 7) / 8);
  std::byte* const ub = core.ub();
  const ChoiceBits choice = {.bytes = ub + bits.begin, .first = 0, .step = kLanes};
  if constexpr (kOperands == 2) {
    static const SelectRun kRun = SelectScalarRunFor(kElementBytes);
    const ScalarBytes scalar(scalar_bits);
    kRun(choice, ub + whole.at[1], scalar.bytes, ub + whole.at[0], whole.run);
  } else {
    static const SelectRun kRun = SelectRunFor(kElementBytes);
    kRun(choice, ub + whole.at[1], ub + whole.at[2], ub + whole.at[0], whole.run);
  }
  OverwriteScratch(core);
  return true;
}

}  // namespace tilesim::isa

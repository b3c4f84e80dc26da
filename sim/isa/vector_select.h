// Compare and Select: masks of a bit an element, and choice by them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/elementwise_values.h"
#include "sim/isa/given.h"
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
// elements, 16 of 16-bit ones. Every comparison with a NaN is false, NE too. fp16, fp32; int32 only for
// equality, and not into the register. `to_register`: into CMPMASK, which holds one repeat; several, which
// counter mode makes, go there one after the other. Bits of lanes that the mask leaves out stay as they were.
struct VectorCompare {
  Operand dst;  // not of to_register
  VectorOperand src0;
  VectorOperand src1;
  bool scalar = false;       // one value for every src1[i]: Compares
  uint32_t scalar_bits = 0;  // in the type of the elements
  VectorType type = VectorType::kFp32;
  CompareKind kind = CompareKind::kEq;
  VectorWork work;  // of all lanes of its repeats; to_register: any
  bool to_register = false;

  [[nodiscard]] const char* name() const { return scalar ? "Compares" : "Compare"; }
  [[nodiscard]] int64_t BitBytes() const { return to_register ? 0 : work.repeats * work.lanes / 8; }
  [[nodiscard]] ComparedValue ComparedWith() const {
    return {.bits = scalar_bits, .bytes = scalar ? Unsigned(ElementBits(type) / 8) : 0};
  }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

struct ScalarLanes {
  ScalarLanes(int64_t element_bytes, uint32_t bits) {
    FillRun(element_bytes, bits, bytes, {.count = kRepeatBytes / element_bytes});
  }
  // A run of elements beside it: of one repeat, or of whole ones.
  [[nodiscard]] static VectorRun Beside(const VectorRun& run, int64_t lanes) {
    return run.repeats == 1 && run.count > lanes
               ? VectorRun{.count = lanes, .repeats = run.count / lanes, .step_bytes = {kRepeatBytes, 0, 0}}
               : VectorRun{
                     .count = run.count, .repeats = run.repeats, .step_bytes = {run.step_bytes[0], 0, 0}};
  }
  alignas(64) std::byte bytes[kRepeatBytes];
};

// At once (Core::at_once): false, with nothing computed, where it has to be issued. `whole`: of the sources.
template <VectorType kType, size_t kOperands>
[[gnu::always_inline]] inline bool CompareAtOnce(
    Core& core, CompareKind kind, const WholeRun<ElementBits(kType) / 8, kOperands, false>& whole,
    const WholeOperand& bits, uint32_t scalar_bits) {
  if constexpr (!kEquatable.Has(kType)) {
    return false;
  } else {
    static const CompareRuns& kRuns = CompareRunsFor(kType);
    const uint64_t end = bits.begin + Unsigned(whole.run.count * whole.run.repeats / 8);
    if (!whole || kind > CompareKind::kNe || !TypesOf(kind).Has(kType) || bits.memory != Memory::kUb ||
        bits.begin % AlignBytes(Memory::kUb) != 0 || whole.Meets(bits.begin, end) ||
        !core.FitsUb(end, bits.limit, Use::kWrite)) {
      return false;
    }
    std::byte* const ub = core.ub();
    const CompareRun run = kRuns[static_cast<size_t>(kind)];
    if constexpr (kOperands == 2) {
      run(ub + whole.at[0], ub + whole.at[1], ub + bits.begin, whole.run);
    } else {
      const ScalarLanes scalar(ElementBits(kType) / 8, scalar_bits);
      run(ub + whole.at[0], scalar.bytes, ub + bits.begin,
          ScalarLanes::Beside(whole.run, LanesOfRepeat(kType)));
    }
    return true;
  }
}

// SetCmpMask: 16 bytes of UB are read, and become CMPMASK. GetCmpMask: the other way.
struct CompareMaskMove {
  Given<Use> use;  // kRead or kWrite of UB
  Operand at;

  [[nodiscard]] const char* name() const { return use == Use::kRead ? "SetCmpMask" : "GetCmpMask"; }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};

enum class SelectMode : uint8_t { kCompareMask, kTensorScalar, kTensorTensor };  // SELMODE, in its order

// dst = bit ? src0 : src1 (or the scalar). kCompareMask: the bits of one repeat, for every repeat; the
// others: bits one behind the other, and the last 8 KiB of UB are scratch. CMPMASK is left with what the
// instruction takes from it: the bits of a repeat; copies of the scalar; copies of the bits' address in UB
// (32 bits). `from_register`: it has this already, and there is no scratch. fp16, fp32.
struct VectorSelect {
  static constexpr const char* kName = "Select";
  VectorOperand dst;
  Operand bits;  // not of kCompareMask from the register
  VectorOperand src0;
  VectorOperand src1;  // not of kTensorScalar
  uint32_t scalar_bits = 0;
  VectorType type = VectorType::kFp32;
  SelectMode mode = SelectMode::kTensorTensor;
  bool from_register = false;
  VectorWork work;

  [[nodiscard]] bool scalar() const { return mode == SelectMode::kTensorScalar; }
  [[nodiscard]] bool ReadsBits() const { return mode != SelectMode::kCompareMask || !from_register; }
  [[nodiscard]] bool HasScratch() const { return mode != SelectMode::kCompareMask && !from_register; }
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
// Copies of an element of `element_bytes`, or of an address, into CMPMASK.
inline void KeepCopies(Core& core, uint32_t bits, int64_t element_bytes) {
  const uint64_t word = element_bytes == 2 ? (bits & 0xFFFFU) * uint64_t{0x0001'0001'0001'0001}
                                           : bits * uint64_t{0x0000'0001'0000'0001};
  core.registers().vector.compare_mask = {word, word};
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
  std::byte* const ub = core.ub();
  const ChoiceBits choice = {.bytes = ub + bits.begin, .first = 0, .step = kLanes};
  if constexpr (kOperands == 2) {
    static const SelectRun kRun = SelectRunFor(kElementBytes, true);
    const ScalarBytes scalar(scalar_bits);
    kRun(choice, ub + whole.at[1], scalar.bytes, ub + whole.at[0], whole.run);
    KeepCopies(core, scalar_bits, kElementBytes);
  } else {
    static const SelectRun kRun = SelectRunFor(kElementBytes, false);
    kRun(choice, ub + whole.at[1], ub + whole.at[2], ub + whole.at[0], whole.run);
    KeepCopies(core, static_cast<uint32_t>(bits.begin), sizeof(uint32_t));
  }
  OverwriteScratch(core);
  return true;
}

}  // namespace tilesim::isa

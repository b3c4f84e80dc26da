#include "sim/isa/vector_select.h"

#include <cstring>

#include "formats/units.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr TypeSet kFloating = {VectorType::kFp16, VectorType::kFp32};
constexpr int64_t kCyclesPerRepeat = 1;      // timing 2.6: 128 elements of 16 bits, 64 of 32 a cycle
constexpr int64_t kScratchBytes = 8 * 1024;  // ascendc 2.0: the end of UB, TMP_UB_OFFSET

Operand ScratchOf(Core& core) {
  return {.memory = Memory::kUb,
          .begin = Unsigned(std::max<int64_t>(0, core.soc().ub_bytes - kScratchBytes)),
          .limit = 0};
}

void RequireBits(Core& core, const char* name, const Operand& bits) {
  RequireUb(core, name, {.at = bits, .element_bits = 8});
}

}  // namespace

void VectorCompare::Check(Core& core) const {
  if (kind == CompareKind::kEq) {
    RequireType(core, type, {VectorType::kFp16, VectorType::kInt32, VectorType::kFp32});
  } else {
    RequireType(core, type, kFloating);
  }
  RequireBits(core, "dst", dst);
  RequireUb(core, "src0", src0);
  RequireUb(core, "src1", src1);
  const VectorOperand to{.at = dst, .element_bits = 1, .block_stride = 1, .repeat_stride = 1};
  const Extent written{to.at.begin, to.at.begin + Unsigned(repeats * lanes() / 8)};
  for (const VectorOperand* src : {&src0, &src1}) {
    core.Require(repeats == 0 || !written.Meets(ExtentOf(work(), *src)), FaultKind::kMisuse, "dst",
                 "overlaps a source: bytes [", written.begin, ", ", written.end,
                 ") of UB take the bits; use another buffer");
  }
}

Operands VectorCompare::Footprint(Core& /*core*/) const {
  Operands operands;
  operands.Add(RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(repeats * lanes() / 8)}));
  AddLanes(operands, work(), src0, Use::kRead, "src0");
  AddLanes(operands, work(), src1, Use::kRead, "src1");
  return operands;
}

void VectorCompare::Execute(Core& core) const {
  const CompareRun run = CompareRunFor(kind, type);
  std::byte* const ub = core.ub();
  ForRuns<2>(work(), {src0, src1}, [&](const std::array<uint64_t, 2>& at, int64_t lane, int64_t count) {
    run(ub + at[0], ub + at[1], ub + dst.begin + Unsigned(lane / 8), count);
  });
}

Cost VectorCompare::TimeOn(Core& core) const {
  if (repeats == 0) {
    return {};
  }
  const VectorOperand srcs[] = {src0, src1};
  const Extent read[] = {ExtentOf(work(), src0), ExtentOf(work(), src1)};
  const int64_t cycles = std::max(kCyclesPerRepeat * repeats, BankCycles(work(), srcs));
  return VectorCost(core, cycles, {dst.begin, dst.begin + Unsigned(repeats * lanes() / 8)}, read);
}

void VectorCompareToRegister::Check(Core& core) const {
  RequireType(core, type, kFloating);
  RequireUb(core, "src0", src0);
  RequireUb(core, "src1", src1);
}

Operands VectorCompareToRegister::Footprint(Core& /*core*/) const {
  Operands operands;
  AddLanes(operands, work, src0, Use::kRead, "src0");
  AddLanes(operands, work, src1, Use::kRead, "src1");
  return operands;
}

void VectorCompareToRegister::Execute(Core& core) const {
  const VectorWork all = WorkOfMask(LaneMask::First(work.lanes), work.lanes, 1);
  std::array<uint64_t, 2> compared{};
  const CompareRun run = CompareRunFor(kind, type);
  ForRuns<2>(all, {src0, src1}, [&](const std::array<uint64_t, 2>& at, int64_t lane, int64_t count) {
    run(core.ub() + at[0], core.ub() + at[1], reinterpret_cast<std::byte*>(compared.data()) + lane / 8,
        count);
  });
  for (size_t word = 0; word < compared.size(); ++word) {
    core.registers().vector.compare_mask[word] = compared[word] & work.last_mask.words[word];
  }
}

Cost VectorCompareToRegister::TimeOn(Core& core) const {
  const VectorOperand srcs[] = {src0, src1};
  const Extent read[] = {ExtentOf(work, src0), ExtentOf(work, src1)};
  return VectorCost(core, BankCycles(work, srcs), Extent{}, read);
}

int64_t VectorSelect::BitBytes() const {
  const int64_t lanes = mode == SelectMode::kCompareMask
                            ? work.lanes
                            : (work.repeats - 1) * work.lanes +
                                  (work.last_mask.IsPrefix() ? work.last_mask.Leading() : work.lanes);
  return CeilDiv(lanes, 8);
}

void VectorSelect::Check(Core& core) const {
  RequireType(core, type, kFloating);
  RequireUb(core, "dst", dst);
  RequireBits(core, "selMask", bits);
  RequireUb(core, "src0", src0);
  RequireNoOverlap(core, work, dst, src0, "src0");
  if (!scalar()) {
    RequireUb(core, "src1", src1);
    RequireNoOverlap(core, work, dst, src1, "src1");
  }
}

Operands VectorSelect::Footprint(Core& core) const {
  Operands operands;
  if (work.IsNop()) {
    return operands;
  }
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  operands.Add(RegionOf(bits, Use::kRead, "selMask", {0, Unsigned(BitBytes())}));
  AddLanes(operands, work, src0, Use::kRead, "src0");
  if (!scalar()) {
    AddLanes(operands, work, src1, Use::kRead, "src1");
  }
  if (mode != SelectMode::kCompareMask) {
    operands.Add(RegionOf(ScratchOf(core), Use::kWrite, "scratch", {0, Unsigned(kScratchBytes)}));
  }
  return operands;
}

void VectorSelect::Execute(Core& core) const {
  if (work.IsNop()) {
    return;
  }
  const int64_t element_bytes = dst.element_bits / 8;
  const SelectRun run = scalar() ? SelectScalarRunFor(element_bytes) : SelectRunFor(element_bytes);
  std::byte* const ub = core.ub();
  const int64_t repeat_bits = mode == SelectMode::kCompareMask ? 0 : work.lanes;
  std::memcpy(core.registers().vector.compare_mask.data(),
              ub + bits.begin + Unsigned((work.repeats - 1) * repeat_bits / 8),
              Unsigned(std::min(work.lanes / 8, BitBytes())));
  alignas(8) std::byte constant[8] = {};
  std::memcpy(constant, &scalar_bits, sizeof(scalar_bits));
  const auto select = [&](int64_t lane, const std::array<uint64_t, 3>& at, int64_t count) {
    int64_t done = 0;
    while (done < count) {  // runs of several repeats start their bits anew with each, if they share them
      const int64_t here =
          repeat_bits == 0 ? std::min(count - done, work.lanes - (lane + done) % work.lanes) : count - done;
      const int64_t first_bit = repeat_bits == 0 ? (lane + done) % work.lanes : lane + done;
      const auto offset = Unsigned(done * element_bytes);
      run(ub + bits.begin, first_bit, ub + at[1] + offset, scalar() ? constant : ub + at[2] + offset,
          ub + at[0] + offset, here);
      done += here;
    }
  };
  ForRuns<3>(
      work, {dst, src0, scalar() ? src0 : src1},
      [&](const std::array<uint64_t, 3>& at, int64_t lane, int64_t count) { select(lane, at, count); });
  if (mode != SelectMode::kCompareMask) {
    const Operand scratch = ScratchOf(core);
    std::memset(ub + scratch.begin, 0xFF, Unsigned(core.soc().ub_bytes) - scratch.begin);
  }
}

Cost VectorSelect::TimeOn(Core& core) const {
  if (work.IsNop()) {
    return {};
  }
  const VectorOperand srcs[] = {src0, src1};
  const size_t num_srcs = scalar() ? 1 : 2;
  const int64_t cycles =
      std::max(kCyclesPerRepeat * work.repeats, BankCycles(work, std::span(srcs, num_srcs)));
  const Extent read[] = {ExtentOf(work, src0),
                         {bits.begin, bits.begin + Unsigned(BitBytes())},
                         scalar() ? Extent{} : ExtentOf(work, src1)};
  return VectorCost(core, cycles, ExtentOf(work, dst), read);
}

}  // namespace tilesim::isa

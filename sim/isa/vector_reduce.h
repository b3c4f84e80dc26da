// Instructions that make fewer elements of many. To add one: its row here, forms in ascendc/vector_reduce.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/core/core.h"
#include "sim/isa/given.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {

inline constexpr TypeSet kReducible = {VectorType::kFp16, VectorType::kFp32};

enum class ReduceOp : uint8_t { kSum, kMax, kMin };  // ReduceType, in its order

// What becomes one element: a data block, two neighbours, or a repeat.
enum class ReduceGroup : uint8_t { kBlock, kPair, kRepeat };

// ReduceOrder, in its order: what is written of a largest or least element of a repeat. The index is the lane
// in the repeat, a whole number as wide as the element; alone it has 32 bits.
enum class ReduceResult : uint8_t { kValueIndex, kIndexValue, kValue, kIndex };

struct ReduceRow {
  const char* instruction;  // the hardware's own name, as tables of measurements have it
  ReduceGroup group;
  ReduceOp op;
  int64_t fp16_cycles;  // a repeat
  int64_t fp32_cycles;
};

// Measured: KPP 910B1, cycles of a repeat in a row of the same instruction; fp32 of VCGMIN: as VCGMAX.
inline constexpr ReduceRow kReduceRows[] = {{"VCGADD", ReduceGroup::kBlock, ReduceOp::kSum, 7, 1},
                                            {"VCGMAX", ReduceGroup::kBlock, ReduceOp::kMax, 7, 1},
                                            {"VCGMIN", ReduceGroup::kBlock, ReduceOp::kMin, 7, 1},
                                            {"VCPADD", ReduceGroup::kPair, ReduceOp::kSum, 1, 1},
                                            {"VCADD", ReduceGroup::kRepeat, ReduceOp::kSum, 7, 3},
                                            {"VCMAX", ReduceGroup::kRepeat, ReduceOp::kMax, 7, 7},
                                            {"VCMIN", ReduceGroup::kRepeat, ReduceOp::kMin, 7, 7}};

constexpr const ReduceRow& RowOf(ReduceGroup group, ReduceOp op) {
  size_t row = 0;
  while (kReduceRows[row].group != group || kReduceRows[row].op != op) {
    ++row;
  }
  return kReduceRows[row];
}

// The calls that issue them, by the kernel's names. kSequence: ReduceSum, -Max, -Min: several instructions.
enum class ReduceCall : uint8_t {
  kBlockReduce,
  kReduceDataBlock,
  kPairReduce,
  kReducePairElem,
  kWholeReduce,
  kRepeatReduce,
  kReduceRepeat,
  kSequence
};
inline constexpr size_t kNumReduceCalls = 8;

constexpr ReduceGroup GroupOf(ReduceCall call) {
  return call <= ReduceCall::kReduceDataBlock  ? ReduceGroup::kBlock
         : call <= ReduceCall::kReducePairElem ? ReduceGroup::kPair
                                               : ReduceGroup::kRepeat;
}
constexpr const char* NameOf(ReduceCall call, ReduceOp op) {
  constexpr const char* kNames[kNumReduceCalls][3] = {
      {"BlockReduceSum", "BlockReduceMax", "BlockReduceMin"},
      {"ReduceDataBlock", "ReduceDataBlock", "ReduceDataBlock"},
      {"PairReduceSum"},
      {"ReducePairElem"},
      {"WholeReduceSum", "WholeReduceMax", "WholeReduceMin"},
      {"RepeatReduceSum"},
      {"ReduceRepeat", "ReduceRepeat", "ReduceRepeat"},
      {"ReduceSum", "ReduceMax", "ReduceMin"}};
  return kNames[static_cast<size_t>(call)][static_cast<size_t>(op)];
}

// One result a group of lanes, those of a repeat one behind the other. Lanes that the mask leaves off do not
// take part; a group of none leaves its place in dst as it is. A repeat is read before any of it is written,
// and repeats come one after the other: dst may be src where no repeat reads what an earlier one wrote.
// fp16, fp32. ascendc/vector_reduce.h tells the order of sums and which element is the largest or the least.
struct VectorReduce {
  Given<ReduceCall> call;
  Given<ReduceOp> op;
  VectorOperand src{};
  Operand dst{};
  int64_t dst_stride = 1;  // from repeat to repeat, in results of a repeat
  VectorType type = VectorType::kFp32;
  ReduceResult result = ReduceResult::kValueIndex;  // of max and min of repeats
  VectorWork work{};
  // Sums of repeats: they are added up in their order, into the register alone, and dst is not used.
  bool accumulates = false;
  const char* dst_name = "dst";
  const char* src_name = "src";

  [[nodiscard]] const ReduceRow& row() const { return RowOf(GroupOf(call), op); }
  [[nodiscard]] const char* name() const { return NameOf(call, op); }
  [[nodiscard]] Pipe pipe() const { return Pipe::kV; }
  void Check(Core& core) const;
  Operands Footprint(Core& core) const;
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const;
};
// Does what Core::Issue does, which is so compiled once for all calls of reductions.
void IssueReduce(Core& core, const VectorReduce& op, SourceLine where);

enum class ReduceReadOut : uint8_t {
  kAccVal,
  kRepeatSumSpr,
  kMaxMinCount,
  kRepeatMaxMinSpr,
  kSequence  // ReduceSum reads its own sum
};

// Without values, both stay as they are.
struct ReadReduced {
  Given<ReduceReadOut> call;
  VectorType type = VectorType::kFp32;
  uint32_t* value_bits = nullptr;
  uint32_t* index = nullptr;  // kMaxMinCount, kRepeatMaxMinSpr

  [[nodiscard]] bool is_sum() const {
    return call != ReduceReadOut::kMaxMinCount && call != ReduceReadOut::kRepeatMaxMinSpr;
  }
  [[nodiscard]] const char* name() const;
  [[nodiscard]] Pipe pipe() const { return Pipe::kS; }
  void Check(Core& core) const;
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& core) const;
  Cost TimeOn(Core& core) const { return ResultReadCost(core); }
};

}  // namespace tilesim::isa

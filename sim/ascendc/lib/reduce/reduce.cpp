#include "sim/ascendc/lib/reduce/reduce.h"

#include "sim/ascendc/lib/rows.h"
#include "sim/ascendc/local_copy.h"
#include "sim/ascendc/vector_gather.h"
#include "sim/ascendc/vector_reduce.h"

namespace AscendC::internal {

namespace {

RowOp StepOf(Reduction op) {
  switch (op) {
    case Reduction::kProd:
      return RowOp::kMul;
    case Reduction::kMax:
    case Reduction::kAny:
      return RowOp::kMax;
    case Reduction::kMin:
    case Reduction::kAll:
      return RowOp::kMin;
    default:
      return RowOp::kAdd;
  }
}

// Rows of a reduction's source as fp32, and its results back in their type.
template <class T>
class ReductionRun {
 public:
  ReductionRun(tilesim::Core& core, const ReductionCall& call) : call_(call), steps_(core, call.where) {}

  void OverColumns(RowScratch& scratch) {
    const uint32_t eights = scratch.whole_eights();
    partial_ = scratch.Take(scratch.rows() * 64);
    TakeCopies(scratch);
    numbers_ = scratch.Take(sizeof(T) == 1 ? (call_.rows + 15) / 16 * 16 : eights);
    if (call_.op == Reduction::kProd) {
      packed_ = scratch.Take(eights * 8);
      even_ = scratch.Take(eights * 4);
      odd_ = scratch.Take(eights * 4);
    }
    if constexpr (sizeof(T) == 1) {
      halves_ = scratch.Take((call_.rows + 15) / 16 * 8).template ReinterpretCast<half>();
    } else if constexpr (std::is_same_v<T, half>) {
      halves_ = scratch.Take(eights).template ReinterpretCast<half>();
      spread_ = scratch.Take(eights * 8).template ReinterpretCast<half>();
    }
    const LocalTensor<T> dst = call_.dst.bytes.ReinterpretCast<T>();
    ForRows(call_.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
      const Floats x = Rows(row, rows);
      const Floats numbers = std::is_same_v<T, float> ? dst.template ReinterpretCast<float>()[row]
                             : sizeof(T) == 1         ? numbers_[row]
                                                      : numbers_;
      const RowPlace place = RowPlace::Nd(rows, call_.columns, call_.width);
      if (call_.op == Reduction::kProd) {
        Products(numbers, x, place);
      } else {
        steps_.Reduce(StepOf(call_.op), numbers, x, partial_, place);
        Finish(numbers, rows, call_.columns);
      }
      if constexpr (std::is_same_v<T, half>) {
        StoreHalves(dst[row], rows);
      }
    });
    if constexpr (sizeof(T) == 1) {
      StoreBytes(dst, call_.rows);
    }
  }

  void OverRows(RowScratch& scratch) {
    const LocalTensor<T> dst = call_.dst.bytes.ReinterpretCast<T>();
    numbers_ = scratch.Take(call_.width);
    halves_ = scratch.Take(call_.width).template ReinterpretCast<half>();
    TakeCopies(scratch);
    RowPlace place = RowPlace::Nd(0, call_.columns, call_.columns);
    place.row_stride = call_.width;
    ForRows(call_.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
      Floats x = Rows(row, rows);
      place.rows = rows;
      if (row == 0) {
        steps_.On(call_.columns).Muls(numbers_, x, 1.0F);
        x = x[call_.width];
        --place.rows;
      }
      steps_.ReduceColumns(StepOf(call_.op), numbers_, x, place);
    });
    Finish(numbers_, call_.columns, call_.rows);
    const VectorSteps v = steps_.On(call_.columns);
    if constexpr (sizeof(T) == 1) {
      StoreBytes(dst, call_.columns);
    } else if constexpr (std::is_same_v<T, half>) {
      v.Cast(dst, numbers_, RoundMode::CAST_RINT);
    } else {
      v.Muls(dst, numbers_, 1.0F);
    }
  }

 private:
  void TakeCopies(RowScratch& scratch) {
    const auto copies = static_cast<uint32_t>(tilesim::library::ReductionCopies(call_.op, sizeof(T)));
    copy_ = copies > 0 ? scratch.Take(scratch.rows() * call_.width) : copy_;
    stage_ = copies > 1 ? scratch.Take(scratch.rows() * call_.width).template ReinterpretCast<half>() : stage_;
  }
  Floats Rows(uint32_t row, uint32_t rows) const {
    const LocalTensor<T> src = call_.src.bytes.ReinterpretCast<T>()[row * call_.width];
    const VectorSteps v = steps_.On(rows * call_.width);
    Floats x = copy_;
    if constexpr (sizeof(T) == 1) {
      v.Cast(stage_, src, RoundMode::CAST_NONE);
      v.Cast(x, stage_, RoundMode::CAST_NONE);
    } else if constexpr (std::is_same_v<T, half>) {
      v.Cast(x, src, RoundMode::CAST_NONE);
    } else if (Bits()) {
      v.Abs(x, src);
    } else {
      x = src;
    }
    return x;
  }
  [[nodiscard]] bool Bits() const { return call_.op == Reduction::kAny || call_.op == Reduction::kAll; }
  // What is left to do with `count` results of so many elements each.
  void Finish(const Floats& numbers, uint32_t count, uint32_t elements) const {
    const VectorSteps v(steps_.core(), count, steps_.where());
    if (call_.op == Reduction::kMean) {
      InScratch(numbers, count, [&](const Floats& at) { v.Muls(at, at, 1.0F / static_cast<float>(elements)); });
    } else if (Bits()) {  // any positive number becomes at least 1, the least of them, too
      constexpr float kHuge = 3e38F;
      v.Muls(numbers, numbers, kHuge);
      v.Muls(numbers, numbers, kHuge);
      v.Mins(numbers, numbers, 1.0F);
    }
  }

  const ReductionCall& call_;
  RowSteps steps_;
  Floats partial_, numbers_, copy_, packed_, even_, odd_;
  LocalTensor<half> halves_, spread_, stage_;
};

}  // namespace
}  // namespace AscendC::internal

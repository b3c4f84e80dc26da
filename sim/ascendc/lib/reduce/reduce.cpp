#include "sim/ascendc/lib/reduce/reduce.h"

#include <algorithm>
#include <bit>

#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/rows.h"
#include "sim/ascendc/local_copy.h"
#include "sim/ascendc/vector_gather.h"
#include "sim/ascendc/vector_reduce.h"

namespace AscendC::simulator {

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
  ReductionRun(const RowSteps& steps, const ReductionCall& call) : call_(call), steps_(steps) {}
  void Run(RowScratch& scratch) { call_.over_rows ? OverRows(scratch) : OverColumns(scratch); }

 private:
  void OverColumns(RowScratch& scratch) {
    const uint32_t eights = scratch.whole_eights();
    const uint32_t all = (call_.rows + 15) / 16 * 16;
    partial_ = scratch.Take(scratch.rows() * 64);
    TakeCopies(scratch);
    numbers_ = scratch.Take(eights);
    spread_ = scratch.Take(eights * 8);
    halves_ = scratch.Take(eights).template ReinterpretCast<half>();
    if (call_.op == Reduction::kProd) {
      packed_ = scratch.Take(eights * 8);
      scratch.Take(eights * 4, even_, odd_);
    }
    const LocalTensor<T> dst = As<T>(call_.dst);
    Floats kept;  // results of bytes
    if constexpr (sizeof(T) == 1) {
      kept = scratch.Take(all);
      halves_ = scratch.Take(all / 2).template ReinterpretCast<half>();
    }
    ForPieces(call_.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
      const Floats x = Rows(row, rows);
      const RowPlace place = RowPlace::Nd(rows, call_.columns, call_.width);
      if (call_.op == Reduction::kProd) {
        Products(x, place);
      } else {
        steps_.Reduce(StepOf(call_.op), numbers_, x, partial_, place);
      }
      Finish(numbers_, rows, call_.columns);
      if constexpr (std::is_same_v<T, half>) {
        steps_.On(rows).Cast(halves_, numbers_, RoundMode::CAST_RINT);
        steps_.Scatter(dst[row], halves_, spread_, rows);
      } else if constexpr (std::is_same_v<T, float>) {
        steps_.Scatter(dst[row], numbers_, spread_, rows);
      } else {
        steps_.Scatter(kept[row], numbers_, spread_, rows);
      }
    });
    if constexpr (sizeof(T) == 1) {
      StoreBytes(dst, kept, call_.rows);
    }
  }

  void OverRows(RowScratch& scratch) {
    const uint32_t together = RowsTogether(scratch.rows());
    numbers_ = scratch.Take(together * call_.width);  // results
    halves_ = scratch.Take(call_.width).template ReinterpretCast<half>();
    TakeCopies(scratch);
    RowPlace place = RowPlace::Nd(0, call_.columns, call_.columns);
    place.row_stride = call_.width;
    if (together > 1) {
      AddUpTogether(together);
    }
    ForPieces(together > 1 ? 0 : call_.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
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
    if constexpr (sizeof(T) == 1) {
      StoreBytes(As<T>(call_.dst), numbers_, call_.columns);
    } else {
      CopyOut<T>(steps_.On(call_.columns), call_.dst, 0, numbers_);
    }
  }
  // How many rows, a power of two, one instruction takes: as many as fill 8 repeats of 64 lanes, where fp32
  // is worked on in its place, the scratch of its copies is free, and rows have no padding between them.
  [[nodiscard]] uint32_t RowsTogether(uint32_t free_rows) const {
    constexpr uint32_t kLanes = 512;
    const bool in_place =
        tilesim::library::ReductionCopies(call_.op, sizeof(T)) == 0 && call_.columns == call_.width;
    const uint32_t most = in_place ? std::min({call_.rows, kLanes / call_.width, free_rows + 1}) : 1;
    return most < 2 ? 1 : std::bit_floor(most);
  }
  // numbers_[c] of the rows r, r + together, r + 2 * together, ... for each r < together, then of halves of
  // these.
  void AddUpTogether(uint32_t together) {
    const RowOp op = StepOf(call_.op);
    const Floats x = Rows(0, call_.rows);
    const auto rows_of = [](uint32_t rows, uint32_t elements) {
      return RowPlace::Nd(rows, elements, elements);
    };
    const uint32_t lanes = together * call_.width;
    const uint32_t groups = call_.rows / together;
    steps_.On(lanes).Muls(numbers_, x, 1.0F);
    steps_.ReduceColumns(op, numbers_, x[lanes], rows_of(groups - 1, lanes));
    steps_.ReduceColumns(op, numbers_, x[groups * lanes],
                         rows_of(call_.rows - groups * together, call_.width));
    for (uint32_t half = lanes / 2; half >= call_.width; half /= 2) {
      steps_.ReduceColumns(op, numbers_, numbers_[half], rows_of(1, half));
    }
  }
  void TakeCopies(RowScratch& scratch) {
    const auto copies = static_cast<uint32_t>(tilesim::library::ReductionCopies(call_.op, sizeof(T)));
    copy_ = copies > 0 ? scratch.Take(scratch.rows() * call_.width) : copy_;
    stage_ =
        copies > 1 ? scratch.Take(scratch.rows() * call_.width).template ReinterpretCast<half>() : stage_;
  }
  Floats Rows(uint32_t row, uint32_t rows) const {
    const LocalTensor<T> src = As<T>(call_.src)[row * call_.width];
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
    const VectorSteps v = steps_.On(count);
    if (call_.op == Reduction::kMean) {
      v.Muls(numbers, numbers, 1.0F / static_cast<float>(elements));
    } else if (Bits()) {  // any positive number becomes at least 1, the least of them, too
      constexpr float kHuge = 3e38F;
      v.Muls(numbers, numbers, kHuge).Muls(kHuge).Mins(1.0F);
    }
  }
  // numbers_[r] = the product of row r: its repeats, then halves of the repeat, then neighbours.
  void Products(const Floats& x, const RowPlace& place) const {
    const uint32_t rows = place.rows;
    steps_.On(rows * 64).Duplicate(partial_, 1.0F);
    steps_.Partials(RowOp::kMul, partial_, x, place);
    for (uint32_t lanes = 32; lanes >= 8; lanes /= 2) {
      RowPlace half_rows = RowPlace::Nd(rows, lanes, lanes);
      half_rows.row_stride = 64;
      steps_.Lanes(RowOp::kMul, partial_, partial_, partial_[lanes], half_rows);
    }
    DataCopy(packed_, partial_, DataCopyParams(static_cast<uint16_t>(rows), 1, 7, 0), steps_.where());
    steps_.Wait();
    for (uint32_t lanes = 8; lanes > 1; lanes /= 2) {
      Keep(even_, packed_, 1, rows * lanes);
      Keep(odd_, packed_, 2, rows * lanes);
      steps_.On(rows * lanes / 2).Mul(lanes == 2 ? numbers_ : packed_, even_, odd_);
    }
  }
  // Every second element of the first `elements`, from the first (1) or the second (2) on.
  void Keep(const Floats& dst, const Floats& src, uint8_t pattern, uint32_t elements) const {
    uint64_t kept = 0;
    GatherMask(dst, src, pattern, true, elements, {1, 1, 8, 0}, kept, steps_.where());
    SetVectorMask<float>(64, steps_.where());
    ResetMask(steps_.where());
    steps_.Wait();
  }
  void StoreBytes(const LocalTensor<uint8_t>& dst, const Floats& numbers, uint32_t count) const {
    const VectorSteps v = steps_.On(count);
    v.Cast(halves_, numbers, RoundMode::CAST_NONE);
    v.Cast(dst, halves_, RoundMode::CAST_NONE);
  }

  const ReductionCall& call_;
  RowSteps steps_;
  Floats partial_, numbers_, spread_, copy_, packed_, even_, odd_;
  LocalTensor<half> halves_, stage_;
};

}  // namespace

uint32_t PaddedWidth(uint32_t type_bytes, uint32_t columns) {
  return static_cast<uint32_t>(tilesim::library::PaddedColumns(type_bytes, columns));
}

void Run(const ReductionCall& call) {
  using tilesim::isa::VectorType;
  const bool bytes = call.src.type == VectorType::kUint8;
  const bool halves = call.src.type == VectorType::kFp16;
  const uint32_t type_bytes = bytes ? 1 : halves ? 2 : 4;
  const auto check = [&](tilesim::Core& core) {
    using tilesim::FaultKind;
    const uint32_t unit = ONE_BLK_SIZE / type_bytes;
    core.Require(call.rows > 0 && call.columns > 0, FaultKind::kMisuse, "shape", "is ", call.rows, " x ",
                 call.columns, "; a reduction needs elements");
    core.Require(call.columns <= call.width, FaultKind::kMisuse, "shape", "takes ", call.columns,
                 " elements of rows of ", call.width);
    core.Require(call.width % unit == 0, FaultKind::kAlignment, "shape", "has rows of ", call.width,
                 " elements, allowed are multiples of ", unit, "; pad the rows to 32 bytes, and say so");
  };
  RunOnRows(
      call, call.name,
      CallTensors()
          .Result("dst", call.dst, call.over_rows ? call.columns : call.rows)
          .Source("src", call.src, uint64_t{call.rows} * call.width),
      call.over_rows ? tilesim::library::ColumnReductionNeed(call.op, type_bytes, call.width)
                     : tilesim::library::RowReductionNeed(call.op, type_bytes, call.rows, call.width),
      call.rows,
      [&](const RowSteps& steps, RowScratch& scratch) {
        bytes    ? ReductionRun<uint8_t>(steps, call).Run(scratch)
        : halves ? ReductionRun<half>(steps, call).Run(scratch)
                 : ReductionRun<float>(steps, call).Run(scratch);
      },
      check);
}

}  // namespace AscendC::simulator

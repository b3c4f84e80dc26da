#include "sim/ascendc/lib/rows.h"

#include <utility>

#include "sim/ascendc/sync.h"
#include "sim/ascendc/tpipe.h"
#include "sim/ascendc/vector_reduce.h"

namespace AscendC::simulator {

namespace {

constexpr uint32_t kBlock = 8;  // elements of a data block

uint8_t Short(uint32_t value) { return static_cast<uint8_t>(value); }

}  // namespace

RowScratch::RowScratch(tilesim::Core& core, const LocalTensor<uint8_t>* given, CallTensors tensors,
                       const tilesim::library::RowNeed& need, uint32_t rows, const char* name,
                       const char* host_function)
    : scratch_(core, given, std::move(tensors)) {
  scratch_.Require(need.MinBytes(), name, host_function);
  rows_ = need.RowsIn(scratch_.left_bytes(), rows);
}

void OrderPipes(tilesim::Core& core, HardEvent event, SourceLine where) {
  const TPipe* const pipe = State(core).pipe;
  const TEventID id = pipe == nullptr ? 0 : pipe->FetchEventID(event);
  const PipePair pipes = PipesOf(event);
  core.SetFlag(pipes.src, pipes.dst, id, where);
  core.WaitFlag(pipes.src, pipes.dst, id, where);
}

void RowSteps::Apply(RowOp op, const Floats& dst, const Floats& src0, const Floats& src1, uint32_t mask,
                     uint32_t repeats, const BinaryRepeatParams& params) const {
  const auto times = Short(repeats);
  switch (op) {
    case RowOp::kAdd:
      return Add(dst, src0, src1, uint64_t{mask}, times, params, where_);
    case RowOp::kSub:
      return Sub(dst, src0, src1, uint64_t{mask}, times, params, where_);
    case RowOp::kMul:
      return Mul(dst, src0, src1, uint64_t{mask}, times, params, where_);
    case RowOp::kDiv:
      return Div(dst, src0, src1, uint64_t{mask}, times, params, where_);
    case RowOp::kMax:
      return Max(dst, src0, src1, uint64_t{mask}, times, params, where_);
    case RowOp::kMin:
      return Min(dst, src0, src1, uint64_t{mask}, times, params, where_);
  }
}

void RowSteps::ByRow(RowOp op, const Floats& dst, const Floats& src, const Floats& spread,
                     uint32_t spread_width, const RowPlace& place) const {
  if (place.by_row()) {
    for (uint32_t row = 0; row < place.rows; ++row) {
      const uint32_t at = row * place.row_stride;
      EachRepeat(place.width, [&](uint32_t first, uint32_t lanes, uint32_t repeats) {
        Apply(op, dst[at + first], src[at + first], spread[row * spread_width], lanes, repeats,
              {1, 1, 0, 8, 8, 0});
      });
    }
  } else {
    const uint8_t stride = Short(place.row_stride / kBlock);
    EachChunk(place, place.width, [&](uint32_t at, uint32_t row, uint32_t, uint32_t lanes, uint32_t rows) {
      Apply(op, dst[at], src[at], spread[row * spread_width], lanes, rows,
            {1, 1, 0, stride, stride, Short(spread_width / kBlock)});
    });
  }
  Wait();
}

void RowSteps::ByColumn(RowOp op, const Floats& dst, const Floats& src, const Floats& numbers,
                        const RowPlace& place) const {
  if (place.by_row()) {
    for (uint32_t row = 0; row < place.rows; ++row) {
      const uint32_t at = row * place.row_stride;
      EachRepeat(place.width, [&](uint32_t first, uint32_t lanes, uint32_t repeats) {
        Apply(op, dst[at + first], src[at + first], numbers[first], lanes, repeats, {1, 1, 1, 8, 8, 8});
      });
    }
  } else {
    const uint8_t stride = Short(place.row_stride / kBlock);
    EachChunk(place, place.width, [&](uint32_t at, uint32_t, uint32_t column, uint32_t lanes, uint32_t rows) {
      Apply(op, dst[at], src[at], numbers[column], lanes, rows, {1, 1, 1, stride, stride, 0});
    });
  }
  Wait();
}

void RowSteps::Lanes(RowOp op, const Floats& dst, const Floats& src0, const Floats& src1,
                     const RowPlace& place) const {
  const uint8_t stride = Short(place.row_stride / kBlock);
  EachChunk(place, place.width, [&](uint32_t at, uint32_t, uint32_t, uint32_t lanes, uint32_t rows) {
    Apply(op, dst[at], src0[at], src1[at], lanes, rows, {1, 1, 1, stride, stride, stride});
  });
  Wait();
}

void RowSteps::Whole(RowOp op, const Floats& numbers, const Floats& src, uint32_t lanes, uint32_t rows,
                     uint32_t row_stride) const {
  const auto stride = static_cast<int32_t>(row_stride / kBlock);
  for (uint32_t row = 0; row < rows; row += kMostRepeats) {
    const auto repeats = static_cast<int32_t>(std::min(kMostRepeats, rows - row));
    const Floats from = src[row * row_stride];
    if (op == RowOp::kAdd) {
      WholeReduceSum(numbers[row], from, uint64_t{lanes}, repeats, 1, 1, stride, where_);
    } else if (op == RowOp::kMax) {
      WholeReduceMax(numbers[row], from, uint64_t{lanes}, repeats, 1, 1, stride,
                     ReduceOrder::ORDER_ONLY_VALUE, where_);
    } else {
      WholeReduceMin(numbers[row], from, uint64_t{lanes}, repeats, 1, 1, stride,
                     ReduceOrder::ORDER_ONLY_VALUE, where_);
    }
  }
  Wait();
}

void RowSteps::Partials(RowOp op, const Floats& partial, const Floats& src, const RowPlace& place) const {
  if (place.by_row()) {
    return PartialsByRow(op, partial, src, place);
  }
  const uint8_t stride = Short(place.row_stride / kBlock);
  EachChunk(place, place.columns,
            [&](uint32_t at, uint32_t row, uint32_t column, uint32_t lanes, uint32_t rows) {
              const Floats to = partial[row * kFloatLanes];
              if (column == 0) {
                Copy(to, src[at], uint64_t{lanes}, Short(rows), {1, 1, kBlock, stride}, where_);
              } else {
                Apply(op, to, to, src[at], lanes, rows, {1, 1, 1, 8, 8, stride});
              }
              Wait();
            });
}
void RowSteps::PartialsByRow(RowOp op, const Floats& partial, const Floats& src,
                             const RowPlace& place) const {
  for (uint32_t row = 0; row < place.rows; ++row) {
    const Floats from = src[row * place.row_stride];
    const Floats to = partial[row * kFloatLanes];
    const uint32_t leading = std::min(kFloatLanes, place.columns);
    Copy(to, from, uint64_t{leading}, 1, {1, 1, 8, 8}, where_);
    Wait();
    EachRepeat(place.columns - leading, [&](uint32_t first, uint32_t lanes, uint32_t repeats) {
      Apply(op, to, from[leading + first], to, lanes, repeats, {1, 1, 1, 0, 8, 0});
      Wait();
    });
  }
}

void RowSteps::Reduce(RowOp op, const Floats& numbers, const Floats& src, const Floats& partial,
                      const RowPlace& place) const {
  if (place.columns <= place.chunk) {
    return Whole(op, numbers, src, place.columns, place.rows, place.row_stride);
  }
  Partials(op, partial, src, place);
  Whole(op, numbers, partial, place.chunk, place.rows, kFloatLanes);
}

void RowSteps::ReduceColumns(RowOp op, const Floats& numbers, const Floats& src,
                             const RowPlace& place) const {
  // A chunk of columns is the one block of results that all rows go to, one after the other.
  EachRepeat(place.width, [&](uint32_t first, uint32_t lanes, uint32_t repeats) {
    for (uint32_t row = 0; row < place.rows; ++row) {
      Apply(op, numbers[first], numbers[first], src[row * place.row_stride + first], lanes, repeats,
            {1, 1, 1, 8, 8, 8});
      Wait();
    }
  });
}

void RowSteps::Spread(const Floats& spread, const Floats& numbers, uint32_t rows,
                      uint32_t spread_width) const {
  const auto blocks = static_cast<uint16_t>(spread_width / kBlock);
  constexpr uint32_t kMost = kMostRepeats * 8;  // rows of an instruction
  for (uint32_t row = 0; row < rows; row += kMost) {
    const uint32_t repeats = (std::min(kMost, rows - row) + 7) / 8;
    for (uint32_t block = 0; block < blocks; ++block) {
      Brcb(spread[row * spread_width + block * kBlock], numbers[row], Short(repeats),
           {blocks, static_cast<uint16_t>(8 * blocks)}, where_);
    }
  }
  Wait();
}

template <class T>
void RowSteps::Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& numbers, const Floats& spread,
                       uint32_t count) const {
  constexpr uint32_t kMost = 248;  // whole eights
  constexpr uint32_t kWidth = ONE_BLK_SIZE / sizeof(T);
  const LocalTensor<T> blocks = spread.ReinterpretCast<T>();
  for (uint32_t at = 0; at < count; at += kMost) {
    const uint32_t some = std::min(kMost, count - at);
    Brcb(blocks[at * kWidth], numbers[at], Short((some + 7) / 8), {1, 8}, where_);
    Wait();
    WholeReduceMax(dst[at], blocks[at * kWidth], uint64_t{1}, static_cast<int32_t>(some), 1, 1, 1,
                   ReduceOrder::ORDER_ONLY_VALUE, where_);
    Wait();
  }
}
template void RowSteps::Scatter(const LocalTensor<half>&, const LocalTensor<half>&, const Floats&,
                                uint32_t) const;
template void RowSteps::Scatter(const Floats&, const Floats&, const Floats&, uint32_t) const;

void RowSteps::Rsqrt(const Floats& numbers, const Floats& ones, float epsilon, uint32_t count) const {
  const VectorSteps v = On(count);
  v.Adds(numbers, numbers, epsilon).Sqrt();
  v.Duplicate(ones, 1.0F);
  v.Div(numbers, ones, numbers);
}

}  // namespace AscendC::simulator

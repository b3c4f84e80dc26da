// How much scratch the row-wise functions of the high-level library take: the one statement of it, for the
// functions themselves and for the host's Get...TmpSize and ...TilingFunc.
#pragma once

#include <cstdint>

#include "sim/ascendc/lib/library_functions.h"

namespace tilesim::library {

inline constexpr uint64_t kBlockBytes = 32;
inline constexpr uint64_t kRepeatFloats = 64;

constexpr uint64_t UpTo(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Scratch of a function that works on so many rows at a time. All are whole data blocks of 32 bytes.
struct RowNeed {
  uint64_t fixed_bytes = 0;       // whatever the number of rows
  uint64_t row_bytes = 0;         // for each row
  uint64_t eight_rows_bytes = 0;  // for each eight rows that are begun

  constexpr uint64_t BytesFor(uint64_t rows) const {
    return fixed_bytes + rows * row_bytes + (rows + 7) / 8 * eight_rows_bytes;
  }
  constexpr uint64_t MinBytes() const { return BytesFor(1); }
  // The most rows, up to `most`, that so much scratch allows; 0: too little.
  constexpr uint32_t RowsIn(uint64_t bytes, uint64_t most) const {
    if (bytes < MinBytes()) {
      return 0;
    }
    uint64_t rows = row_bytes == 0 ? most : (bytes - fixed_bytes) / row_bytes;
    rows = rows < most ? rows : most;
    while (rows > 1 && BytesFor(rows) > bytes) {
      --rows;
    }
    return static_cast<uint32_t>(rows);
  }
};

// A number for each row, and `spreads` times this number over data blocks of elements of `type_bytes`.
constexpr uint64_t EightRowsBytes(uint64_t type_bytes, uint64_t spreads) {
  return 8 * sizeof(float) * (1 + spreads * (kBlockBytes / type_bytes));
}
// The repeat of partial results of a row, and `copies` of it as fp32.
constexpr uint64_t RowBytes(uint64_t columns, uint64_t copies) {
  return sizeof(float) * (kRepeatFloats + copies * UpTo(columns, 8));
}

constexpr RowNeed SoftmaxNeed(Softmax form, uint64_t type_bytes, uint64_t columns) {
  const bool flash = form == Softmax::kFlash || form == Softmax::kFlashV2;
  const uint64_t copies = (type_bytes == 2 ? 1 : 0) + (form == Softmax::kLog ? 1 : 0);
  return {.row_bytes = RowBytes(columns, copies),
          .eight_rows_bytes = EightRowsBytes(type_bytes, flash ? 4 : 2)};
}
constexpr RowNeed SoftmaxGradNeed(uint64_t type_bytes, uint64_t columns) {
  return {.row_bytes = RowBytes(columns, type_bytes == 2 ? 3 : 1),
          .eight_rows_bytes = EightRowsBytes(type_bytes, 1)};
}

// Elements that a row takes, whole data blocks.
constexpr uint64_t PaddedColumns(uint64_t type_bytes, uint64_t columns) {
  return UpTo(columns * type_bytes, kBlockBytes) / type_bytes;
}
// Copies of the rows as fp32: of narrower types, and where the signs have to go first; bytes are fp16 before.
constexpr uint64_t ReductionCopies(Reduction op, uint64_t type_bytes) {
  const bool unsign = op == Reduction::kAny || op == Reduction::kAll;
  return type_bytes == 1 ? 2 : type_bytes == 2 || unsign ? 1 : 0;
}
// Over the columns of each row. Results of bytes are kept until the end.
constexpr RowNeed RowReductionNeed(Reduction op, uint64_t type_bytes, uint64_t rows, uint64_t columns) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  const uint64_t numbers = UpTo(rows, 16) * (sizeof(float) + sizeof(uint16_t));
  const uint64_t products = op == Reduction::kProd ? 8 * 16 * sizeof(float) : 0;
  return {.fixed_bytes = type_bytes == 1 ? numbers : 0,
          .row_bytes = RowBytes(width, ReductionCopies(op, type_bytes)),
          .eight_rows_bytes = 10 * kBlockBytes + products};
}
// Over the rows, of each column. The results, and those of bytes as fp16, too.
constexpr RowNeed ColumnReductionNeed(Reduction op, uint64_t type_bytes, uint64_t columns) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  const uint64_t copies = ReductionCopies(op, type_bytes);
  return {.fixed_bytes = sizeof(float) * width * 2,
          .row_bytes = sizeof(float) * width * (copies > 1 ? copies : 1)};
}

// Numbers of all rows as fp32, and each over a data block, `times` times.
constexpr uint64_t AllRowsBytes(uint64_t rows, uint64_t times) {
  return UpTo(rows, 16) * times * (sizeof(float) + kBlockBytes);
}

// LayerNorm, RmsNorm, DeepNorm, Normalize: weights as fp32, and the rows twice. `given`: mean and variance of
// all rows are.
constexpr RowNeed NormNeed(uint64_t type_bytes, uint64_t rows, uint64_t columns, bool given = false) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  return {.fixed_bytes = 2 * sizeof(float) * width + (given ? AllRowsBytes(rows, 2) + UpTo(rows, 16) * 4 : 0),
          .row_bytes = RowBytes(width, 2),
          .eight_rows_bytes = EightRowsBytes(sizeof(float), 2) + 2 * kBlockBytes};
}
constexpr RowNeed LayerNormGradNeed(uint64_t type_bytes, uint64_t rows, uint64_t columns) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  return {.fixed_bytes = sizeof(float) * width + AllRowsBytes(rows, 2) + UpTo(rows, 16) * 4,
          .row_bytes = RowBytes(width, 3),
          .eight_rows_bytes = EightRowsBytes(sizeof(float), 3)};
}
constexpr RowNeed LayerNormGradBetaNeed(uint64_t type_bytes, uint64_t columns) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  return {.fixed_bytes = 2 * sizeof(float) * width, .row_bytes = 2 * sizeof(float) * width};
}
// 64 elements are a row.
constexpr RowNeed WelfordUpdateNeed() { return {.row_bytes = 3 * sizeof(float) * kRepeatFloats}; }
constexpr RowNeed WelfordFinalizeNeed(uint64_t columns) {
  return {.row_bytes = RowBytes(columns, 2), .eight_rows_bytes = 3 * kBlockBytes + 8 * kBlockBytes};
}
// A group is a row: `channels` rows of the tensor.
constexpr RowNeed GroupNormNeed(uint64_t type_bytes, uint64_t all_channels, uint64_t channels,
                                uint64_t columns) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  return {.fixed_bytes = AllRowsBytes(all_channels, 2),
          .row_bytes = channels * RowBytes(width, 2) + UpTo(channels, 8) * sizeof(float) +
                       sizeof(float) * kRepeatFloats + 4 * 8 * kBlockBytes};
}
constexpr RowNeed BatchNormNeed(uint64_t type_bytes, uint64_t rows, uint64_t columns) {
  const uint64_t width = PaddedColumns(type_bytes, columns);
  return {.fixed_bytes = AllRowsBytes(rows, 2) + 3 * sizeof(float) * width,
          .row_bytes = sizeof(float) * width};
}

// Along the rows: the piece transposed, offsets of its rows and of a row's elements, and fp32 of half. Down
// the columns: a row, and the sum so far.
constexpr RowNeed CumSumNeed(uint64_t type_bytes, uint64_t columns, bool along_rows) {
  const uint64_t width = UpTo(columns, 8) * sizeof(float);
  return along_rows ? RowNeed{.fixed_bytes = width,
                              .row_bytes = type_bytes == 2 ? width : 0,
                              .eight_rows_bytes = 8 * sizeof(float) * (columns + 1)}
                    : RowNeed{.fixed_bytes = 2 * width};
}

// One row of `inner` scores at a time, or all of 32: the scores, their places, and pairs of both twice.
constexpr RowNeed TopKNeed(uint64_t inner, uint64_t outter, bool small) {
  return {.fixed_bytes = inner * (small ? outter : 1) * (4 + 4 + 8 + 8)};
}

// Each row's element over a data block; of bytes as fp16, and a row of it.
constexpr RowNeed BroadcastNeed(uint64_t type_bytes, uint64_t rows, uint64_t columns) {
  return {.fixed_bytes = UpTo(rows, 16) * kBlockBytes + (type_bytes == 1 ? UpTo(rows, 32) * 2 : 0),
          .row_bytes = type_bytes == 1 ? UpTo(columns, 32) * 2 : 0};
}

// Offsets of 512 elements, and a row between numbers to pad with; of rows that are no whole blocks the
// offsets of one, too.
constexpr RowNeed PadNeed(uint64_t type_bytes, uint64_t width) {
  const bool is_whole = width * type_bytes % kBlockBytes == 0;
  return {.fixed_bytes = 512 * 4 + kBlockBytes + UpTo((width + 1) * type_bytes, kBlockBytes) +
                         (is_whole ? 0 : UpTo(width * 4, kBlockBytes))};
}

// Offsets of a column of the matrix; nothing for what moves whole lines of 16 elements.
constexpr RowNeed TransposeNeed(bool of_matrix, uint64_t height) {
  return {.fixed_bytes = of_matrix ? UpTo(height * 4, kBlockBytes) : kBlockBytes};
}

}  // namespace tilesim::library

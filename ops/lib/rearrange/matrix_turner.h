// Matrices in UB turned by TransDataTo5HD, units of a few rows and a data block at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel_operator.h"
#include "tiling/rearrange/rearrange_tasks.h"

namespace tilesim {

// Where the matrices of a tile lie, in data blocks of UB: `batch` of them, whole units of rows and whole data
// blocks of columns, the rows of all of them `in_pitch` apart. Turned, `out_pitch` lies between rows and
// padded_cols of these between matrices.
struct TurnedMatrices {
  int64_t batch = 1;
  int64_t padded_rows = 0;
  int64_t padded_cols = 0;
  int64_t in_pitch = 0;
  int64_t out_pitch = 0;
};

// One instruction's operand rows as addresses, and its repeats.
struct TurnedUnit {
  uint64_t src[AscendC::NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t dst[AscendC::NCHW_CONV_ADDR_LIST_SIZE];
  int64_t repeats = 1;
  int64_t src_step = 0;  // data blocks
  int64_t dst_step = 0;

  // Repeats of an instruction are 255 at most; a single one adds its strides too.
  template <class T>
  __aicore__ inline void Issue(bool dst_high = false, bool src_high = false) {
    constexpr int64_t kMost = 255;
    for (int64_t at = 0; at < repeats; at += kMost) {
      const int64_t now = std::min(kMost, repeats - at);
      const bool many = now > 1;
      AscendC::TransDataTo5HD<T>(dst, src,
                                 AscendC::TransDataTo5HDParams(dst_high, src_high, static_cast<uint8_t>(now),
                                                               static_cast<uint16_t>(many ? dst_step : 0),
                                                               static_cast<uint16_t>(many ? src_step : 0)));
      for (size_t i = 0; i < AscendC::NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        src[i] += static_cast<uint64_t>(now * src_step * kDataBlockBytes);
        dst[i] += static_cast<uint64_t>(now * dst_step * kDataBlockBytes);
      }
    }
  }
};

// Turns by the width of the elements; what they mean makes no difference.
template <int kBytes>
class MatrixTurner {
 public:
  // in, out, between: addresses in UB; between: of 64-bit elements only.
  __aicore__ inline MatrixTurner(uint64_t in, uint64_t out, uint64_t between, const TurnedMatrices& matrices)
      : in_(in), out_(out), between_(between), m_(matrices) {}

  __aicore__ inline void Turn() {
    const int64_t units = m_.batch * (m_.padded_rows / kUnit);
    if constexpr (kBytes == 8) {
      for (int64_t unit = 0; unit < units; ++unit) {
        TurnWideUnit(unit);
      }
    } else if (RepeatsOverRows()) {
      for (int64_t matrix = 0; matrix < m_.batch; ++matrix) {
        for (int64_t block = 0; block < ColBlocks(); ++block) {
          TurnAll(matrix * UnitsOfMatrix(), block, UnitsOfMatrix() / kUnitsAtOnce,
                  m_.in_pitch * kUnit * kUnitsAtOnce, kUnitsAtOnce);
        }
      }
    } else {
      for (int64_t unit = 0; unit < units; unit += kUnitsAtOnce) {
        TurnAll(unit, 0, ColBlocks(), 1, kOfBlock * m_.out_pitch);
      }
    }
  }

 private:
  static constexpr int64_t kUnit = RowUnit(kBytes);
  static constexpr int64_t kOfBlock = ElementsOfBlock(kBytes);
  static constexpr int64_t kUnitsAtOnce = UnitsAtOnce(kBytes);

  __aicore__ inline int64_t UnitsOfMatrix() const { return m_.padded_rows / kUnit; }
  __aicore__ inline int64_t ColBlocks() const { return m_.padded_cols / kOfBlock; }
  // Repeats go along the longer side.
  __aicore__ inline bool RepeatsOverRows() const {
    return UnitsOfMatrix() % kUnitsAtOnce == 0 && UnitsOfMatrix() / kUnitsAtOnce > ColBlocks();
  }
  __aicore__ inline uint64_t In(int64_t row, int64_t block) const {
    return in_ + static_cast<uint64_t>((row * m_.in_pitch + block) * kDataBlockBytes);
  }
  // Row `col` of what unit `unit` becomes.
  __aicore__ inline uint64_t Out(int64_t unit, int64_t col) const {
    const int64_t matrix = unit / UnitsOfMatrix();
    const int64_t block =
        matrix * m_.padded_cols * m_.out_pitch + unit % UnitsOfMatrix() + col * m_.out_pitch;
    return out_ + static_cast<uint64_t>(block * kDataBlockBytes);
  }

  // Instructions of `repeats` that begin at unit `unit` (two of 32 bits) and data block `block`.
  __aicore__ inline void TurnAll(int64_t unit, int64_t block, int64_t repeats, int64_t src_step,
                                 int64_t dst_step) {
    constexpr auto kRows = static_cast<int64_t>(AscendC::NCHW_CONV_ADDR_LIST_SIZE);
    const int64_t first_row = unit * kUnit;
    const int64_t first_col = block * kOfBlock;
    for (int64_t half = 0; half < RepeatsAtOnce(kBytes); ++half) {
      const bool src_high = half % 2 == 1;  // of 32 columns, and of 32 rows
      const bool dst_high = half / 2 == 1;
      TurnedUnit turned;
      turned.repeats = repeats;
      turned.src_step = src_step;
      turned.dst_step = dst_step;
      for (int64_t i = 0; i < kRows; ++i) {
        turned.src[i] = In(first_row + i + (dst_high ? kRows : 0), block);
        if constexpr (kBytes == 4) {
          turned.dst[i] = Out(unit + i % 2, first_col + i / 2);
        } else {
          turned.dst[i] = Out(unit, first_col + i + (src_high ? kRows : 0));
        }
      }
      if constexpr (kBytes == 1) {
        turned.template Issue<uint8_t>(dst_high, src_high);
      } else if constexpr (kBytes == 2) {
        turned.template Issue<uint16_t>();
      } else {
        turned.template Issue<uint32_t>();
      }
    }
  }

  // 32 rows of 64-bit elements as 32-bit halves. A transpose exchanges the 8 words of a data block with 8
  // rows: the first takes every fourth row, so that the second can put the halves of four neighbouring rows
  // together. Between them, word w of column block c of rows q, q + 4, ... lies in data block (c * 8 + w) * 4
  // + q.
  __aicore__ inline void TurnWideUnit(int64_t unit) {
    const auto between = [&](int64_t word, int64_t rows) {
      return between_ + static_cast<uint64_t>((word * 4 + rows) * kDataBlockBytes);
    };
    for (int64_t q = 0; q < 4; q += 2) {
      TurnedUnit turned;
      turned.repeats = ColBlocks();
      turned.src_step = 1;
      turned.dst_step = 32;
      for (int64_t i = 0; i < 16; ++i) {
        turned.src[i] = In(unit * kUnit + i % 8 * 4 + q + i / 8, 0);
        turned.dst[i] = between(i / 2, q + i % 2);
      }
      turned.template Issue<uint32_t>();
    }
    for (int64_t col = 0; col < 4; col += 2) {
      TurnedUnit turned;
      turned.repeats = ColBlocks();
      turned.src_step = 32;
      turned.dst_step = 4 * m_.out_pitch;
      for (int64_t i = 0; i < 16; ++i) {
        const int64_t word = (col + i / 8) * 2 + i % 2;
        turned.src[i] = between(word, i % 8 / 2);
        turned.dst[i] = WideOut(unit, col + i % 2) + static_cast<uint64_t>(i / 2 * kDataBlockBytes);
      }
      turned.template Issue<uint32_t>();
    }
  }
  // A unit of 32 rows becomes 8 data blocks of each column's row.
  __aicore__ inline uint64_t WideOut(int64_t unit, int64_t col) const {
    const int64_t matrix = unit / UnitsOfMatrix();
    const int64_t block =
        matrix * m_.padded_cols * m_.out_pitch + unit % UnitsOfMatrix() * 8 + col * m_.out_pitch;
    return out_ + static_cast<uint64_t>(block * kDataBlockBytes);
  }

  uint64_t in_;
  uint64_t out_;
  uint64_t between_;
  TurnedMatrices m_;
};

}  // namespace tilesim

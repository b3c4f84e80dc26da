// Tiles of a rearrangement as geometry: which steps of each digit are a tile's, and which moves bring them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tiling/rearrange/rearrange_tiling.h"

namespace tilesim {

// `count` pieces, each some elements of GM and some data blocks of UB from the one before.
struct MoveLoop {
  int64_t count = 1;
  int64_t gm_stride = 0;
  int64_t ub_stride = 0;
};

// A box of pieces of `run` neighbouring elements.
struct BoxOfRuns {
  int64_t gm_offset = 0;
  int64_t ub_offset = 0;  // data blocks
  int64_t lead = 0;       // elements of the first data block before the run; they become padding
  int64_t run = 0;
  std::array<MoveLoop, kMostDigits> loops{};
  size_t num_loops = 0;

  void Add(const MoveLoop& loop) {
    if (loop.count != 1) {
      loops[num_loops++] = loop;
    }
  }
  [[nodiscard]] bool Empty() const {
    return run == 0 || std::any_of(loops.begin(), loops.begin() + static_cast<ptrdiff_t>(num_loops),
                                   [](const MoveLoop& loop) { return loop.count == 0; });
  }
  // Runs that lie one behind the other in GM and in UB become longer ones.
  void Join(int64_t elements_of_block) {
    for (size_t i = 0; i < num_loops;) {
      const MoveLoop loop = loops[i];
      if (lead == 0 && loop.gm_stride == run && loop.ub_stride * elements_of_block == run) {
        run *= loop.count;
        std::copy(loops.begin() + static_cast<ptrdiff_t>(i) + 1,
                  loops.begin() + static_cast<ptrdiff_t>(num_loops),
                  loops.begin() + static_cast<ptrdiff_t>(i));
        --num_loops;
        i = 0;
      } else {
        ++i;
      }
    }
  }
  [[nodiscard]] int64_t pieces() const {
    int64_t pieces = 1;
    for (size_t i = 0; i < num_loops; ++i) {
      pieces *= loops[i].count;
    }
    return pieces;
  }
};

// Digits in the order in which they follow each other with growing strides from 1, as far as they do: the
// chain of the source, or of the destination.
struct DigitChain {
  std::array<int, kMostDigits> digits{};
  size_t count = 0;

  [[nodiscard]] bool Holds(int digit, size_t first) const {
    return std::find(digits.begin(), digits.begin() + static_cast<ptrdiff_t>(first), digit) !=
           digits.begin() + static_cast<ptrdiff_t>(first);
  }
};
inline DigitChain ChainOf(const RearrangeShape& shape, int64_t RearrangeDigit::*stride) {
  DigitChain chain;
  int64_t next = 1;
  for (bool found = true; found;) {
    found = false;
    for (int i = static_cast<int>(shape.num_digits); i-- > 0 && !found;) {  // of equal strides the inner one
      const RearrangeDigit& digit = shape.at(i);
      if (digit.*stride == next && !chain.Holds(i, chain.count)) {
        chain.digits[chain.count++] = i;
        next *= digit.extent;
        found = true;
      }
    }
  }
  return chain;
}

// The digits of a tiling by what they are in a tile's matrix, and the matrix in UB.
struct RearrangeMatrix {
  DigitChain cols;
  DigitChain rows;
  std::array<bool, kMostDigits> is_batch{};
  int64_t batch = 1;  // matrices of a tile
  int64_t num_rows = 1;
  int64_t num_cols = 1;
  int64_t padded_rows = 1;  // as UB holds them
  int64_t padded_cols = 1;
  bool turns = false;

  // Data blocks of one buffer.
  [[nodiscard]] int64_t InBlocks(const RearrangeTilingData& data, int64_t element_bytes) const {
    const int64_t rows_held = batch * padded_rows;
    return (turns && element_bytes == 4 ? AlignUp(rows_held, int64_t{16}) : rows_held) *
           static_cast<int64_t>(data.inPitch);
  }
  [[nodiscard]] int64_t OutBlocks(const RearrangeTilingData& data, int64_t element_bytes) const {
    const int64_t even = element_bytes == 4 && padded_rows % 16 != 0 ? batch % 2 : 0;  // units turn in pairs
    return turns ? (batch + even) * padded_cols * static_cast<int64_t>(data.outPitch) : 0;
  }
  // Of 64-bit elements between their two transposes: a unit of rows.
  [[nodiscard]] int64_t BetweenBlocks(int64_t element_bytes) const {
    return turns && element_bytes == 8 ? padded_cols / ElementsOfBlock(8) * 32 : 0;
  }
};
RearrangeMatrix MatrixOf(const RearrangeShape& shape, const RearrangeTilingData& data);

// Bytes of UB that a tile program takes.
int64_t UbBytesOf(const RearrangeShape& shape, const RearrangeTilingData& data);

// The tiles of all digits.
int64_t TilesOf(const RearrangeShape& shape, const RearrangeTilingData& data);

// One tile: where it begins in each digit and how many steps it has, padding included.
struct RearrangeTile {
  std::array<int64_t, kMostDigits> begin{};
  std::array<int64_t, kMostDigits> count{};
};
RearrangeTile TileAt(const RearrangeShape& shape, const RearrangeTilingData& data, int64_t index);

// The moves of a tile: those without padding to or from the plain side, whole ones to or from the blocked
// one. Transposes have no padding: all is whole.
class TileMoves {
 public:
  TileMoves(const RearrangeShape& shape, const RearrangeTilingData& data)
      : shape_(shape), data_(data), matrix_(MatrixOf(shape, data)) {}

  [[nodiscard]] const RearrangeMatrix& matrix() const { return matrix_; }
  // May tiles hold padding that their loads do not bring?
  [[nodiscard]] bool PadsOnLoad() const { return shape_.src_is_plain && shape_.has_padding(); }
  // Is some of what the tile stores padding, which its loads do not bring?
  [[nodiscard]] bool IsPadded(const RearrangeTile& tile) const;

  // visit(box) for boxes that together bring the tile to UB, or from UB.
  template <class Visit>
  void ForEachLoad(const RearrangeTile& tile, Visit&& visit) const {
    ForEachBox(tile, true, PadsOnLoad(), visit);
  }
  template <class Visit>
  void ForEachStore(const RearrangeTile& tile, Visit&& visit) const {
    ForEachBox(tile, false, !shape_.src_is_plain && shape_.has_padding(), visit);
  }

 private:
  // A part of a tile that is free of padding: steps of the two channel digits and of the long one.
  struct Part {
    int64_t outer_begin = 0;
    int64_t outer_count = 0;
    int64_t inner_begin = 0;
    int64_t inner_count = 0;
    int64_t joined = 0;  // channels that make one run of several inner ones; 0: not joined
  };

  template <class Visit>
  void ForEachBox(const RearrangeTile& tile, bool load, bool clip, Visit&& visit) const {
    if (!clip || shape_.outer_channel == kNoDigit) {
      return Give(BoxOf(tile, load, clip, nullptr), visit);
    }
    std::array<Part, 3> parts;
    const size_t count = PartsOf(tile, load, parts);
    for (size_t i = 0; i < count; ++i) {
      Give(BoxOf(tile, load, clip, &parts[i]), visit);
    }
  }
  template <class Visit>
  static void Give(const BoxOfRuns& box, Visit&& visit) {
    if (!box.Empty()) {
      visit(box);
    }
  }
  size_t PartsOf(const RearrangeTile& tile, bool load, std::array<Part, 3>& parts) const;
  [[nodiscard]] int64_t MemberOf(const RearrangeTile& tile) const;
  [[nodiscard]] bool IsGroup(const RearrangeTile& tile) const;
  [[nodiscard]] BoxOfRuns BoxOf(const RearrangeTile& tile, bool load, bool clip, const Part* part) const;
  // Data blocks from one step of a digit to the next in UB, as loaded or as stored; of digits within a run,
  // elements.
  [[nodiscard]] int64_t UbStride(int digit, bool load, bool* in_run) const;

  const RearrangeShape& shape_;
  const RearrangeTilingData& data_;
  RearrangeMatrix matrix_;
};

}  // namespace tilesim

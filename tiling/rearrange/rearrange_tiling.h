// What transpose and trans_data have in common, elements of one tensor in GM that go to other places in
// another, and all that a run of them needs to know about tiling.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "formats/units.h"

namespace tilesim {

// One loop over the elements: `extent` steps of src_stride and dst_stride elements.
struct RearrangeDigit {
  int64_t extent = 1;
  int64_t src_stride = 0;
  int64_t dst_stride = 0;
};

inline constexpr size_t kMostDigits = 8;
inline constexpr int kNoDigit = -1;

// Elements at sum(i * src_stride) go to sum(i * dst_stride), for each i below its digit's extent. A blocked
// format holds padding that a plain one has not: channels are two digits, outer and inner (C0), of which
// `window` channels are real; `long_digit` (output channels of a filter) may be longer than `long_window`.
// Groups of a filter that share a block are members: member m of a block has its channels from m * window on,
// and counts as no group from `groups` on. Where the source is plain, padding becomes 0; where the
// destination is, padding is left out.
struct RearrangeShape {
  int64_t element_bytes = 2;
  size_t num_digits = 0;
  std::array<RearrangeDigit, kMostDigits> digits{};  // in the order of the source, outermost first
  bool src_is_plain = true;

  int outer_channel = kNoDigit;
  int inner_channel = kNoDigit;
  int64_t window = 0;
  int long_digit = kNoDigit;
  int64_t long_window = 0;
  int64_t long_stored = 0;  // of all members of a block together, padding included
  int block = kNoDigit;     // blocks of members
  int member = kNoDigit;
  int64_t groups = 1;

  [[nodiscard]] const RearrangeDigit& at(int digit) const { return digits[static_cast<size_t>(digit)]; }
  [[nodiscard]] bool has_padding() const { return outer_channel != kNoDigit || long_digit != kNoDigit; }

  void Add(const RearrangeDigit& digit) { digits[num_digits++] = digit; }
};

// A tile is a box of the shape's digits. Our own names: the vendor publishes none.
struct RearrangeTilingData {
  std::array<uint64_t, kMostDigits> extent{};  // repeats the problem; 1 beyond its digits
  std::array<uint64_t, kMostDigits> tile{};    // steps of each digit in a tile
  uint64_t colDigits = 0;  // the innermost so many of the source: a row of the tile's matrix as it is loaded
  uint64_t rowDigits = 0;  // the innermost so many of the destination: as it is stored; 0: nothing is turned
  uint64_t inPitch = 0;    // data blocks of UB from row to row as loaded
  uint64_t outPitch = 0;   // as stored
  uint64_t bufferNum = 0;  // 1, or 2 to load beside storing
};

// Steps of digit `digit` in a tile.
inline int64_t TileStep(const RearrangeTilingData& data, int digit) {
  return static_cast<int64_t>(data.tile[static_cast<size_t>(digit)]);
}

enum class RearrangeStrategy : uint8_t {
  kRuns,        // both sides have the same innermost digits: moves alone do it
  kTransposes,  // the vector unit turns tiles in UB
};
constexpr std::string_view Name(RearrangeStrategy strategy) {
  return strategy == RearrangeStrategy::kRuns ? "runs" : "transposes";
}

struct RearrangeSplit {
  RearrangeStrategy strategy = RearrangeStrategy::kRuns;
  int64_t used_cores = 1;
};

struct RearrangeTiling {
  RearrangeTilingData data;
  RearrangeSplit split;
};

// What TransDataTo5HD turns at a time: rows x one data block, by the bytes of an element. 32-bit types take
// two such units side by side. 64-bit elements go through two transposes of their halves.
constexpr int64_t RowUnit(int64_t element_bytes) {
  return element_bytes == 1 ? 32 : element_bytes == 2 ? 16 : element_bytes == 4 ? 8 : 32;
}
constexpr int64_t UnitsAtOnce(int64_t element_bytes) { return element_bytes == 4 ? 2 : 1; }
// Repeats of TransDataTo5HD for as many units as go at once: of bytes, four quarters; of 64-bit elements, two
// in each pass.
constexpr int64_t RepeatsAtOnce(int64_t element_bytes) {
  return element_bytes == 1 || element_bytes == 8 ? 4 : 1;
}
constexpr int64_t ElementsOfBlock(int64_t element_bytes) { return kDataBlockBytes / element_bytes; }

}  // namespace tilesim

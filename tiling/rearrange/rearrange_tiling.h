// All that a run of transpose or trans_data needs to know about tiling.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "formats/units.h"
#include "tiling/rearrange/rearrange_shape.h"

namespace tilesim {

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

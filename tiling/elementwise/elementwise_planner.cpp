#include "tiling/elementwise/elementwise_planner.h"

#include <algorithm>
#include <array>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr int64_t kMostMoveRows = 4095;        // blockCount of DataCopyPad
constexpr int64_t kMostMoveBytes = 2097151;    // blockLen of DataCopyPad
constexpr int64_t kMostGapBytes = UINT32_MAX;  // srcStride of DataCopyPad
constexpr int64_t kBankGroupBytes = 16 * 32;   // after so many bytes of UB the bank groups come again

int64_t ElementBytes(const ElementwiseShape& shape) { return static_cast<int64_t>(SizeOf(shape.dtype)); }

// Of a queue's buffer: sums read both inputs in one repeat, 8 data blocks of each, which want to be half the
// groups apart. Between them lies one buffer, or two.
int64_t BufferBytes(const ElementwiseShape& shape, int64_t tile_bytes, int64_t buffers) {
  const int64_t whole = AlignUp(tile_bytes, kBankGroupBytes);
  return shape.kind == ElementwiseKind::kAdd ? whole + kBankGroupBytes / 2 / buffers : whole;
}

}  // namespace

Rejections WhyNot(const ElementwiseTiling& tiling, const ElementwiseShape& shape, int64_t ub_bytes,
                  int64_t cores) {
  const ElementwiseTilingData& d = tiling.data;
  const auto whole = [](uint64_t number) { return static_cast<int64_t>(number); };
  Rejections reasons;
  const std::array<ValueRange, 7> ranges = {{
      {"rows of the tensor", "data.rows", whole(d.rows), 1, shape.elements},
      {"columns of the tensor", "data.columns", whole(d.columns), 1, shape.elements},
      {"rows of a tile, the blocks of one move", "data.tileRows", whole(d.tileRows), 1,
       std::clamp<int64_t>(whole(d.rows), 1, kMostMoveRows)},
      {"columns of a tile", "data.tileColumns", whole(d.tileColumns), 1,
       std::max<int64_t>(whole(d.columns), 1)},
      {"buffers of a queue", "data.bufferNum", whole(d.bufferNum), 1, 2},
      {"the cache hint", "data.l2Bypass", whole(d.l2Bypass), 0, 1},
      {"cores", "split.usedCoreNum", tiling.split.used_cores, 1, cores},
  }};
  CheckRanges(ranges, reasons);
  if (!reasons.empty()) {
    return reasons;
  }
  if (whole(d.rows) > shape.elements / whole(d.columns) ||
      whole(d.rows) * whole(d.columns) != shape.elements) {
    reasons.push_back({"rows times columns are the elements of the tensor", "data.columns", whole(d.columns),
                       shape.elements / whole(d.rows),
                       Say("with data.rows 1, data.columns ", shape.elements, " fits"), LimitKind::kExact});
    return reasons;
  }
  const int64_t row_bytes = whole(d.tileColumns) * ElementBytes(shape);
  if (row_bytes > kMostMoveBytes) {
    reasons.push_back({"bytes of a tile's row, one block of a move", "data.tileColumns", row_bytes,
                       kMostMoveBytes,
                       Say("data.tileColumns ", kMostMoveBytes / ElementBytes(shape), " fits")});
    return reasons;
  }
  const int64_t gap_bytes = (whole(d.columns) - whole(d.tileColumns)) * ElementBytes(shape);
  if (whole(d.tileRows) > 1 && gap_bytes > kMostGapBytes) {
    reasons.push_back({"bytes between the rows of a tile, the gap of one move", "data.tileRows", gap_bytes,
                       kMostGapBytes, "data.tileRows 1 fits"});
    return reasons;
  }
  const int64_t tile_bytes = TileBytes(d, ElementBytes(shape));
  if (shape.kind != ElementwiseKind::kMemSet && whole(d.bufferBytes) < tile_bytes) {
    reasons.push_back({"bytes of a tile, which one buffer holds", "data.bufferBytes", whole(d.bufferBytes),
                       tile_bytes, Say("data.bufferBytes ", tile_bytes, " fits")});
    return reasons;
  }
  const int64_t bytes = whole(d.bufferBytes) > ub_bytes ? whole(d.bufferBytes) : UbBytesOf(shape, d);
  if (bytes > ub_bytes) {
    reasons.push_back({"bytes of UB", "UB", bytes, ub_bytes, "smaller tiles fit"});
  }
  return reasons;
}

std::vector<std::string> Explained(const ElementwiseTiling& tiling, const ElementwiseShape& shape,
                                   int64_t ub_bytes) {
  const ElementwiseTilingData& d = tiling.data;
  const int64_t tiles = GridOf(d).tiles();
  const int64_t cores = tiling.split.used_cores;
  return {Say(tiles, tiles == 1 ? " tile of " : " tiles of ", d.tileRows, " x ", d.tileColumns,
              " elements of ", Name(shape.dtype), " on ", cores, cores == 1 ? " core" : " cores",
              ", at most ", CeilDiv(tiles, cores), " a core"),
          Say("UB: ", UbBytesOf(shape, d), " of ", ub_bytes, " B",
              shape.kind == ElementwiseKind::kMemSet
                  ? ", filled once"
                  : Say(": ", QueuesOf(shape.kind), QueuesOf(shape.kind) == 1 ? " queue of " : " queues of ",
                        d.bufferNum, " x ", d.bufferBytes, " B"))};
}

ElementwiseTiling PlanElementwiseTiles(const ElementwiseShape& shape, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kBuffers = 2;
  constexpr int64_t kOverlapTiles = 4;          // of a core, where tiles stay long enough
  constexpr int64_t kLongMoveBytes = 8 * 1024;  // timing 2.3: shorter moves pay more for their latency
  const int64_t bytes = ElementBytes(shape);
  const int64_t unit = kBankGroupBytes / bytes;  // so that only the last tile is not whole
  const auto tiling_of = [&](int64_t tile) {
    ElementwiseTiling tiling;
    tiling.data = {.rows = 1,
                   .columns = static_cast<uint64_t>(shape.elements),
                   .tileRows = 1,
                   .tileColumns = static_cast<uint64_t>(std::min(tile, shape.elements)),
                   .bufferNum = kBuffers,
                   .bufferBytes = 0,
                   .l2Bypass = 0};
    tiling.data.bufferBytes =
        static_cast<uint64_t>(BufferBytes(shape, TileBytes(tiling.data, bytes), kBuffers));
    tiling.split.used_cores = std::clamp<int64_t>(GridOf(tiling.data).tiles(), 1, cores);
    return tiling;
  };
  int64_t most = soc.ub_bytes / bytes / unit * unit;
  while (most > unit && UbBytesOf(shape, tiling_of(most).data) > soc.ub_bytes) {
    most -= unit;
  }
  const int64_t per_core = CeilDiv(shape.elements, cores);
  const int64_t overlapping =
      std::min(kOverlapTiles, std::max<int64_t>(per_core * bytes / kLongMoveBytes, 1));
  const int64_t tiles = std::max(CeilDiv(per_core, most), overlapping);
  return tiling_of(std::clamp(AlignUp(CeilDiv(per_core, tiles), unit), unit, most));
}

}  // namespace tilesim

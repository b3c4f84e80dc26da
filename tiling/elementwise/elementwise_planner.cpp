#include "tiling/elementwise/elementwise_planner.h"

#include <algorithm>
#include <array>

#include "formats/error.h"
#include "sim/isa/cost.h"

namespace tilesim {
namespace {

constexpr int64_t kMostMoveRows = 4095;        // blockCount of DataCopyPad
constexpr int64_t kMostMoveBytes = 2097151;    // blockLen of DataCopyPad
constexpr int64_t kMostGapBytes = UINT32_MAX;  // srcStride of DataCopyPad
constexpr int64_t kRepeatBytes = 256;
constexpr int64_t kCyclesPerRepeat = 2;       // two inputs and a result
constexpr int64_t kBankGroupBytes = 16 * 32;  // after so many bytes of UB the bank groups come again

int64_t ElementBytes(const ElementwiseShape& shape) { return static_cast<int64_t>(SizeOf(shape.dtype)); }

// Of a queue's buffer: sums read both inputs in one repeat, 8 data blocks of each, which want to be half the
// groups apart. Between them lies one buffer, or two.
int64_t BufferBytes(const ElementwiseShape& shape, int64_t tile_bytes, int64_t buffers) {
  const int64_t whole = AlignUp(tile_bytes, kBankGroupBytes);
  return shape.kind == ElementwiseKind::kAdd ? whole + kBankGroupBytes / 2 / buffers : whole;
}

ElementwiseTiling TilingOf(const ElementwiseShape& shape, int64_t tile, int64_t cores) {
  constexpr int64_t kBuffers = 2;
  ElementwiseTiling tiling;
  tiling.data = {.rows = 1,
                 .columns = static_cast<uint64_t>(shape.elements),
                 .tileRows = 1,
                 .tileColumns = static_cast<uint64_t>(std::min(tile, shape.elements)),
                 .bufferNum = kBuffers,
                 .bufferBytes = 0,
                 .l2Bypass = 0};
  tiling.data.bufferBytes =
      static_cast<uint64_t>(BufferBytes(shape, TileBytes(tiling.data, ElementBytes(shape)), kBuffers));
  tiling.split.used_cores = std::clamp<int64_t>(GridOf(tiling.data).tiles(), 1, cores);
  return tiling;
}

// Of the busiest core. A tile takes its turn on each pipe, and its buffers are free for the next but one only
// when it is through them: small tiles wait for latencies, large ones for the first load and the last store.
double EstimatedCycles(const ElementwiseShape& shape, const ElementwiseTiling& tiling, const SocConfig& soc) {
  const int64_t tiles = GridOf(tiling.data).tiles();
  const int64_t bytes = TileBytes(tiling.data, ElementBytes(shape));
  const GmMove move = {.bytes = {.hit = 0, .miss = bytes}, .bursts = 1, .cores = tiling.split.used_cores};
  const Cost read = isa::GmReadCost(soc, Memory::kUb, move);
  const Cost write = isa::GmWriteCost(soc, move);
  const int64_t inputs = shape.kind == ElementwiseKind::kAdd    ? 2
                         : shape.kind == ElementwiseKind::kCopy ? 1
                                                                : 0;
  const auto load = static_cast<double>(inputs * read.busy_cycles);
  const double loaded = load + static_cast<double>(inputs > 0 ? read.latency_cycles : 0);
  const auto store = static_cast<double>(write.busy_cycles);
  const double stored = store + static_cast<double>(write.latency_cycles);
  const int64_t vector_steps = shape.kind == ElementwiseKind::kAdd ? shape.dtype == DType::kBf16 ? 4 : 1 : 0;
  const auto vector = static_cast<double>(
      vector_steps * (bytes / kRepeatBytes * kCyclesPerRepeat + soc.vector_latency_cycles));
  const double rest = static_cast<double>(CeilDiv(tiles, tiling.split.used_cores)) - 1;
  switch (shape.kind) {
    case ElementwiseKind::kMemSet:  // one buffer, filled before the first store
      return static_cast<double>(bytes / kRepeatBytes) + rest * store + stored;
    case ElementwiseKind::kCopy:  // a buffer is loaded and stored
      return rest * std::max({load, store, (loaded + stored) / 2}) + loaded + stored;
    case ElementwiseKind::kAdd:
      break;
  }
  const double of_tile = std::max({load, store, vector, (loaded + vector) / 2, (vector + stored) / 2});
  return rest * of_tile + loaded + vector + stored;
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
  constexpr int64_t kMostParts = 16;
  const int64_t unit = kBankGroupBytes / ElementBytes(shape);  // so that only the last tile is not whole
  const int64_t per_core = CeilDiv(shape.elements, cores);
  int64_t most = soc.ub_bytes / ElementBytes(shape) / unit * unit;
  while (most > unit && UbBytesOf(shape, TilingOf(shape, most, cores).data) > soc.ub_bytes) {
    most -= unit;
  }
  ElementwiseTiling best = TilingOf(shape, unit, cores);
  double least = EstimatedCycles(shape, best, soc);
  const auto try_tile = [&](int64_t elements) {
    const ElementwiseTiling tiling = TilingOf(shape, std::clamp(AlignUp(elements, unit), unit, most), cores);
    if (const double cycles = EstimatedCycles(shape, tiling, soc); cycles < least) {
      least = cycles;
      best = tiling;
    }
  };
  for (int64_t parts = 1; parts <= kMostParts; ++parts) {
    try_tile(CeilDiv(per_core, parts));
  }
  for (int64_t size = unit; size < most; size *= 2) {
    try_tile(size);
    try_tile(size / 2 * 3);
  }
  try_tile(most);
  return best;
}

}  // namespace tilesim

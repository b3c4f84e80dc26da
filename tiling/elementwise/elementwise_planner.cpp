#include "tiling/elementwise/elementwise_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/isa/cost.h"
#include "sim/isa/vector_cost.h"
#include "tiling/cost_model.h"

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

// Of a vector instruction on a tile of the inputs `srcs`, which lie so many bytes into UB.
double VectorCycles(int64_t bytes, std::span<const int64_t> srcs, const SocConfig& soc) {
  constexpr int64_t kBlocks = isa::kRepeatBytes / kDataBlockBytes;
  std::array<isa::VectorOperand, 2> operands;
  for (size_t i = 0; i < srcs.size(); ++i) {
    operands[i] = {.at = {.memory = Memory::kUb, .begin = static_cast<uint64_t>(srcs[i])},
                   .element_bits = 16,
                   .repeat_stride = kBlocks};
  }
  constexpr int64_t kLanes = isa::kRepeatBytes / 2;
  const isa::VectorWork work =
      isa::WorkOfMask(isa::LaneMask::First(kLanes), kLanes, CeilDiv(bytes, isa::kRepeatBytes));
  return static_cast<double>(
      std::max(soc.vector_startup_cycles,
               isa::BankCycles(work, std::span<const isa::VectorOperand>(operands.data(), srcs.size()))));
}

// Of a tile's additions: bf16 is widened, added and narrowed again.
double AdditionCycles(const ElementwiseShape& shape, const ElementwiseTilingData& data,
                      const SocConfig& soc) {
  const int64_t bytes = TileBytes(data, ElementBytes(shape));
  const auto latency = static_cast<double>(soc.vector_latency_cycles);
  if (shape.dtype == DType::kBf16) {
    const std::array<int64_t, 2> wide = {0, TileBytes(data, int64_t{2}) * 2};
    return 3 * (VectorCycles(2 * bytes, std::span(wide).first(1), soc) + latency) +
           VectorCycles(2 * bytes, wide, soc) + latency;
  }
  const std::array<int64_t, 2> srcs = {0, static_cast<int64_t>(data.bufferNum * data.bufferBytes)};
  return VectorCycles(bytes, srcs, soc) + latency;
}

// Of the busiest core. A tile takes its turn on each pipe, and its buffers are free for the next but one only
// when it is through them: small tiles wait for latencies, large ones for the first load and the last store.
double EstimatedCycles(const ElementwiseShape& shape, const ElementwiseTiling& tiling, const SocConfig& soc) {
  const int64_t tiles = GridOf(tiling.data).tiles();
  const int64_t bytes = TileBytes(tiling.data, ElementBytes(shape));
  const int64_t cores = tiling.split.used_cores;
  const GmBytes to_l2 = soc.l2_write_allocate != 0 ? GmBytes{.hit = bytes} : GmBytes{.miss = bytes};
  const Cost read =
      isa::GmReadCost(soc, Memory::kUb, {.bytes = {.miss = bytes}, .bursts = 1, .cores = cores});
  const Cost write = isa::GmWriteCost(soc, {.bytes = to_l2, .bursts = 1, .cores = cores});
  const int64_t inputs = shape.kind == ElementwiseKind::kAdd    ? 2
                         : shape.kind == ElementwiseKind::kCopy ? 1
                                                                : 0;
  const auto load = static_cast<double>(inputs * read.busy_cycles);
  const double loaded = load + static_cast<double>(inputs > 0 ? read.latency_cycles : 0);
  const auto store = static_cast<double>(write.busy_cycles);
  const double stored = store + static_cast<double>(write.latency_cycles);
  const double vector = shape.kind == ElementwiseKind::kAdd ? AdditionCycles(shape, tiling.data, soc) : 0;
  const double rest = static_cast<double>(CeilDiv(tiles, tiling.split.used_cores)) - 1;
  switch (shape.kind) {
    case ElementwiseKind::kMemSet:  // one buffer, filled before the first store
      return VectorCycles(bytes, {}, soc) + static_cast<double>(soc.vector_latency_cycles) + rest * store +
             stored;
    case ElementwiseKind::kCopy:  // a buffer is loaded and stored
      return rest * std::max({load, store, (loaded + stored) / 2}) + loaded + stored;
    case ElementwiseKind::kAdd:
      break;
  }
  const double of_tile = std::max({load, store, vector, (loaded + vector) / 2, (vector + stored) / 2});
  return rest * of_tile + loaded + vector + stored;
}

constexpr auto kElementwiseFields = FieldsOf<ElementwiseTilingData, uint64_t>(
    "data", "rows columns tileRows tileColumns bufferNum bufferBytes l2Bypass");

constexpr std::string_view kElementwiseStrategies[] = {Name(ElementwiseStrategy::kTilesByCore)};

constexpr std::array kElementwiseSplitFields = {
    SplitWord("strategy", TILESIM_MEMBER(ElementwiseSplit, strategy), kElementwiseStrategies),
    SplitNumber("usedCoreNum", TILESIM_MEMBER(ElementwiseSplit, used_cores)),
};

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
  return {
      Say(Counted(tiles, "tile"), " of ", d.tileRows, " x ", d.tileColumns, " elements of ",
          Name(shape.dtype), " on ", Counted(cores, "core"), ", at most ", CeilDiv(tiles, cores), " a core"),
      Say("UB: ", UbBytesOf(shape, d), " of ", ub_bytes, " B",
          shape.kind == ElementwiseKind::kMemSet ? ", filled once"
                                                 : Say(": ", Counted(QueuesOf(shape.kind), "queue"), " of ",
                                                       d.bufferNum, " x ", d.bufferBytes, " B"))};
}

ElementwiseTiling PlanElementwiseTiles(const ElementwiseShape& shape, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kMostParts = 16;
  const int64_t unit = kBankGroupBytes / ElementBytes(shape);  // so that only the last tile is not whole
  int64_t most = soc.ub_bytes / ElementBytes(shape) / unit * unit;
  while (most > unit && UbBytesOf(shape, TilingOf(shape, most, cores).data) > soc.ub_bytes) {
    most -= unit;
  }
  ElementwiseTiling best;
  double least_us = INFINITY;
  const auto try_tile = [&](int64_t elements, int64_t count) {
    const ElementwiseTiling tiling = TilingOf(shape, std::clamp(AlignUp(elements, unit), unit, most), count);
    const double us = TimeWithLaunchUs(EstimatedCycles(shape, tiling, soc), tiling.split.used_cores, soc);
    if (us < least_us) {
      least_us = us;
      best = tiling;
    }
  };
  for (const int64_t count : CoreCountsUpTo(cores)) {
    const int64_t per_core = CeilDiv(shape.elements, count);
    for (int64_t parts = 1; parts <= kMostParts; ++parts) {
      try_tile(CeilDiv(per_core, parts), count);
    }
    for (int64_t size = unit; size < most; size *= 2) {
      try_tile(size, count);
      try_tile(size / 2 * 3, count);
    }
    try_tile(most, count);
  }
  return best;
}

template <>
std::span<const TilingField> FieldsIn<ElementwiseTilingData>() {
  return kElementwiseFields;
}

template <>
std::span<const TilingField> FieldsIn<ElementwiseSplit>() {
  return kElementwiseSplitFields;
}

}  // namespace tilesim

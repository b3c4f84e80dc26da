#include "ops/validation/reading_kernels.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/units.h"
#include "sim/isa/data_move.h"
#include "sim/isa/ub_move.h"

namespace tilesim {
namespace {

constexpr uint64_t kAddress = uint64_t{1} << 40;
constexpr int64_t kElementBytes = 2;
constexpr std::string_view kOp = "read_only";
constexpr std::string_view kColumns[] = {"op", "matrix", "tile", "to", "parts", "passes", "order"};

// One tile at (row, column).
class TileRead {
 public:
  TileRead(const ReadKernel& kernel, Core& core) : kernel_(kernel), core_(core) {}

  void At(int64_t row, int64_t column, int64_t end_column) {
    const int64_t rows = std::min(kernel_.tile_rows, kernel_.rows - row);
    const int64_t columns = std::min(kernel_.tile_columns, end_column - column);
    const isa::Operand src{
        .memory = Memory::kGm,
        .begin = kAddress + static_cast<uint64_t>((row * kernel_.columns + column) * kElementBytes)};
    if (kernel_.to_l1) {
      core_.Issue(isa::CopyNd2Nz{.dst = {.memory = Memory::kL1},
                                 .src = src,
                                 .element_bytes = kElementBytes,
                                 .rows = rows,
                                 .columns = columns,
                                 .src_row_stride = kernel_.columns,
                                 .dst_strip_stride_blocks = rows,
                                 .dst_row_stride_blocks = 1},
                  SourceLine::Here());
    } else {
      core_.Issue(isa::CopyPadFromGm{.dst = {.memory = Memory::kUb},
                                     .src = src,
                                     .element_bytes = kElementBytes,
                                     .count = rows,
                                     .block_bytes = columns * kElementBytes,
                                     .src_gap_bytes = (kernel_.columns - columns) * kElementBytes},
                  SourceLine::Here());
    }
  }

 private:
  const ReadKernel& kernel_;
  Core& core_;
};

// All tiles of rows [begin, end) and one part of the columns, from tile `first` on and around.
void ReadPart(const ReadKernel& kernel, TileRead& tile, int64_t begin, int64_t end, int64_t part,
              int64_t first) {
  const int64_t width = CeilDiv(kernel.columns, kernel.parts);
  const int64_t column = part * width;
  const int64_t end_column = std::min(kernel.columns, column + width);
  const int64_t across = CeilDiv(end_column - column, kernel.tile_columns);
  const int64_t tiles = CeilDiv(end - begin, kernel.tile_rows) * across;
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t at = (first + i) % tiles;
    tile.At(begin + at / across * kernel.tile_rows, column + at % across * kernel.tile_columns, end_column);
  }
}

void ReadOnOneCore(const ReadKernel& kernel, Core& core, int64_t cores) {
  const int64_t index = core.identity().block;
  TileRead tile(kernel, core);
  const bool own = kernel.order == ReadOrder::kOwn;
  const int64_t rows = own ? AlignUp(CeilDiv(kernel.rows, cores), kernel.tile_rows) : kernel.rows;
  const int64_t begin = own ? std::min(kernel.rows, index * rows) : 0;
  const int64_t end = std::min(kernel.rows, begin + rows);
  const int64_t tiles = CeilDiv(kernel.rows, kernel.tile_rows) *
                        CeilDiv(CeilDiv(kernel.columns, kernel.parts), kernel.tile_columns);
  const int64_t first = kernel.order == ReadOrder::kStaggered ? tiles * index / cores : 0;
  for (int64_t part = 0; part < kernel.parts; ++part) {
    for (int64_t pass = 0; pass < kernel.passes; ++pass) {
      ReadPart(kernel, tile, begin, end, part, first);
    }
  }
}

}  // namespace

namespace {

// As the instructions that read a tile take it, and the part holds it.
void RequireSizes(const ReadKernel& kernel, const SocConfig& soc) {
  // DataCopy with ND to NZ: nValue, dValue and srcDValue; DataCopyPad: blockCount
  const int64_t most_rows = kernel.to_l1 ? 16384 : 4095;
  const int64_t most_columns = kernel.to_l1 ? 65535 : INT32_MAX;
  RequireUser(kernel.rows > 0 && kernel.columns > 0 && kernel.columns <= most_columns &&
                  kernel.rows <= soc.gm_bytes / kElementBytes / kernel.columns,
              kOp, ": matrix = ", kernel.rows, "x", kernel.columns, ": must have 1 to ", most_columns,
              " columns and fit into the ", soc.gm_bytes, " bytes of GM");
  RequireUser(kernel.tile_rows > 0 && kernel.tile_rows <= std::min(most_rows, kernel.rows) &&
                  kernel.tile_columns > 0 && kernel.tile_columns <= kernel.columns,
              kOp, ": tile = ", kernel.tile_rows, "x", kernel.tile_columns, ": must have 1 to ",
              std::min(most_rows, kernel.rows), " rows and 1 to ", kernel.columns,
              " columns, as one instruction reads it and the matrix has");
  const int64_t most = kernel.to_l1 ? soc.l1_bytes : soc.ub_bytes;
  RequireUser(AlignUp(kernel.tile_columns * kElementBytes, kDataBlockBytes) <= most / kernel.tile_rows, kOp,
              ": tile = ", kernel.tile_rows, "x", kernel.tile_columns, ": must be of 1 to ", most, " bytes");
  const int64_t used = CeilDiv(kernel.columns, CeilDiv(kernel.columns, kernel.parts));
  RequireUser(used == kernel.parts, kOp, ": parts = ", kernel.parts, ": ", kernel.columns,
              " columns in equal parts make ", used, "; give that, or a number that leaves none empty");
}

}  // namespace

bool IsReadKernel(const CaseCells& cells) {
  const auto op = cells.find("op");
  return op != cells.end() && op->second == kOp;
}

ReadKernel ReadReadKernel(const CaseCells& cells, const SocConfig& soc) {
  static constexpr std::string_view kPlaces[] = {"ub", "l1"};
  static constexpr std::string_view kOrders[] = {"own", "same", "staggered"};
  static constexpr size_t kTwo[] = {2};
  for (const auto& [column, text] : cells) {
    RequireUser(std::ranges::find(kColumns, column) != std::end(kColumns), kOp, ": unknown column '", column,
                "'; ", DidYouMean(column, kColumns), "known columns: ", JoinedNames(kColumns));
  }
  const CellReader reader(cells);
  const std::vector<int64_t> matrix = reader.List("matrix", kTwo, "1x1");
  const std::vector<int64_t> tile = reader.List("tile", kTwo, "1x1");
  const std::string order = reader.Choice("order", kOrders);
  const ReadKernel kernel{
      .rows = matrix[0],
      .columns = matrix[1],
      .tile_rows = tile[0],
      .tile_columns = tile[1],
      .to_l1 = reader.Choice("to", kPlaces) == "l1",
      .parts = reader.Whole("parts", 1, 1, std::max<int64_t>(1, matrix[1])),
      .passes = reader.Whole("passes", 1, 1, 1024),
      .order = static_cast<ReadOrder>(std::ranges::find(kOrders, order) - std::begin(kOrders))};
  RequireSizes(kernel, soc);
  return kernel;
}

LaunchResult Run(const ReadKernel& kernel, const SocConfig& soc, int threads) {
  const int64_t cores = kernel.to_l1 ? soc.aic_cores : soc.aic_cores * soc.aiv_per_aic;
  LaunchOptions options{.type = kernel.to_l1 ? KernelType::kAicOnly : KernelType::kAivOnly,
                        .blocks = cores,
                        .mode = {.values = false, .time = true, .hazards = false},
                        .threads = threads};
  options.gm.Add({.name = "matrix",
                  .address = kAddress,
                  .size_bytes = static_cast<uint64_t>(kernel.rows * kernel.columns * kElementBytes)});
  LaunchResult result = Launch(soc, options, [&] { ReadOnOneCore(kernel, CurrentCore(), cores); });
  if (!result.faults.empty()) {
    throw UserError(result.faults.front().Text());
  }
  if (!result.completed) {
    throw std::logic_error("read_only: the kernel did not end, and nothing says why");
  }
  return result;
}

}  // namespace tilesim

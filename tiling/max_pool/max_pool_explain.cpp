#include "tiling/max_pool/max_pool_explain.h"

#include <algorithm>
#include <array>

#include "formats/counted.h"
#include "formats/error.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_legality.h"

namespace tilesim {

std::vector<std::string> Explained(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes) {
  const PoolTile tile = TileOf(tiling);
  const MaxPoolBuffers b = MaxPoolBuffersOf(shape, tile);
  const int64_t cores = tiling.split.used_cores;
  std::vector<std::string> lines = {
      Say(Name(tiling.split.strategy), ": ", Counted(tiling.data.totalIdx, "block"), " of ",
          Counted(tile.lanes, "lane"), " x ", tile.d, " x ", tile.h, " x ", tile.w,
          " outputs (D x H x W) on ", Counted(cores, "core"), ", lanes are ",
          shape.channels_last ? "channels of one n" : "channels of all n"),
      Say("a load brings up to ", Counted(tile.rows, "row"), " of ",
          Counted(LoadedColumns(shape, tile), "point"), "; ", Counted(b.planes, "plane"),
          " of results under way"),
      Say("UB: ", b.total(), " of ", UsableUbBytes(ub_bytes), " B: loads ", b.loader_bytes, ", stores ",
          b.storer_bytes, ", results ", b.values_bytes + b.indices_bytes + b.rows_bytes,
          ", indices and masks ", b.index_bytes + 2 * b.mask_bytes)};
  if (tile.taps_w < shape.w.window) {
    lines.push_back(Say("a window's row of ", shape.w.window, " taps comes ", tile.taps_w, " at a time"));
  }
  return lines;
}

Rejections NotLarger(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes) {
  struct Step {
    std::string_view field;
    int64_t PoolTile::*size;
    int64_t most;
  };
  const PoolTile tile = TileOf(tiling);
  const std::array<Step, 6> steps = {{{"data.dyFactor", &PoolTile::d, shape.d.out},
                                      {"data.hyFactor", &PoolTile::h, shape.h.out},
                                      {"data.wyFactor", &PoolTile::w, shape.w.out},
                                      {"data.partH", &PoolTile::rows, kMostPoolRows},
                                      {"data.partW", &PoolTile::taps_w, shape.w.window},
                                      {"split.storeRows", &PoolTile::store_rows, tile.h}}};
  Rejections reasons;
  for (const Step& step : steps) {
    PoolTile larger = tile;
    larger.*step.size += 1;
    if (larger.*step.size > step.most) {
      continue;
    }
    const Rejections found = WhyNot(TilingOf(shape, larger, 1), shape, ub_bytes, 1);
    if (!found.empty()) {
      const Rejection& first = found.front();
      const std::string_view name = step.field.substr(step.field.find('.') + 1);
      reasons.push_back({Say("with ", name, " ", larger.*step.size, ", ", first.rule),
                         std::string(step.field), first.value, first.limit,
                         Say(name, " ", tile.*step.size, " fits"), first.kind});
    }
  }
  return reasons;
}

}  // namespace tilesim

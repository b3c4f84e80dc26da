#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_rules.h"

namespace tilesim {
namespace {

std::string BytesText(const MaxPoolBuffers& b) {
  return Say("loads ", b.loader_bytes, ", stores ", b.storer_bytes, ", results ",
             b.values_bytes + b.indices_bytes + b.rows_bytes, ", indices and masks ",
             b.index_bytes + 2 * b.mask_bytes);
}

class MaxPoolRules {
 public:
  using Tiling = MaxPoolTiling;

  static constexpr std::array<std::string_view, 7> kSizes = {
      "data.ncFactor", "data.dyFactor", "data.hyFactor",  "data.wyFactor",
      "data.partH",    "data.partW",    "split.storeRows"};
  static constexpr std::array<std::string_view, 5> kShrinking = {
      "data.dyFactor", "data.hyFactor", "data.wyFactor", "data.partH", "split.storeRows"};
  static constexpr std::string_view kCores = "data.coreNums";
  static constexpr PoolFieldRule kFieldRules[] = {
      {{"data.ncTail", "data.ncOuter"}, "follows from data.ncFactor"},
      {{"data.dyTail", "data.dyOuter"}, "follows from data.dyFactor"},
      {{"data.hyTail", "data.hyOuter"}, "follows from data.hyFactor"},
      {{"data.wyTail", "data.wyOuter"}, "follows from data.wyFactor"},
      {{"data.blockFactor", "data.blockTail"}, "follows from data.totalIdx and data.coreNums"},
      {{"data.totalIdx"}, "follows from data.ncOuter, dyOuter, hyOuter and wyOuter"},
      {{"data.coreNums"}, "follows from data.totalIdx: no core is without a block"},
      {{"data.inputBufferSize"}, "follows from data.partH, partW and wyFactor, and the case's dtype"},
      {{"data.outputMaxBufferSize", "data.outputIndiceBufferSize"},
       "follows from data.dyFactor, hyFactor and wyFactor, and the case's dtype"},
      {{"data.indiceTempBufferSize", "data.maskBufferSize"},
       "follows from data.hyFactor, wyFactor and partH, and the case's dtype"},
      {{"split.usedCoreNum"}, "follows from data.coreNums"},
      {{"split.strategy"}, "follows from data.partW"},
  };

  MaxPoolRules(const PoolShape& shape, int64_t ub_bytes, int64_t cores)
      : s_(shape), ub_bytes_(ub_bytes), cores_(cores) {}

  [[nodiscard]] Tiling OfProblem(Tiling tiling) const {
    SetShapeFields(s_, tiling);
    return tiling;
  }
  // Where a window's row comes in parts for more than one output: whole rows, or one output.
  [[nodiscard]] std::vector<Tiling> InRange(const Tiling& tiling) const {
    PoolTile near = tilesim::TileOf(tiling);
    const auto keep = [](int64_t& size, int64_t most) { size = std::max<int64_t>(1, std::min(size, most)); };
    keep(near.lanes, MostPoolLanes(s_));
    keep(near.d, s_.d.out);
    keep(near.h, s_.h.out);
    keep(near.w, s_.w.out);
    keep(near.rows, kMostPoolRows);
    keep(near.taps_w, s_.w.window);
    keep(near.store_rows, near.h);
    int64_t cores = Signed(tiling.data.coreNums);
    keep(cores, cores_);
    if (near.taps_w == s_.w.window || near.w == 1) {
      return {TilingOf(s_, near, cores)};
    }
    PoolTile whole = near;
    whole.taps_w = s_.w.window;
    near.w = 1;
    return {TilingOf(s_, whole, cores), TilingOf(s_, near, cores)};
  }
  [[nodiscard]] Tiling Completed(const Tiling& tiling) const {
    return TilingOf(s_, tilesim::TileOf(tiling), 1);
  }
  [[nodiscard]] bool Fits(const Tiling& tiling) const {
    return TileFits(s_, tilesim::TileOf(tiling), UsableUbBytes(ub_bytes_));
  }
  [[nodiscard]] std::vector<Tiling> LastResorts(const Tiling& tiling) const {
    const PoolTile near = tilesim::TileOf(tiling);
    std::vector<Tiling> last;
    for (PoolTile tile : {PoolTile{.taps_w = s_.w.window}, SmallestPoolTile(s_)}) {
      tile.lanes = std::clamp<int64_t>(near.lanes, 1, MostPoolLanes(s_));
      last.push_back(TilingOf(s_, tile, std::clamp<int64_t>(Signed(tiling.data.coreNums), 1, cores_)));
    }
    return last;
  }

  [[nodiscard]] std::vector<ValueRange> RangesOf(const Tiling& tiling, const Tiling& near) const {
    const PoolTile tile = tilesim::TileOf(tiling);
    return {
        {MostPoolLanes(s_) < kPoolLanes ? "lanes of a block, of those there are" : "lanes of the vector unit",
         "data.ncFactor", tile.lanes, 1, MostPoolLanes(s_)},
        {"outputs along D of a block", "data.dyFactor", tile.d, 1, s_.d.out},
        {"outputs along H of a block", "data.hyFactor", tile.h, 1, s_.h.out},
        {"outputs along W of a block", "data.wyFactor", tile.w, 1, s_.w.out},
        {"rows of x in one load", "data.partH", tile.rows, 1, kMostPoolRows},
        {"taps of a window's row in one load", "data.partW", tile.taps_w, 1, s_.w.window},
        {"rows of y in one store", "split.storeRows", tile.store_rows, 1, tilesim::TileOf(near).h},
        {"cores", "data.coreNums", Signed(tiling.data.coreNums), 1, cores_}};
  }
  [[nodiscard]] Rejections WhyNotTogether(const Tiling& tiling, const Tiling& near) const {
    const PoolTile tile = tilesim::TileOf(tiling);
    const PoolTile right = tilesim::TileOf(near);
    const int64_t taps_w = std::max<int64_t>(1, std::min(tile.taps_w, s_.w.window));
    const int64_t w = std::max<int64_t>(1, std::min(tile.w, s_.w.out));
    if (taps_w == right.taps_w && w == right.w) {
      return {};
    }
    return {{"1 where a window's row comes in parts (partW below kw)", "data.wyFactor", w, 1,
             taps_w == right.taps_w ? "data.wyFactor 1 fits" : Say("data.partW ", right.taps_w, " fits"),
             LimitKind::kExact}};
  }
  [[nodiscard]] Rejections WhyNotMemory(const Tiling& tiling) const {
    const PoolTile tile = tilesim::TileOf(tiling);
    Rejections reasons;
    ForEachLimit(s_, tile, [&](const PoolLimit& limit) { CheckLimit(limit, reasons); });
    const MaxPoolBuffers buffers = MaxPoolBuffersOf(s_, tile);
    if (buffers.planes > kMostPoolPlanes) {
      reasons.push_back({"planes of results under way, which the tile program keeps account of",
                         "data.dyFactor", buffers.planes, kMostPoolPlanes,
                         Say("data.dyFactor ", kMostPoolPlanes - 1, " fits")});
    }
    CheckUb(Say(": ", BytesText(buffers), "; ", kSelectScratchBytes, " of ", ub_bytes_, " are Select's"),
            buffers.total(), ub_bytes_, reasons);
    return reasons;
  }
  [[nodiscard]] std::vector<PoolStep> StepsOf(const Tiling& tiling) const {
    return {{"data.dyFactor", 1, s_.d.out}, {"data.hyFactor", 1, s_.h.out},
            {"data.wyFactor", 1, s_.w.out}, {"data.partH", 1, kMostPoolRows},
            {"data.partW", 1, s_.w.window}, {"split.storeRows", 1, Signed(tiling.data.hyFactor)}};
  }

 private:
  const PoolShape& s_;
  const int64_t ub_bytes_;
  const int64_t cores_;
};

}  // namespace

Rejections WhyNot(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes, int64_t cores) {
  return PoolJudge(MaxPoolRules(shape, ub_bytes, cores)).WhyNot(tiling);
}

Rejections NotLarger(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes) {
  return PoolJudge(MaxPoolRules(shape, ub_bytes, 1)).NotLarger(tiling);
}

std::vector<std::string> Explained(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes) {
  const PoolTile tile = TileOf(tiling);
  const MaxPoolBuffers b = MaxPoolBuffersOf(shape, tile);
  std::vector<std::string> lines = {
      Say(Name(tiling.split.strategy), ": ", Counted(tiling.data.totalIdx, "block"), " of ",
          Counted(tile.lanes, "lane"), " x ", tile.d, " x ", tile.h, " x ", tile.w,
          " outputs (D x H x W) on ", Counted(tiling.split.used_cores, "core"), ", lanes are ",
          shape.channels_last ? "channels of one n" : "channels of all n"),
      Say("a load brings up to ", Counted(tile.rows, "row"), " of ",
          Counted(LoadedColumns(shape, tile), "point"), "; ", Counted(b.planes, "plane"),
          " of results under way"),
      Say("UB: ", b.total(), " of ", UsableUbBytes(ub_bytes), " B: ", BytesText(b))};
  if (tile.taps_w < shape.w.window) {
    lines.push_back(Say("a window's row of ", shape.w.window, " taps comes ", tile.taps_w, " at a time"));
  }
  return lines;
}

}  // namespace tilesim

#include "tiling/tune/max_pool_space.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "tiling/launch_cost.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_points.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int kPoolRowBits = 32;  // of rows of y in a path; above them rows of x

}  // namespace

MaxPoolSpace::MaxPoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
    : s_(shape),
      soc_(soc),
      cores_(cores),
      hbm_bytes_(Real(least_reads)),
      lanes_(std::clamp<int64_t>(shape.lanes(), 1, kPoolLanes)),
      most_w_(std::min(shape.w.out, kMostCopyPoints)),
      counts_(shape) {}

TileSpace::Opened MaxPoolSpace::Open(int level, const TilePath& node, double cutoff_us) {
  switch (level) {
    case 0:
      return OpenRoot(cutoff_us, PoolStored::kAll);
    case 1:
      return OpenWidth(node, cutoff_us);
    case 2:
      return OpenBlock(node, cutoff_us);
    default:
      return OpenRows(node, cutoff_us);
  }
}

int64_t MaxPoolSpace::Widths() const { return most_w_ + s_.w.window - 1; }

// The widest first; then fewer and fewer taps of one output.
MaxPoolSpace::Width MaxPoolSpace::WidthOf(int64_t index) const {
  return index < most_w_ ? Width{most_w_ - index, s_.w.window}
                         : Width{1, s_.w.window - 1 - (index - most_w_)};
}

PoolTile MaxPoolSpace::TileOf(int levels, const TilePath& path) const {
  const auto number = [&](size_t level) { return static_cast<int64_t>(path[level]); };
  const Width width = WidthOf(number(0) / lanes_);
  PoolTile tile{.lanes = lanes_ - number(0) % lanes_,
                .d = 1,
                .h = 1,
                .w = width.w,
                .rows = 1,
                .taps_w = width.taps_w,
                .store_rows = 1};
  if (levels > 1) {
    tile.h = s_.h.out - number(1) / s_.d.out;
    tile.d = s_.d.out - number(1) % s_.d.out;
  }
  if (levels > 2) {
    tile.rows = number(2) >> kPoolRowBits;
    tile.store_rows = number(2) & ((int64_t{1} << kPoolRowBits) - 1);
  }
  return tile;
}

int64_t MaxPoolSpace::MostStoreRows(PoolTile tile) const {
  return Largest(1, tile.h, [&](int64_t rows) {
    tile.store_rows = rows;
    return TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes));
  });
}

int64_t MaxPoolSpace::MostCores(const PoolTile& tile) const {
  return std::clamp<int64_t>(BlockCountsOf(s_, tile).total(), 1, cores_);
}

double MaxPoolSpace::LeastUs(const PoolCycles& work, int64_t cores, int64_t store_points) const {
  PoolFacts facts = FactsOf(counts_, store_points);
  facts.hbm_bytes = hbm_bytes_;
  return TimeWithLaunchUs(PoolLeastCycles(soc_, work, facts), cores, soc_);
}

double MaxPoolSpace::MeanUs(const MaxPoolWork& work, int64_t most_cores) const {
  double least = std::numeric_limits<double>::infinity();
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    least = std::min(least, LeastUs(work.Mean(cores), cores));
  }
  return least;
}

// As if one block held all rows and planes, whatever UB holds: nothing is read twice then.
TileSpace::Opened MaxPoolSpace::OpenRoot(double cutoff_us, PoolStored stored) const {
  Opened opened;
  for (int64_t width = 0; width < Widths(); ++width) {
    PoolTile tile = TileOf(1, {static_cast<uint64_t>(width * lanes_)});
    if (!TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes))) {
      continue;  // whatever its lanes
    }
    const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
    tile.d = s_.d.out;
    tile.h = s_.h.out;
    tile.rows = MostRowsOfLoad(s_, tile);
    tile.store_rows = tile.h;
    for (int64_t i = 0; i < lanes_; ++i) {
      tile.lanes = lanes_ - i;
      const double us = MeanUs(MaxPoolWork(s_, counts_, tile, columns, soc_, stored), cores_);
      if (us < cutoff_us) {
        opened.nodes.push_back({us, {static_cast<uint64_t>(width * lanes_ + i)}});
      }
    }
  }
  return opened;
}

double MaxPoolSpace::LeastUsOfIndices() const {
  return LeastBoundUs(OpenRoot(std::numeric_limits<double>::infinity(), PoolStored::kIndices));
}

TileSpace::Opened MaxPoolSpace::OpenWidth(const TilePath& node, double cutoff_us) const {
  PoolTile tile = TileOf(1, node);
  const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
  Opened opened;
  for (uint64_t block = 0; block < static_cast<uint64_t>(s_.h.out * s_.d.out); ++block) {
    tile = TileOf(2, {node[0], block});
    if (!TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes))) {
      continue;
    }
    tile.rows = MostRowsOfLoad(s_, tile);
    tile.store_rows = tile.h;
    const double us = MeanUs(MaxPoolWork(s_, counts_, tile, columns, soc_), MostCores(tile));
    if (us < cutoff_us) {
      opened.nodes.push_back({us, {node[0], block}});
    }
  }
  return opened;
}

TileSpace::Opened MaxPoolSpace::OpenBlock(const TilePath& node, double cutoff_us) const {
  PoolTile tile = TileOf(2, node);
  const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
  MaxPoolWork work(s_, counts_, tile, columns, soc_);
  const int64_t most_cores = MostCores(tile);
  const int64_t most_rows = MostRowsOfLoad(s_, tile);
  work.SetRows(most_rows, tile.h);
  std::vector<std::pair<int64_t, int64_t>> busiest;  // number of cores that may do, and which of them
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    if (LeastUs(work.Mean(cores), cores) < cutoff_us) {
      busiest.emplace_back(cores, work.BusiestCore(cores));
    }
  }
  Opened opened;
  for (tile.rows = most_rows; tile.rows > 0; --tile.rows) {
    for (tile.store_rows = MostStoreRows(tile); tile.store_rows > 0; --tile.store_rows) {
      work.SetRows(tile.rows, tile.store_rows);
      double us = std::numeric_limits<double>::infinity();
      for (const auto& [cores, core] : busiest) {
        us = std::min(us, LeastUs(work.OfCore(core, cores), cores, StorePoints(s_, tile)));
      }
      if (us < cutoff_us) {
        const auto rows = static_cast<uint64_t>(tile.rows << kPoolRowBits | tile.store_rows);
        opened.nodes.push_back({us, {node[0], node[1], rows}});
      }
    }
  }
  return opened;
}

TileSpace::Opened MaxPoolSpace::OpenRows(const TilePath& node, double cutoff_us) const {
  const PoolTile tile = TileOf(3, node);
  const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
  const MaxPoolWork work(s_, counts_, tile, columns, soc_);
  Opened opened;
  opened.tilings = MostCores(tile);
  for (int64_t cores = 1; cores <= opened.tilings; ++cores) {
    if (LeastUs(work.Mean(cores), cores) >= cutoff_us) {
      continue;
    }
    const double us = LeastUs(work.OfCore(work.BusiestCore(cores), cores), cores, StorePoints(s_, tile));
    if (us < cutoff_us) {
      opened.nodes.push_back({us, {node[0], node[1], node[2], static_cast<uint64_t>(cores) - 1}});
    }
  }
  return opened;
}

int64_t MaxPoolSpace::Count(const TilePath& node) const {
  int64_t count = 0;
  for (uint64_t block = 0; block < static_cast<uint64_t>(s_.h.out * s_.d.out); ++block) {
    PoolTile tile = TileOf(2, {node[0], block});
    const int64_t most_rows = MostRowsOfLoad(s_, tile);
    const int64_t cores = MostCores(tile);
    for (tile.rows = 1; tile.rows <= most_rows && TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes));
         ++tile.rows) {
      count += MostStoreRows(tile) * cores;
    }
  }
  return count;
}

MaxPoolTiling MaxPoolSpace::TilingOf(const TilePath& path) const {
  return tilesim::TilingOf(s_, TileOf(3, path), CoresOf(path));
}

size_t MaxPoolSpace::BusiestCoreOf(const TilePath& path) const {
  return tilesim::BusiestCoreOf(TilingOf(path), s_, counts_, soc_);
}

}  // namespace tilesim

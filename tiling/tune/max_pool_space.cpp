#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/tune/pool_space.h"

namespace tilesim {
namespace {

constexpr int kPoolRowBits = 32;  // of rows of y in a path; above them rows of x

}  // namespace

double PoolSpace::LeastUs(const PoolCycles& work, PoolFacts facts, int64_t cores) const {
  facts.hbm_bytes = hbm_bytes_;
  return TimeWithLaunchUs(PoolLeastCycles(soc_, work, facts), cores, soc_);
}

double PoolSpace::MeanUs(const PoolWork& work, const PoolFacts& facts, int64_t most_cores) const {
  double least = std::numeric_limits<double>::infinity();
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    least = std::min(least, LeastUs(work.Mean(cores), facts, cores));
  }
  return least;
}

MaxPoolSpace::MaxPoolSpace(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
    : PoolSpace(shape, soc, cores, least_reads),
      s_(shape),
      lanes_(MostPoolLanes(shape)),
      most_w_(std::min(shape.w.out, kMostCopyPoints)) {}

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

PoolTile MaxPoolSpace::TileOf(int levels, const TilePath& path) const {
  const auto number = [&](size_t level) { return static_cast<int64_t>(path[level]); };
  // the widest first; then fewer and fewer taps of one output
  const int64_t width = number(0) / lanes_;
  const bool whole_rows = width < most_w_;
  PoolTile tile{.lanes = lanes_ - number(0) % lanes_,
                .w = whole_rows ? most_w_ - width : 1,
                .taps_w = whole_rows ? s_.w.window : s_.w.window - 1 - (width - most_w_)};
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

bool MaxPoolSpace::Fits(const PoolTile& tile) const {
  return TileFits(s_, tile, UsableUbBytes(soc_.ub_bytes));
}

int64_t MaxPoolSpace::MostStoreRows(PoolTile tile) const {
  return Largest(1, tile.h, [&](int64_t rows) {
    tile.store_rows = rows;
    return Fits(tile);
  });
}

// As if one block held all rows and planes, whatever UB holds: nothing is read twice then.
TileSpace::Opened MaxPoolSpace::OpenRoot(double cutoff_us, PoolStored stored) const {
  Opened opened;
  for (int64_t width = 0; width < most_w_ + s_.w.window - 1; ++width) {
    PoolTile tile = TileOf(1, {static_cast<uint64_t>(width * lanes_)});
    if (!Fits(tile)) {
      continue;  // whatever its lanes
    }
    const MaxPoolColumns columns(s_, counts_, tile.w, tile.taps_w, soc_);
    tile.d = s_.d.out;
    tile.h = s_.h.out;
    tile.rows = MostRowsOfLoad(s_, tile);
    tile.store_rows = tile.h;
    for (int64_t i = 0; i < lanes_; ++i) {
      tile.lanes = lanes_ - i;
      const MaxPoolWork work(s_, counts_, tile, columns, soc_, stored);
      const double us = MeanUs(work, FactsOf(counts_), cores_);
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
    if (!Fits(tile)) {
      continue;
    }
    tile.rows = MostRowsOfLoad(s_, tile);
    tile.store_rows = tile.h;
    const double us =
        MeanUs(MaxPoolWork(s_, counts_, tile, columns, soc_), FactsOf(counts_), MostCores(Tasks(tile)));
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
  const int64_t most_cores = MostCores(Tasks(tile));
  const int64_t most_rows = MostRowsOfLoad(s_, tile);
  work.SetRows(most_rows, tile.h);
  std::vector<std::pair<int64_t, int64_t>> busiest;  // number of cores that may do, and which of them
  for (int64_t cores = 1; cores <= most_cores; ++cores) {
    if (LeastUs(work.Mean(cores), FactsOf(counts_), cores) < cutoff_us) {
      busiest.emplace_back(cores, work.BusiestCore(cores));
    }
  }
  Opened opened;
  for (tile.rows = most_rows; tile.rows > 0; --tile.rows) {
    for (tile.store_rows = MostStoreRows(tile); tile.store_rows > 0; --tile.store_rows) {
      work.SetRows(tile.rows, tile.store_rows);
      const PoolFacts facts = FactsOf(counts_, StorePoints(s_, tile));
      double us = std::numeric_limits<double>::infinity();
      for (const auto& [cores, core] : busiest) {
        us = std::min(us, LeastUs(work.OfCore(core, cores), facts, cores));
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
  const PoolFacts facts = FactsOf(counts_, StorePoints(s_, tile));
  Opened opened;
  opened.tilings = MostCores(Tasks(tile));
  for (int64_t cores = 1; cores <= opened.tilings; ++cores) {
    if (LeastUs(work.Mean(cores), FactsOf(counts_), cores) >= cutoff_us) {
      continue;
    }
    const double us = LeastUs(work.OfCore(work.BusiestCore(cores), cores), facts, cores);
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
    for (tile.rows = 1; tile.rows <= most_rows && Fits(tile); ++tile.rows) {
      count += MostStoreRows(tile) * MostCores(Tasks(tile));
    }
  }
  return count;
}

MaxPoolTiling MaxPoolSpace::TilingOf(const TilePath& path) const {
  return tilesim::TilingOf(s_, TileOf(3, path), static_cast<int64_t>(path[3]) + 1);
}

size_t MaxPoolSpace::BusiestCoreOf(const TilePath& path) const {
  return tilesim::BusiestCoreOf(TilingOf(path), s_, counts_, soc_);
}

}  // namespace tilesim

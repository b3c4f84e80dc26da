#include "tiling/max_pool/max_pool_near.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

struct Size {
  std::string_view field;
  int64_t PoolTile::*size;
};
constexpr std::array<Size, 7> kPoolSizes = {{{"data.ncFactor", &PoolTile::lanes},
                                             {"data.dyFactor", &PoolTile::d},
                                             {"data.hyFactor", &PoolTile::h},
                                             {"data.wyFactor", &PoolTile::w},
                                             {"data.partH", &PoolTile::rows},
                                             {"data.partW", &PoolTile::taps_w},
                                             {"split.storeRows", &PoolTile::store_rows}}};
// Those that may be smaller by themselves.
constexpr std::array kPoolShrinking = {&PoolTile::d, &PoolTile::h, &PoolTile::w, &PoolTile::rows,
                                       &PoolTile::store_rows};

class Smaller {
 public:
  Smaller(const PoolShape& shape, const PoolTile& tile, int64_t usable_bytes)
      : shape_(shape), tile_(tile), usable_(usable_bytes) {}

  [[nodiscard]] std::vector<PoolTile> Tiles() const {
    std::vector<PoolTile> tiles;
    for (int64_t PoolTile::*const size : kPoolShrinking) {
      Keep(Shrunk(tile_, size), tiles);
    }
    if (!tiles.empty()) {
      return tiles;
    }
    PoolTile least = tile_;
    least.d = least.h = least.rows = least.store_rows = 1;
    Keep(least, tiles);
    if (tiles.empty()) {
      Keep(Shrunk(least, &PoolTile::w), tiles);
    }
    if (tiles.empty()) {
      least.w = 1;
      Keep(Shrunk(least, &PoolTile::taps_w), tiles);
    }
    if (tiles.empty()) {
      least.w = shape_.w.out;
      least.taps_w = shape_.w.window;
      Keep(least, tiles);
    }
    return tiles;
  }

 private:
  [[nodiscard]] bool Fits(const PoolTile& tile) const { return TileFits(shape_, tile, usable_); }
  void Keep(const PoolTile& tile, std::vector<PoolTile>& tiles) const {
    if (Fits(tile)) {
      tiles.push_back(tile);
    }
  }
  // With the largest value of `size` below that of `tile` that fits; of 1 where none does.
  [[nodiscard]] PoolTile Shrunk(const PoolTile& tile, int64_t PoolTile::*size) const {
    const auto with = [&](int64_t value) {
      PoolTile smaller = tile;
      smaller.*size = value;
      smaller.store_rows = std::min(smaller.store_rows, smaller.h);
      return smaller;
    };
    int64_t fits = 1;
    for (int64_t too_large = tile.*size; too_large - fits > 1;) {
      const int64_t middle = fits + (too_large - fits) / 2;
      (Fits(with(middle)) ? fits : too_large) = middle;
    }
    return with(std::min(fits, tile.*size));
  }

  const PoolShape& shape_;
  const PoolTile tile_;
  const int64_t usable_;
};

PoolTile InRange(const PoolShape& shape, const PoolTile& tile) {
  const int64_t lanes = shape.channels_last ? shape.channels : shape.batch * shape.channels;
  PoolTile near = tile;
  const auto keep = [](int64_t& size, int64_t most) { size = std::max<int64_t>(1, std::min(size, most)); };
  keep(near.lanes, std::min(std::max<int64_t>(lanes, 1), kPoolLanes));
  keep(near.d, shape.d.out);
  keep(near.h, shape.h.out);
  keep(near.w, shape.w.out);
  keep(near.rows, kMostPoolRows);
  keep(near.taps_w, shape.w.window);
  keep(near.store_rows, near.h);
  return near;
}

// The tile, or where a window's row comes in parts for more than one output, both ways that it may not.
std::vector<PoolTile> WithoutParts(const PoolShape& shape, const PoolTile& tile) {
  if (tile.taps_w == shape.w.window || tile.w == 1) {
    return {tile};
  }
  std::vector<PoolTile> tiles(2, tile);
  tiles[0].taps_w = shape.w.window;
  tiles[1].w = 1;
  return tiles;
}

int64_t Changes(const MaxPoolTiling& from, const MaxPoolTiling& to) {
  return std::ssize(Differences(from.data, to.data)) +
         std::ranges::count_if(DifferentFields(MaxPoolSplitFields(), &from.split, &to.split),
                               [](const TilingField& field) { return field.words.empty(); });
}

}  // namespace

std::vector<PoolTile> SmallerTiles(const PoolShape& shape, const PoolTile& tile, int64_t usable_bytes) {
  return Smaller(shape, tile, usable_bytes).Tiles();
}

std::string ChangesText(const PoolTile& from, const PoolTile& to) {
  std::string first;
  std::string others;
  for (const Size& size : kPoolSizes) {
    if (from.*size.size != to.*size.size) {
      const std::string change = Say(size.field, " ", to.*size.size);
      (first.empty() ? first : others) += Say(first.empty() ? "" : others.empty() ? " with " : ", ", change);
    }
  }
  return first + others;
}

int64_t PoolTile::*SizeOfField(std::string_view field) {
  const auto* const found = std::ranges::find(kPoolSizes, field, &Size::field);
  return found == kPoolSizes.end() ? nullptr : found->size;
}

NearPoolTiling NearestTo(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t usable_bytes,
                         int64_t cores) {
  NearPoolTiling nearest;
  nearest.in_range = InRange(shape, TileOf(tiling));
  std::vector<PoolTile> tiles;
  for (const PoolTile& whole : WithoutParts(shape, nearest.in_range)) {
    if (TileFits(shape, whole, usable_bytes)) {
      tiles.push_back(whole);
    } else {
      std::ranges::copy(SmallerTiles(shape, whole, usable_bytes), std::back_inserter(tiles));
    }
  }
  nearest.fits = !tiles.empty();
  if (!nearest.fits) {
    tiles = WithoutParts(shape, nearest.in_range);
  }
  const int64_t used = std::max<int64_t>(1, std::min(Signed(tiling.data.coreNums), cores));
  int64_t least = INT64_MAX;
  for (const PoolTile& tile : tiles) {
    const MaxPoolTiling candidate = TilingOf(shape, tile, used);
    if (const int64_t changes = Changes(tiling, candidate); changes < least) {
      least = changes;
      nearest.tile = tile;
      nearest.tiling = candidate;
    }
  }
  return nearest;
}

}  // namespace tilesim

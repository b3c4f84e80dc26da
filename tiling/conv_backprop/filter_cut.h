#pragma once
#include <cstdint>

#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {

// Tasks of one size: output channels (whole fractals or planes), cin1 lines, output rows.
struct FilterTaskSize {
  int64_t m = 0;
  int64_t lines = 0;
  int64_t rows = 0;

  friend bool operator==(const FilterTaskSize&, const FilterTaskSize&) = default;
};

// A way to deal the problem out: the split and the largest task it gives.
struct FilterCut {
  FilterSplit split;
  FilterTaskSize part;
};
inline FilterCut CutOf(const FilterTiling& tiling) {
  const TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  return {.split = tiling.split,
          .part = {.m = t.singleCoreCout,
                   .lines = static_cast<int64_t>(t.singleCoreCin) / t.channelSize,
                   .rows = t.singleCoreHo}};
}

}  // namespace tilesim

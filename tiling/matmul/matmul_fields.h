#pragma once
#include <span>
#include <string_view>

#include "tiling/matmul/matmul_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// One row a number of the tiling data, in the order of their bytes.
std::span<const TilingField> MatmulFields();

// The numbers of the split with the names they have in text. used_cores is not among them: it is
// usedCoreNum.
struct MatmulSplitField {
  std::string_view name;
  int64_t MatmulSplit::*member;
};
std::span<const MatmulSplitField> MatmulSplitFields();

}  // namespace tilesim

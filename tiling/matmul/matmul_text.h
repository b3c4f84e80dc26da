#pragma once
#include <span>
#include <string_view>

#include "tiling/matmul/matmul_tiling.h"
#include "tiling/tiling_text.h"

namespace tilesim {

template <>
std::span<const TilingField> FieldsIn<MatmulTilingData>();
// Not used_cores, which is usedCoreNum.
template <>
std::span<const TilingField> FieldsIn<MatmulSplit>();

// {"matmulTiling": {...}, "split": {...}} from text, or from a line of `plan` that holds it. Throws
// UserError, with `where` and all that is wrong.
MatmulTiling ParseMatmulTiling(std::string_view text, std::string_view where);

}  // namespace tilesim

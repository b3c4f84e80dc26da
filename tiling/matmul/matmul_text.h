#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tiling/matmul/matmul_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// One row a number of the tiling data, in the order of their bytes.
std::span<const TilingField> MatmulFields();

// What text has of the split; not used_cores, which is usedCoreNum.
std::span<const TilingField> MatmulSplitFields();

// {"matmulTiling": {...}, "split": {...}}
std::string JsonOf(const MatmulTiling& tiling);
// The same from text, or from a line of `plan` that holds it. Throws UserError, with `where` and all that is
// wrong.
MatmulTiling ParseMatmulTiling(std::string_view text, std::string_view where);

std::array<std::byte, sizeof(MatmulTilingData)> ToBytes(const MatmulTilingData& data);
MatmulTilingData MatmulDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim

#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// {"matmulTiling": {...}, "split": {...}}
std::string JsonOf(const MatmulTiling& tiling);
// The same from text, or from a line of `plan` that holds it. Throws UserError, with `where` and all that is
// wrong.
MatmulTiling ParseMatmulTiling(std::string_view text, std::string_view where);

std::array<std::byte, sizeof(MatmulTilingData)> ToBytes(const MatmulTilingData& data);
MatmulTilingData MatmulDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim

#pragma once
#include <span>
#include <string>
#include <string_view>

#include "tiling/elementwise/elementwise_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of ElementwiseTilingData, in byte order.
std::span<const TilingField> ElementwiseFields();

// {"data": {...}, "split": {...}}, and back as ReadTiling of tiling_text.h does.
std::string JsonOf(const ElementwiseTiling& tiling);
ElementwiseTiling ParseElementwiseTiling(std::string_view text, std::string_view where);

}  // namespace tilesim

#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "tiling/elementwise/elementwise_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of ElementwiseTilingData, in byte order.
std::span<const TilingField> ElementwiseFields();

// See flat_tiling.h.
nlohmann::ordered_json ToJson(const ElementwiseTiling& tiling);
ElementwiseTiling ParseElementwiseTiling(std::string_view text, std::string_view where);

}  // namespace tilesim

#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "tiling/rearrange/rearrange_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of RearrangeTilingData, in byte order.
std::span<const TilingField> RearrangeFields();

// See flat_tiling.h.
nlohmann::ordered_json ToJson(const RearrangeTiling& tiling);
RearrangeTiling ParseRearrangeTiling(std::string_view text, std::string_view where);

}  // namespace tilesim

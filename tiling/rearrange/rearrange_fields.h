#pragma once
#include <span>
#include <string>
#include <string_view>

#include "tiling/rearrange/rearrange_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of RearrangeTilingData, in byte order.
std::span<const TilingField> RearrangeFields();

// {"data": {...}, "split": {...}}, and back as ReadTiling of tiling_text.h does.
std::string JsonOf(const RearrangeTiling& tiling);
RearrangeTiling ParseRearrangeTiling(std::string_view text, std::string_view where);

}  // namespace tilesim

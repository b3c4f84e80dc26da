// Tilings of max pooling and of its gradient as tables of fields, as JSON and as bytes: names, widths and
// types. Whether the numbers fit a problem or a chip is for WhyNot to say.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/tiling_text.h"

namespace tilesim {

template <>
std::span<const TilingField> FieldsIn<MaxPool3DWithArgmaxTilingData>();
template <>
std::span<const TilingField> FieldsIn<MaxPoolSplit>();
template <>
std::span<const TilingField> FieldsIn<MaxPool3DGradWithArgmaxTilingData>();
template <>
std::span<const TilingField> FieldsIn<PoolGradSplit>();

// Of a gradient in two phases also "pooling": the JSON of the first one's tiling; and the bytes of its
// struct, behind those of the gradient's.
std::string JsonOf(const MaxPoolGradTiling& tiling);
MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where);
std::vector<std::byte> ToBytes(const MaxPoolGradTiling& tiling);

}  // namespace tilesim

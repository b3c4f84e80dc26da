// Tilings of max pooling and of its gradient as tables of fields, as JSON and as bytes: names, widths and
// types. Whether the numbers fit a problem or a chip is for WhyNot to say.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of the vendor's struct, in byte order; and what text has of the split.
std::span<const TilingField> MaxPoolFields();
std::span<const TilingField> MaxPoolSplitFields();
std::span<const TilingField> PoolGradFields();
std::span<const TilingField> PoolGradSplitFields();

// {"data": {...}, "split": {...}}, the data's fields in byte order; of a gradient in two phases also
// "pooling": the JSON of the first one's tiling.
std::string JsonOf(const MaxPoolTiling& tiling);
std::string JsonOf(const MaxPoolGradTiling& tiling);

// As ReadTiling of tiling_text.h does.
MaxPoolTiling ParseMaxPoolTiling(std::string_view text, std::string_view where);
MaxPoolGradTiling ParseMaxPoolGradTiling(std::string_view text, std::string_view where);

// The bytes of the vendor's struct; of two phases those of both structs, the gradient's first.
std::array<std::byte, sizeof(MaxPool3DWithArgmaxTilingData)> ToBytes(
    const MaxPool3DWithArgmaxTilingData& data);
std::array<std::byte, sizeof(MaxPool3DGradWithArgmaxTilingData)> ToBytes(
    const MaxPool3DGradWithArgmaxTilingData& data);
std::vector<std::byte> ToBytes(const MaxPoolGradTiling& tiling);
MaxPool3DWithArgmaxTilingData MaxPoolDataFromBytes(std::span<const std::byte> bytes, std::string_view where);
MaxPool3DGradWithArgmaxTilingData MaxPoolGradDataFromBytes(std::span<const std::byte> bytes,
                                                           std::string_view where);

}  // namespace tilesim

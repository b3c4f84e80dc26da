#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/tiling_text.h"

namespace tilesim {

// The numbers of a gradient's tiling data: of the filter's in sections "params", "dwTiling" and
// "basicBlockTiling", of the input's in "conv3DDxTiling". Names, widths and types alone; whether the numbers
// fit a problem or a chip is for WhyNot to say.
template <>
std::span<const TilingField> FieldsIn<Conv3DBackpropFilterTilingData>();
template <>
std::span<const TilingField> FieldsIn<FilterSplit>();
template <>
std::span<const TilingField> FieldsIn<Conv3DBackpropInputTilingData>();
template <>
std::span<const TilingField> FieldsIn<InputSplit>();

// What stood in a file: the split may be absent (DealOut makes one).
template <class Data, class Split>
struct GradientTilingText {
  Data data;
  std::optional<Split> split;
};
using FilterTilingText = GradientTilingText<Conv3DBackpropFilterTilingData, FilterSplit>;
using InputTilingText = GradientTilingText<Conv3DBackpropInputTilingData, InputSplit>;

// As ReadTiling of tiling_text.h does.
FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where);
InputTilingText ParseInputTiling(std::string_view text, std::string_view where);

}  // namespace tilesim

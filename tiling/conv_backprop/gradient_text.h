#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// The numbers of a gradient's tiling data, in byte order: of the filter's in sections "params", "dwTiling"
// and "basicBlockTiling", of the input's in "conv3DDxTiling".
std::span<const TilingField> FilterFields();
std::span<const TilingField> InputFields();

// What text has of FilterSplit and of InputSplit.
std::span<const TilingField> FilterSplitFields();
std::span<const TilingField> InputSplitFields();

// The fields in which two tilings differ, in byte order; empty when they are equal.
inline std::vector<TilingField> Differences(const Conv3DBackpropFilterTilingData& left,
                                            const Conv3DBackpropFilterTilingData& right) {
  return DifferentFields(FilterFields(), &left, &right);
}
inline std::vector<TilingField> Differences(const Conv3DBackpropInputTilingData& left,
                                            const Conv3DBackpropInputTilingData& right) {
  return DifferentFields(InputFields(), &left, &right);
}

// Tilings of the gradients as JSON and as bytes. Names, widths and types alone; whether the numbers fit a
// problem or a chip is for WhyNot to say.

// {"params": {...}, "dwTiling": {...}, "basicBlockTiling": {...}, "split": {...}}, fields in byte order.
std::string JsonOf(const FilterTiling& tiling);
// {"conv3DDxTiling": {...}, "split": {...}}, fields in byte order.
std::string JsonOf(const InputTiling& tiling);

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

// The 240 and the 280 bytes as a kernel receives them.
std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> ToBytes(
    const Conv3DBackpropFilterTilingData& data);
std::array<std::byte, sizeof(Conv3DBackpropInputTilingData)> ToBytes(
    const Conv3DBackpropInputTilingData& data);
Conv3DBackpropFilterTilingData FilterDataFromBytes(std::span<const std::byte> bytes, std::string_view where);
Conv3DBackpropInputTilingData InputDataFromBytes(std::span<const std::byte> bytes, std::string_view where);

}  // namespace tilesim

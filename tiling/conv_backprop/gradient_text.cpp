#include "tiling/conv_backprop/gradient_text.h"

#include "tiling/conv_backprop/gradient_fields.h"
#include "tiling/tiling_text.h"

namespace tilesim {
namespace {

template <class Data, class Split>
GradientTilingText<Data, Split> Parse(std::string_view text, std::string_view where,
                                      std::span<const TilingField> data,
                                      std::span<const TilingField> split_fields) {
  GradientTilingText<Data, Split> result;
  Split split;
  bool has_split = false;
  const TilingPartToRead parts[] = {{data, &result.data}, {split_fields, &split, &has_split}};
  ReadTiling(text, where, parts);
  if (has_split) {
    result.split = split;
  }
  return result;
}

}  // namespace

std::string JsonOf(const FilterTiling& tiling) {
  return JsonOfDataAndSplit(tiling, FilterFields(), FilterSplitFields());
}
std::string JsonOf(const InputTiling& tiling) {
  return JsonOfDataAndSplit(tiling, InputFields(), InputSplitFields());
}

FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where) {
  return Parse<Conv3DBackpropFilterTilingData, FilterSplit>(text, where, FilterFields(), FilterSplitFields());
}
InputTilingText ParseInputTiling(std::string_view text, std::string_view where) {
  return Parse<Conv3DBackpropInputTilingData, InputSplit>(text, where, InputFields(), InputSplitFields());
}

std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> ToBytes(
    const Conv3DBackpropFilterTilingData& data) {
  return BytesOf(data, FilterFields());
}
std::array<std::byte, sizeof(Conv3DBackpropInputTilingData)> ToBytes(
    const Conv3DBackpropInputTilingData& data) {
  return BytesOf(data, InputFields());
}

}  // namespace tilesim

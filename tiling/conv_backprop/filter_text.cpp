#include "tiling/conv_backprop/filter_text.h"

#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text.h"

namespace tilesim {

std::string JsonOf(const FilterTiling& tiling) {
  return JsonOfDataAndSplit(tiling, FilterFields(), FilterSplitFields());
}

FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where) {
  FilterTilingText result;
  FilterSplit split;
  bool has_split = false;
  const TilingPartToRead parts[] = {{FilterFields(), &result.data},
                                    {FilterSplitFields(), &split, &has_split}};
  ReadTiling(text, where, parts);
  if (has_split) {
    result.split = split;
  }
  return result;
}

std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> ToBytes(
    const Conv3DBackpropFilterTilingData& data) {
  return BytesOf(data, FilterFields());
}

Conv3DBackpropFilterTilingData FilterDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<Conv3DBackpropFilterTilingData>(bytes, "Conv3DBackpropFilterTilingData", where);
}

}  // namespace tilesim

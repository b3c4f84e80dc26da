#include "tiling/conv_backprop/input_text.h"

#include "tiling/conv_backprop/input_fields.h"
#include "tiling/tiling_bytes.h"
#include "tiling/tiling_text.h"

namespace tilesim {

std::string JsonOf(const InputTiling& tiling) {
  return JsonOfDataAndSplit(tiling, InputFields(), InputSplitFields());
}

InputTilingText ParseInputTiling(std::string_view text, std::string_view where) {
  InputTilingText result;
  InputSplit split;
  bool has_split = false;
  const TilingPartToRead parts[] = {{InputFields(), &result.data}, {InputSplitFields(), &split, &has_split}};
  ReadTiling(text, where, parts);
  if (has_split) {
    result.split = split;
  }
  return result;
}

std::array<std::byte, sizeof(Conv3DBackpropInputTilingData)> ToBytes(
    const Conv3DBackpropInputTilingData& data) {
  return BytesOf(data, InputFields());
}

Conv3DBackpropInputTilingData InputDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  return DataFromBytes<Conv3DBackpropInputTilingData>(bytes, "Conv3DBackpropInputTilingData", where);
}

}  // namespace tilesim

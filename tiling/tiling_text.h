// Tilings as bytes and as JSON: {"section": {"field": number or word, ...}, ...}, the fields in the order of
// their tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// A struct of a tiling, and the fields that text has of it.
struct TilingPart {
  std::span<const TilingField> fields;
  const void* data;
};
std::string JsonOfParts(std::span<const TilingPart> parts);

// The two structs that most tilings are: the vendor's, or ours in its place, and how the cores share the
// work.
template <class Tiling>
std::string JsonOfDataAndSplit(const Tiling& tiling, std::span<const TilingField> data,
                               std::span<const TilingField> split) {
  const TilingPart parts[] = {{data, &tiling.data}, {split, &tiling.split}};
  return JsonOfParts(parts);
}

// A struct to be filled from text.
struct TilingPartToRead {
  std::span<const TilingField> fields;
  void* data;
  bool* is_there = nullptr;      // of what may be absent: is told whether it is there
  std::string_view inside = {};  // an object within the text's that holds the sections of the part
};

// Reads such an object, or one line of `plan` that holds it under "tiling". Throws UserError that names
// `where`, every field that is unknown, missing, twice there, of a wrong type or out of range, what is
// allowed, and the mend. Knows names, widths and types; whether the numbers fit a problem or a chip is for
// WhyNot to say.
void ReadTiling(std::string_view text, std::string_view where, std::span<const TilingPartToRead> parts);

template <class Tiling>
Tiling ReadDataAndSplit(std::string_view text, std::string_view where, std::span<const TilingField> data,
                        std::span<const TilingField> split) {
  Tiling tiling;
  const TilingPartToRead parts[] = {{data, &tiling.data}, {split, &tiling.split}};
  ReadTiling(text, where, parts);
  return tiling;
}

// Tiling data as the bytes that a kernel receives: field by field, so that padding between them is zero.
template <class Data>
std::array<std::byte, sizeof(Data)> BytesOf(const Data& data, std::span<const TilingField> fields) {
  std::array<std::byte, sizeof(Data)> bytes{};
  for (const TilingField& field : fields) {
    WriteField(bytes.data(), field, ReadField(&data, field));
  }
  return bytes;
}

// The struct `name` from its bytes. Throws UserError that names `where` when there are more or fewer.
template <class Data>
Data DataFromBytes(std::span<const std::byte> bytes, std::string_view name, std::string_view where) {
  RequireUser(bytes.size() == sizeof(Data), where, ": ", bytes.size(), " bytes, must be the ", sizeof(Data),
              " bytes of ", name, "; `plan --binary` writes them");
  Data data;
  std::memcpy(&data, bytes.data(), bytes.size());
  return data;
}

}  // namespace tilesim

// Tilings as JSON: {"section": {"field": number or word, ...}, ...}, the fields in the order of
// their tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tiling/tiling_field.h"

namespace tilesim {

// A struct of a tiling, and the fields that text has of it.
struct TilingPart {
  std::span<const TilingField> fields;
  const void* data;
};
std::string JsonOfParts(std::span<const TilingPart> parts);

// Of the two structs that most tilings are: the vendor's, or ours in its place, and how the cores share the
// work.
template <class Tiling>
std::string JsonOfDataAndSplit(const Tiling& tiling) {
  const TilingPart parts[] = {{FieldsIn<decltype(tiling.data)>(), &tiling.data},
                              {FieldsIn<decltype(tiling.split)>(), &tiling.split}};
  return JsonOfParts(parts);
}
template <class Tiling>
requires requires(const Tiling& tiling) { tiling.data, tiling.split; }
std::string JsonOf(const Tiling& tiling) { return JsonOfDataAndSplit(tiling); }

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
Tiling ParseTiling(std::string_view text, std::string_view where) {
  Tiling tiling;
  const TilingPartToRead parts[] = {{FieldsIn<decltype(tiling.data)>(), &tiling.data},
                                    {FieldsIn<decltype(tiling.split)>(), &tiling.split}};
  ReadTiling(text, where, parts);
  return tiling;
}

}  // namespace tilesim

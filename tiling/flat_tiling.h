// Tilings that are one struct of numbers, "data", and a split that says how the cores share the work: as
// JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "tiling/tiling_field.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {

// {"data": {...}, "split": {"strategy": ..., "usedCoreNum": ...}}, the data's fields in byte order. Tiling
// has `data` and `split` with `strategy` (its Name is found) and `used_cores`.
template <class Tiling>
nlohmann::ordered_json FlatTilingToJson(const Tiling& tiling, std::span<const TilingField> fields) {
  nlohmann::ordered_json object;
  for (const TilingField& field : fields) {
    object[std::string(field.section)][std::string(field.name)] = ReadField(&tiling.data, field);
  }
  object["split"]["strategy"] = Name(tiling.split.strategy);
  object["split"]["usedCoreNum"] = tiling.split.used_cores;
  return object;
}

// Reads that object, or one line of `plan` that holds it under "tiling". Throws UserError that names `where`
// and everything that is wrong. strategies: the names in the order of their enumerators.
template <class Tiling>
Tiling ParseFlatTiling(std::string_view text, std::string_view where, std::span<const TilingField> fields,
                       std::span<const std::string_view> strategies) {
  constexpr std::string_view kNames[] = {"strategy", "usedCoreNum"};
  TilingTextReader reader(where, {"data", "split"});
  const nlohmann::json object = reader.Parse(text);
  Tiling tiling;
  reader.ReadFields(object, fields, &tiling.data);
  if (const nlohmann::json* const section = reader.Section(object, "split")) {
    const std::string found = reader.OneOf(*section, "split", "strategy", strategies);
    for (size_t i = 0; i < strategies.size(); ++i) {
      if (strategies[i] == found) {
        tiling.split.strategy = static_cast<decltype(tiling.split.strategy)>(i);
      }
    }
    tiling.split.used_cores =
        static_cast<int64_t>(reader.Number(*section, "split", "usedCoreNum", INT64_MAX));
    reader.RefuseUnknown(*section, "split.", kNames);
  }
  reader.Finish();
  return tiling;
}

}  // namespace tilesim

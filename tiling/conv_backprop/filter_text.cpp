#include "tiling/conv_backprop/filter_text.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/error.h"
#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/nearest_name.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kSplit = "split";
constexpr std::array<std::string_view, 4> kSections = {"params", "dwTiling", "basicBlockTiling", kSplit};

// Collects what is wrong with a text, so that one reading tells everything.
class Reader {
 public:
  explicit Reader(std::string_view where) : where_(where) {}

  json Parse(std::string_view text) {
    std::vector<std::vector<std::string>> keys;
    const auto watch = [&](int, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::object_start) {
        keys.emplace_back();
      } else if (event == json::parse_event_t::object_end) {
        keys.pop_back();
      } else if (event == json::parse_event_t::key) {
        const auto name = value.get<std::string>();
        if (std::ranges::find(keys.back(), name) != keys.back().end()) {
          Complain(Say("field '", name, "' stands twice in one object; keep one"));
        }
        keys.back().push_back(name);
      }
      return true;
    };
    try {
      return json::parse(text, watch);
    } catch (const json::parse_error& error) {
      throw UserError(Say(where_, ": not JSON at byte ", error.byte,
                          ": a tiling is an object with params, dwTiling, basicBlockTiling and split; "
                          "`plan --format json` writes one"));
    }
  }

  FilterTilingText Read(const json& root) {
    const json* tiling = &root;
    if (root.is_object() && root.contains("tiling")) {
      tiling = &root["tiling"];
    }
    if (!tiling->is_object()) {
      throw UserError(Say(where_, ": found ", tiling->type_name(),
                          ", must be an object with params, dwTiling, ",
                          "basicBlockTiling and split; `plan --format json` writes one"));
    }
    RefuseUnknown(*tiling, "", kSections);
    FilterTilingText result;
    ReadData(*tiling, result.data);
    if (tiling->contains(kSplit)) {
      result.split.emplace();
      ReadSplit((*tiling)[std::string(kSplit)], *result.split);
    }
    if (!complaints_.empty()) {
      throw UserError(Say(where_, ": ", complaints_));
    }
    return result;
  }

 private:
  void Complain(const std::string& text) { complaints_ += (complaints_.empty() ? "" : "; ") + text; }

  template <class Names>
  void RefuseUnknown(const json& object, std::string_view prefix, const Names& names) {
    for (const auto& [name, value] : object.items()) {
      if (std::ranges::find(names, name) == std::ranges::end(names)) {
        Complain(Say("unknown field '", prefix, name, "'; did you mean '", prefix, NearestName(name, names),
                     "'?"));
      }
    }
  }

  // The object of one section, or nothing (told) when it is absent or no object.
  const json* Section(const json& tiling, std::string_view name) {
    const auto found = tiling.find(name);
    if (found == tiling.end()) {
      Complain(Say("section '", name, "' is missing; add \"", name, "\": {...}"));
      return nullptr;
    }
    if (!found->is_object()) {
      Complain(Say("section '", name, "' is ", found->type_name(), ", must be an object of named numbers"));
      return nullptr;
    }
    return &*found;
  }

  // A whole number in 0..largest under `name`; told and 0 otherwise.
  uint64_t Number(const json& section, std::string_view section_name, std::string_view name,
                  uint64_t largest) {
    const std::string path = Say(section_name, ".", name);
    const auto found = section.find(name);
    if (found == section.end()) {
      Complain(Say(path, " is missing; must be a whole number 0 to ", largest));
      return 0;
    }
    if (!found->is_number_integer()) {
      Complain(Say(path, " = ", found->dump(), " is ", found->type_name(), ", must be a whole number 0 to ",
                   largest));
      return 0;
    }
    if (!found->is_number_unsigned() || found->get<uint64_t>() > largest) {
      Complain(Say(path, " = ", found->dump(), " is out of range, must be 0 to ", largest));
      return 0;
    }
    return found->get<uint64_t>();
  }

  void ReadData(const json& tiling, Conv3DBackpropFilterTilingData& data) {
    for (const std::string_view section_name : kSections) {
      const json* section = section_name == kSplit ? nullptr : Section(tiling, section_name);
      if (section == nullptr) {
        continue;
      }
      std::vector<std::string_view> names;
      for (const FilterField& field : FilterFields()) {
        if (field.section == section_name) {
          names.push_back(field.name);
          Set(data, field, Number(*section, section_name, field.name, field.largest()));
        }
      }
      RefuseUnknown(*section, Say(section_name, "."), names);
    }
  }

  // One of a few words under `name`; told when it is absent or another.
  std::string Word(const json& section, std::string_view name, std::string_view allowed) {
    const auto found = section.find(name);
    if (found == section.end() || !found->is_string()) {
      Complain(Say(kSplit, ".", name, found == section.end() ? " is missing" : Say(" = ", found->dump()),
                   "; must be one of ", allowed));
      return "";
    }
    return found->get<std::string>();
  }

  void ReadSplit(const json& section, FilterSplit& split) {
    if (!section.is_object()) {
      Complain(Say("section 'split' is ", section.type_name(), ", must be an object"));
      return;
    }
    const std::string strategy = Word(section, "strategy", KnownFilterStrategies());
    if (const auto known = ParseFilterStrategy(strategy)) {
      split.strategy = *known;
    } else if (!strategy.empty()) {
      Complain(Say("split.strategy = \"", strategy, "\"; must be one of ", KnownFilterStrategies()));
    }
    const std::string order = Word(section, "order", "row_first, column_first");
    split.row_first = order != "column_first";
    if (!order.empty() && order != "row_first" && order != "column_first") {
      Complain(Say("split.order = \"", order, "\"; must be row_first or column_first"));
    }
    std::vector<std::string_view> names = {"strategy", "order"};
    for (const FilterSplitField& field : FilterSplitFields()) {
      names.push_back(field.name);
      split.*field.member = static_cast<int64_t>(Number(section, kSplit, field.name, UINT32_MAX));
    }
    RefuseUnknown(section, "split.", names);
  }

  std::string where_;
  std::string complaints_;
};

}  // namespace

ordered_json ToJson(const FilterTiling& tiling) {
  ordered_json object;
  for (const FilterField& field : FilterFields()) {
    object[std::string(field.section)][std::string(field.name)] = Get(tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  split["strategy"] = Name(tiling.split.strategy);
  split["order"] = tiling.split.row_first ? "row_first" : "column_first";
  for (const FilterSplitField& field : FilterSplitFields()) {
    split[std::string(field.name)] = tiling.split.*field.member;
  }
  return object;
}

FilterTilingText ParseFilterTiling(std::string_view text, std::string_view where) {
  Reader reader(where);
  return reader.Read(reader.Parse(text));
}

std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> ToBytes(
    const Conv3DBackpropFilterTilingData& data) {
  // field by field: the padding between the structs stays zero
  std::array<std::byte, sizeof(Conv3DBackpropFilterTilingData)> bytes{};
  for (const FilterField& field : FilterFields()) {
    std::memcpy(bytes.data() + field.offset_bytes,
                reinterpret_cast<const std::byte*>(&data) + field.offset_bytes, field.width_bytes);
  }
  return bytes;
}

Conv3DBackpropFilterTilingData FilterDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  RequireUser(bytes.size() == sizeof(Conv3DBackpropFilterTilingData), where, ": ", bytes.size(),
              " bytes, must be the ", sizeof(Conv3DBackpropFilterTilingData),
              " bytes of Conv3DBackpropFilterTilingData; `plan --binary` writes them");
  Conv3DBackpropFilterTilingData data;
  std::memcpy(&data, bytes.data(), bytes.size());
  return data;
}

}  // namespace tilesim

#pragma once
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// Reads tiling data from JSON and collects what is wrong with the text, so that one reading tells everything.
// Knows names, widths and types, but no operator: the fields come in a table.
class TilingTextReader {
 public:
  // `where` names the text in messages; `sections` are the objects that a tiling consists of, `extra` those
  // that some have, too.
  TilingTextReader(std::string_view where, std::vector<std::string_view> sections,
                   std::vector<std::string_view> extra = {});

  // The tiling object in `text`, which is that object or one line of `plan` that holds it under "tiling".
  // Throws UserError when there is none.
  nlohmann::json Parse(std::string_view text);

  // Fills the struct at `data` from the sections that the fields name.
  void ReadFields(const nlohmann::json& tiling, std::span<const TilingField> fields, void* data);

  // A whole number in 0..largest under `name`; told and 0 otherwise.
  uint64_t Number(const nlohmann::json& section, std::string_view section_name, std::string_view name,
                  uint64_t largest);
  // One of a few words under `name`; told with the nearest of them when it is another, and empty.
  std::string OneOf(const nlohmann::json& section, std::string_view section_name, std::string_view name,
                    std::span<const std::string_view> words);
  // The object of one section, or nothing (told) when it is absent or no object.
  const nlohmann::json* Section(const nlohmann::json& tiling, std::string_view name);

  template <class Names>
  void RefuseUnknown(const nlohmann::json& object, std::string_view prefix, const Names& names) {
    for (const auto& [name, value] : object.items()) {
      if (std::ranges::find(names, name) == std::ranges::end(names)) {
        const std::string meant = DidYouMean(name, names, Say("'", prefix), "'");
        Complain(Say("unknown field '", prefix, name, "'; ",
                     meant.empty() ? "remove it" : meant.substr(0, meant.size() - 1)));  // without its blank
      }
    }
  }
  void Complain(const std::string& text) { complaints_.push_back(text); }
  // All that `part`, which read an object inside this text, was told, each behind `prefix`.
  void TakeOver(const TilingTextReader& part, std::string_view prefix);

  // Throws UserError with all that was told.
  void Finish() const;

 private:
  [[nodiscard]] std::string Shape() const;  // "an object with conv3DDxTiling and split"
  [[nodiscard]] std::string MissingText() const;
  // Of a line of `plan`, what stands beside its tiling.
  void RefuseUnknownBeside(const nlohmann::json& line);

  std::string where_;
  std::vector<std::string_view> sections_;
  std::vector<std::string_view> extra_;
  std::vector<std::string> complaints_;
  std::vector<std::string> missing_;  // numbers that are not there
};

}  // namespace tilesim

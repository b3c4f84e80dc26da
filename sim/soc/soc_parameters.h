// What the parameters of a part may be: loader, bounds, messages, --set and --help all come from one row
// each. Knows no value of any part.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/soc/soc_config.h"

namespace tilesim {

// To add one: a member in soc_config.h, a row in soc_parameters.cpp, a line in each configs/*.cfg.
struct SocParameter {
  std::string_view key;  // section.name
  std::variant<int64_t SocConfig::*, double SocConfig::*> member;
  std::string_view unit;  // empty: none
  double least = 0;
  double most = 0;
  int64_t multiple = 1;  // whole numbers must be a multiple of it
  std::string_view says;

  // "16 bytes"
  std::string WithUnit(std::string_view text) const;
};

// All of them, in the order of the files.
[[nodiscard]] std::span<const SocParameter> SocParameters();

// The one of this key; null if there is none.
[[nodiscard]] const SocParameter* FindSocParameter(std::string_view key);

// The values that a part has of them, in the same order.
[[nodiscard]] std::vector<double> SocValues(const SocConfig& soc);

// One line a parameter: key, bounds, unit and what it says; for --help.
[[nodiscard]] std::string SocParameterHelp();

}  // namespace tilesim

#pragma once

#include <string_view>
#include <vector>

#include "sim/soc/soc_config.h"

namespace tilesim {

// What a parameter of a part may be, as the loader checks it. Knows no value of any part.
struct SocParameter {
  std::string_view key;  // section.name
  std::string_view unit;
  double least = 0;
  double most = 0;
  std::string_view says;
};

// All of them, in the order of the files.
[[nodiscard]] std::vector<SocParameter> SocParameters();

// Their values, in the same order.
[[nodiscard]] std::vector<double> SocValues(const SocConfig& soc);

}  // namespace tilesim

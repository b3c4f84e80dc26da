#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"

namespace tilesim {

// What planner op says of the tiling it took: its estimate, and that of planner api's tiling where there is
// one.
inline std::vector<std::string> EstimateSentences(double cycles, std::string_view bound_by, int64_t tried,
                                                  const std::optional<double>& api_cycles) {
  std::vector<std::string> sentences = {Say("estimated ", static_cast<int64_t>(cycles), " cycles, bound by ",
                                            bound_by, "; ", Counted(tried, "tiling was", "tilings were"),
                                            " estimated")};
  if (api_cycles) {
    sentences.push_back(
        Say("planner api's tiling: estimated ", static_cast<int64_t>(*api_cycles), " cycles"));
  }
  return sentences;
}

}  // namespace tilesim

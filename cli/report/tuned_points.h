#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilesim {

// A tiling that `tune --objective pareto` has found to be beaten by none in all respects.
struct TunedPoint {
  double time_us = 0;
  int64_t gm_bytes = 0;
  int64_t l1_bytes = 0;
  int64_t cores = 0;
};

// By case id, of the tuned.csv that such a run wrote. Throws UserError with file and line for what is none.
using TunedPoints = std::map<std::string, std::vector<TunedPoint>>;
TunedPoints ReadTunedPoints(const std::string& path);

}  // namespace tilesim

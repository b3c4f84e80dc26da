#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ops/cases/case_file.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// A tiling that `tune --objective pareto` has found to be beaten by none in all respects.
struct TunedPoint {
  std::string place = {};  // "tuned.csv:3", where it was read
  std::string soc;         // what its time is of: the part,
  std::string model;       // the clock and the part's figures,
  std::string problem;     // TextOf the key
  double time_us = 0;
  int64_t gm_bytes = 0;
  int64_t l1_bytes = 0;
  int64_t cores = 0;
};

// By case id, of the tuned.csv that such a run wrote. Throws UserError with file and line for what is none.
using TunedPoints = std::map<std::string, std::vector<TunedPoint>>;
TunedPoints ReadTunedPoints(const std::string& path);

// "", or how the point's part, model or problem differ from the case's: "found m=64 n=64, needed m=128 n=32".
std::string WhyOfAnother(const TunedPoint& point, const Case& problem, const SocConfig& soc);

}  // namespace tilesim

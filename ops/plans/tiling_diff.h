// Two tilings of one case: the fields that differ, and what each of them alone costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/operator.h"
#include "ops/plans/plan.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What a launch costs, as far as its tiling has a say in it.
struct TilingCost {
  int64_t cycles = 0;
  double time_us = 0;  // with the launch, which takes longer on more cores
  int64_t cores = 0;
  int64_t gm_bytes = 0;      // read and written, by all cores
  int64_t stall_cycles = 0;  // of the core that ends last: in which its busiest pipe stood idle
  std::string stalled_by;    // the largest cause of these: "M: MTE2 at work"; empty where there are none
};

// A field by its path, with its value in either tiling as text.
struct TilingFieldDifference {
  std::string path;  // "dwTiling.baseM"
  std::string first;
  std::string second;
  friend bool operator==(const TilingFieldDifference&, const TilingFieldDifference&) = default;
};

// The first tiling with the second's values in some fields, as few as fit: none can be left out.
struct TilingChange {
  std::vector<TilingFieldDifference> fields;
  std::optional<TilingCost> cost;
  std::string why_not;  // where the tile program stops at a fault: the first
};

struct TilingDiff {
  TilingCost first;
  TilingCost second;
  // Each field that differs stands in one at least: alone where it fits so, otherwise with the others that it
  // needs. In the order of the tiling's text.
  std::vector<TilingChange> changes;
};

// Of two legal plans of the operator on that part, of up to `cores` cores. Simulates, in timing mode, both
// and one more tiling for each change; `threads`: of the host, 0: all. Throws UserError where one of the two
// does not come to its end.
TilingDiff DiffTilings(const Operator& op, const Plan& first, const Plan& second, const SocConfig& soc,
                       int64_t cores, int threads);

}  // namespace tilesim

// conv3d_backprop_filter and conv2d_backprop_filter: the weight gradient, planned and run as a tile program
// on the simulated part.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/filter_problem.h"
#include "tiling/conv_backprop/filter_tiling.h"

namespace tilesim {

enum class PlannerKind : uint8_t { kOp, kApi };

// A tiling, or why there is none. Not legal: `reasons` say what stops it, and it must not be run.
struct FilterPlan {
  FilterTiling tiling;
  bool legal = false;
  std::string planner;  // "op", "api", "given"
  // What stops it; of planner `api` also what its caller has to heed.
  std::vector<std::string> reasons;
  // Of a legal plan: what was chosen, over what, and what stops it from more.
  std::vector<std::string> why = {};
};

// The problem as the planners see it: pads as stated, or as windows really reach where the rounding is not
// floor.
FilterProblem ToFilterProblem(const Conv3dProblem& problem);

FilterPlan PlanFilter(const Conv3dProblem& problem, PlannerKind planner, const SocConfig& soc, int64_t cores);
// A tiling given by hand, checked.
FilterPlan CheckFilterTiling(const Conv3dProblem& problem, const FilterTiling& tiling, const SocConfig& soc,
                             int64_t cores);

struct FilterRunOptions {
  RunMode mode = {};
  int threads = 0;  // host threads; 0: all
  Observer* observer = nullptr;
  std::optional<SourceLine> drop_sync = std::nullopt;
  std::set<SyncSite>* sync_sites = nullptr;
};

struct FilterRun {
  Tensor dw;            // fp32 in the problem's filter layout; zeros without values
  LaunchResult launch;  // buffers x, dy, dw of GM
};

// x, dy: of the problem's dtype, in any layout of the problem's logical extents. Taken over and given back to
// the system once they stand in the device's layout, so that a run holds one copy of each. `plan` must be
// legal.
FilterRun RunFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc, Tensor x,
                    Tensor dy, const FilterRunOptions& options);
// Time only: no tensors. The launch says what TimeFilter starts, for observers that want to know it before.
LaunchOptions TimedFilterLaunch(const Conv3dProblem& problem, const FilterPlan& plan,
                                const FilterRunOptions& options);  // buffers x, dy, dw
LaunchResult TimeFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc,
                        const FilterRunOptions& options);

}  // namespace tilesim

#include "sim/core/timeline.h"

namespace tilesim {

TimelineCosts TimelineCosts::Of(const SocConfig& soc) {
  TimelineCosts costs{.scalar_issue_cycles = soc.scalar_issue_cycles,
                      .flag_cycles = soc.flag_cycles,
                      .barrier_cycles = soc.barrier_cycles,
                      .queue_depth = {}};
  const auto depth = [&](Pipe pipe) -> int64_t& { return costs.queue_depth[static_cast<size_t>(pipe)]; };
  depth(Pipe::kV) = soc.queue_v;
  depth(Pipe::kM) = soc.queue_m;
  depth(Pipe::kMte1) = soc.queue_mte1;
  depth(Pipe::kMte2) = soc.queue_mte2;
  depth(Pipe::kMte3) = soc.queue_mte3;
  depth(Pipe::kFix) = soc.queue_fix;
  return costs;
}

}  // namespace tilesim

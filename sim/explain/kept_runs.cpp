#include "sim/explain/kept_runs.h"

namespace tilesim {

void RunKeeper::OnRun(const TimedRun& timed) {
  if (core_ >= 0 && timed.core_index != core_) {
    return;
  }
  runs_[static_cast<size_t>(timed.core_index)].push_back({.core = timed.core_index,
                                                          .run = timed.run,
                                                          .name = timed.step.name,
                                                          .where = timed.step.where,
                                                          .pipe = timed.step.pipe,
                                                          .span = timed.span,
                                                          .reason = timed.reason,
                                                          .issued_after = timed.issued_after,
                                                          .miss_cycles = timed.gm.miss_cycles,
                                                          .share_cycles = timed.gm.share_cycles});
}

const KeptRun* RunKeeper::Find(int core, int64_t run) const {
  if (core < 0 || run < 0) {
    return nullptr;
  }
  const std::vector<KeptRun>& runs = runs_[static_cast<size_t>(core)];
  return run < static_cast<int64_t>(runs.size()) ? &runs[static_cast<size_t>(run)] : nullptr;
}

}  // namespace tilesim

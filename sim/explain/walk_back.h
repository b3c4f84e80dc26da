// Why something did not happen earlier: from a moment back in time, over whatever was waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/explain/cause.h"
#include "sim/explain/kept_runs.h"

namespace tilesim {

// A stretch [begin, end) of the way back, and what went on then that had to end first.
struct Stretch {
  int64_t begin = 0;
  int64_t end = 0;
  Cause cause = Cause::kIssue;
  Pipe pipe = Pipe::kS;
  int core = 0;
  const KeptRun* run = nullptr;    // the instruction that was at work, or whose result was on its way
  std::optional<Pipe> queue = {};  // the way came over a full queue: of this pipe, the one nearest to its end
};

// Goes back from `until` to `from`. The stretches follow each other without gaps, the latest first: each
// cycle has one cause, however many waits lie between it and `until`. `runs` must keep all that the way leads
// over: of other cores too, where the core waits for them.
class WalkBack {
 public:
  using Visit = std::function<void(const Stretch&)>;

  WalkBack(const RunKeeper& runs, int core, int64_t from, int64_t until, const Visit& visit)
      : runs_(runs), visit_(visit), from_(from), at_(until), core_(core) {}

  // `run` starts at `until`.
  void BeforeStart(const KeptRun& run);
  // The scalar unit has been issuing since it waited for what `reason` says.
  void AfterIssuing(const Trail& reason);
  // Somebody waited until `until` for what `reason` says.
  void AfterWaiting(const Trail& reason);
  // At `until`, `run` had started.
  void While(const KeptRun& run);

 private:
  const KeptRun* ReasonOfStart(const KeptRun& run);
  const KeptRun* Waited(const Trail& reason);
  void FollowFrom(const KeptRun* run);
  void DownTo(int64_t time, Cause cause, Pipe pipe, const KeptRun* run = nullptr);
  void WorkDownTo(const KeptRun& run);

  const RunKeeper& runs_;
  const Visit& visit_;
  int64_t from_;
  int64_t at_;  // everything later is told
  int core_;    // on which the way is
  std::optional<Pipe> queue_ = std::nullopt;
};

// The work of `run` in [begin, end) of its time on its pipe, the latest first: what of it L2's misses and
// other cores cost is told apart, in proportion.
void TellWork(const KeptRun& run, int64_t begin, int64_t end,
              const std::function<void(int64_t begin, int64_t end, Cause)>& tell);

}  // namespace tilesim

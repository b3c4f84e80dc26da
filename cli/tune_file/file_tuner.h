#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/kernel_file.h"
#include "cli/progress.h"
#include "cli/tune/shard.h"
#include "cli/tune/tune_limits.h"
#include "cli/tune_file/combination.h"
#include "cli/tune_file/tried_file.h"
#include "cli/tune_file/varied.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// Tries combinations of a kernel file: the default first, then others until the budget is over, then in full
// those that may be the best. Knows what is better; prints nothing but progress.
class FileTuner {
 public:
  // Throws UserError for what the command line has wrong.
  FileTuner(const Arguments& arguments, NotedInterrupt& interrupt);

  // Takes over what earlier runs have left and runs the default. What it says of values.
  std::string Begin();
  void Search();
  // Where one of them takes other cycles with values than without, all that were tried are run with values.
  // What it says of that; empty: nothing.
  std::string RunBestInFull();

  [[nodiscard]] const SocConfig& soc() const { return soc_; }
  [[nodiscard]] const CombinationSpace& space() const { return space_; }
  [[nodiscard]] size_t num_candidates() const { return candidates_.size(); }
  [[nodiscard]] const std::map<size_t, Tried>& results() const { return results_; }
  // The best whose result is right; nothing where there is none.
  [[nodiscard]] std::optional<size_t> Best() const;
  // All results: those that may be right by the objective, then the others.
  [[nodiscard]] std::vector<size_t> InOrder() const;
  // "best, default", "front"
  [[nodiscard]] std::string RoleOf(size_t number) const;
  // The file of results; empty: none.
  [[nodiscard]] std::string KeptIn() const;

 private:
  enum class Objective : uint8_t { kTime, kTraffic, kPareto };

  [[nodiscard]] TriedIdentity Identity();
  // Results of a file that are of this run's values.
  void Take(const TriedResults& results);
  [[nodiscard]] std::vector<size_t> BestFirst() const;
  // Of those, which no other one beats in time and traffic.
  [[nodiscard]] std::vector<size_t> Front() const;
  [[nodiscard]] std::optional<size_t> NextInFull() const;
  // Those that were run without values.
  [[nodiscard]] std::vector<size_t> TimedOnly() const;
  // False where the budget's time was over or an interrupt came before all were tried.
  bool TryAll(const std::vector<size_t>& batch);
  void Try(size_t number, bool values, int threads);
  // Without values; in full where it has not as many launches as the default: whether its program ended
  // early, or does the work in another way, its result tells.
  Tried Timed(size_t number, int threads);

  const Arguments& arguments_;
  NotedInterrupt& interrupt_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const SocConfig soc_;
  const Shard shard_;
  const TuneLimits limits_;
  const Objective objective_;
  const FileCall call_;
  const CombinationSpace space_;
  const std::vector<size_t> candidates_;
  CombinationRunner runner_;
  Progress progress_;
  std::mutex mutex_;  // of all that follows, while threads try
  std::map<size_t, Tried> results_;
  std::optional<TriedFile> file_;
  bool values_off_ = false;
  int64_t launches_of_default_ = 0;
};

}  // namespace tilesim

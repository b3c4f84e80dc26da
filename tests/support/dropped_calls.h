// Takes each synchronising call of a tile program away in turn.
#ifndef TILESIM_TESTS_SUPPORT_DROPPED_CALLS_H_
#define TILESIM_TESTS_SUPPORT_DROPPED_CALLS_H_

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "ops/operator_run.h"
#include "tests/support/sync_calls.h"

namespace tilesim::testing {

// Runs all cases of a tile program; how many faults they had.
using RunCases = std::function<size_t(const RunOptions& options)>;

// Every synchronising call in `file` and what it includes is reached, stands on a line of its own, and is
// reported when it is missing. Returns how many of each name there are.
inline std::map<std::string, int> ExpectEachCallIsNeeded(const std::string& file, const RunCases& run) {
  std::set<SyncSite> sites;
  EXPECT_EQ(run({.threads = 2, .sync_sites = &sites}), 0u);
  std::map<std::string, int> tried;
  std::set<std::pair<std::string, int>> lines;
  for (const WrittenCall& call : SynchronisingCalls(file, /*without_orders=*/true)) {
    const std::string what = call.call + " at " + call.file + ":" + std::to_string(call.line);
    EXPECT_TRUE(lines.insert({call.file, call.line}).second)
        << what << " shares its line: it cannot be dropped alone";
    const auto site = std::ranges::find_if(sites, [&](const SyncSite& met) { return IsOf(met, call); });
    if (site == sites.end()) {
      ADD_FAILURE() << what << " is reached by no case";
      continue;
    }
    ++tried[call.call];
    EXPECT_GT(run({.threads = 2, .drop_sync = site->where}), 0u)
        << what << " can be taken away without a report";
  }
  return tried;
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_SUPPORT_DROPPED_CALLS_H_

// Every synchronising call of the filter gradient's tile program is needed, and none is missing: each is
// taken away in turn, and the run must then report it on some case; with all of them there is nothing to
// report.
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/filter_cases.h"

namespace tilesim {
namespace {

using testing::FilterCase;

LaunchResult RunCase(const FilterCase& test, const SocConfig& soc, std::optional<SourceLine> drop,
                     std::set<SyncSite>* sites) {
  testing::FilterInputs inputs = testing::MakeInputs(test.problem, 1, true);
  FilterRunOptions options;
  options.threads = 2;
  options.drop_sync = drop;
  options.sync_sites = sites;
  return RunFilter(test.problem, testing::MakePlan(test.problem, test.tiling, soc), soc, std::move(inputs.x),
                   std::move(inputs.dy), options)
      .launch;
}

// Does the program write the call itself on that line? (A TPipe or AllocTensor makes flag calls of its own.)
bool WrittenByTheProgram(const SyncSite& site) {
  const std::string file = site.where.file;
  if (file.find("ops/") == std::string::npos) {
    return false;
  }
  std::ifstream source(file.substr(file.find("ops/")));
  EXPECT_TRUE(source.good()) << file;
  std::string line;
  for (int i = 0; i < site.where.line; ++i) {
    std::getline(source, line);
  }
  return line.find(site.call + "<") != std::string::npos || line.find(site.call + "(") != std::string::npos;
}

TEST(FilterSynchronisation, IsCleanAsWritten) {
  const SocConfig soc = LoadSoc("ascend910b2");
  for (const FilterCase& test : testing::SynchronisationCases()) {
    const LaunchResult result = RunCase(test, soc, std::nullopt, nullptr);
    for (const Fault& fault : result.faults) {
      ADD_FAILURE() << test.name << ": " << fault.Text();
    }
  }
}

TEST(FilterSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::vector<FilterCase> cases = testing::SynchronisationCases();
  std::set<SyncSite> sites;
  for (const FilterCase& test : cases) {
    RunCase(test, soc, std::nullopt, &sites);
  }
  std::map<std::string, int> tried;
  for (const SyncSite& site : sites) {
    if (!WrittenByTheProgram(site)) {
      continue;
    }
    ++tried[site.call];
    bool reported = false;
    for (const FilterCase& test : cases) {
      reported = reported || !RunCase(test, soc, site.where, nullptr).faults.empty();
    }
    EXPECT_TRUE(reported) << site.call << " at " << site.where.file << ":" << site.where.line
                          << " can be taken away without a report";
  }
  for (const char* call : {"SetFlag", "WaitFlag", "PipeBarrier", "EnQue", "DeQue", "FreeTensor",
                           "CrossCoreSetFlag", "CrossCoreWaitFlag"}) {
    EXPECT_GT(tried[call], 0) << call << " was never met";
  }
}

}  // namespace
}  // namespace tilesim

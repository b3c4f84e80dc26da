// Every synchronising call of the input gradient's tile program is needed, and none is missing: each is taken
// away in turn, and the run must then report it on some case; with all of them there is nothing to report.
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/input_cases.h"

namespace tilesim {
namespace {

using testing::InputCase;

LaunchResult RunCase(const InputCase& test, const SocConfig& soc, std::optional<SourceLine> drop,
                     std::set<SyncSite>* sites) {
  testing::InputInputs inputs = testing::MakeInputInputs(test.problem, 1, true);
  RunOptions options;
  options.threads = 2;
  options.drop_sync = drop;
  options.sync_sites = sites;
  return RunInput(test.problem, testing::MakeInputPlan(test.problem, test.tiling), soc, std::move(inputs.dy),
                  std::move(inputs.filter), options)
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

TEST(InputSynchronisation, IsCleanAsWritten) {
  const SocConfig soc = LoadSoc("ascend910b2");
  for (const InputCase& test : testing::InputSynchronisationCases()) {
    const LaunchResult result = RunCase(test, soc, std::nullopt, nullptr);
    for (const Fault& fault : result.faults) {
      ADD_FAILURE() << test.name << ": " << fault.Text();
    }
  }
}

TEST(InputSynchronisation, EachCallIsMissedWhenItIsTakenAway) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::vector<InputCase> cases = testing::InputSynchronisationCases();
  std::set<SyncSite> sites;
  for (const InputCase& test : cases) {
    RunCase(test, soc, std::nullopt, &sites);
  }
  std::map<std::string, int> tried;
  for (const SyncSite& site : sites) {
    if (!WrittenByTheProgram(site)) {
      continue;
    }
    ++tried[site.call];
    bool reported = false;
    for (const InputCase& test : cases) {
      reported = reported || !RunCase(test, soc, site.where, nullptr).faults.empty();
    }
    EXPECT_TRUE(reported) << site.call << " at " << site.where.file << ":" << site.where.line
                          << " can be taken away without a report";
  }
  EXPECT_EQ(tried["PipeBarrier"], 2) << "one on the cube, one between zeros and pixels in L1";
  for (const char* call : {"SetFlag", "WaitFlag", "EnQue", "DeQue", "FreeTensor"}) {
    EXPECT_GT(tried[call], 0) << call << " was never met";
  }
}

}  // namespace
}  // namespace tilesim

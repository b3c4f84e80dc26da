// Takes the synchronising calls of a tile program away, one by one, and expects of each that the run says so.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "tests/support/sync_calls.h"

namespace tilesim::testing {

// A tile program and the cases that it runs on.
struct MutatedProgram {
  std::string source;  // "ops/..._kernel.h"
  std::vector<std::string> cases;
  // Runs a case, given by its place in `cases`, without the synchronising call of the line.
  std::function<LaunchResult(size_t, std::optional<SourceLine>, std::set<SyncSite>*)> run;
};

// Does a fault say what is wrong without the call: of the two accesses that nothing orders now, or of its
// partner (the wait without its set, the DeQue of an empty queue) in the same file? Other faults do not
// count.
bool Tells(const LaunchResult& result, const WrittenCall& call);

// Expects of every call that some case reaches it, that what is reported without it tells of it, and that at
// least two cases report it, where two reach it; a run that makes a part takes away one in so many calls.
// Gives how often each call stands in the source.
std::map<std::string, int> ExpectEachCallIsMissed(const MutatedProgram& program);

}  // namespace tilesim::testing

#include "tests/support/sync_mutation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "tests/support/repetitions.h"

namespace tilesim::testing {
namespace {

bool Says(const Fault& fault, const std::string& words) {
  return fault.what.find(words) != std::string::npos;
}

// Of a queue's tensor the queue's calls are advised, with the flag that they use.
bool IsHazardOf(const Fault& fault, const std::string& flag) {
  return fault.kind == FaultKind::kHazard && (Says(fault, Say("SetFlag/WaitFlag<", flag, ">")) ||
                                              Says(fault, Say(" set and wait for ", flag, ",")));
}

// Is the fault of `instruction`, called in the file of `call`?
bool IsOfPartner(const Fault& fault, const char* instruction, const WrittenCall& call) {
  return fault.instruction == instruction && fault.where.file != nullptr &&
         std::string_view(fault.where.file).ends_with(call.file);
}

bool IsQueueFaultOf(const Fault& fault, const char* instruction, const WrittenCall& call) {
  return fault.kind == FaultKind::kQueue && IsOfPartner(fault, instruction, call);
}

bool TellsOf(const Fault& fault, const WrittenCall& call) {
  if (call.call == "SetFlag") {
    return fault.kind == FaultKind::kDeadlock && fault.instruction == "WaitFlag" &&
           Says(fault, Say("no SetFlag<", call.orders, ">"));
  }
  if (call.call == "WaitFlag") {
    return IsHazardOf(fault, call.orders) ||
           (fault.kind == FaultKind::kFlag && Says(fault, Say(call.orders, " flag ")));
  }
  if (call.call == "PipeBarrier") {
    return fault.kind == FaultKind::kHazard && Says(fault, Say("PipeBarrier<PIPE_", call.orders, ">"));
  }
  if (call.call == "EnQue") {
    return IsQueueFaultOf(fault, "DeQue", call);
  }
  if (call.call == "DeQue") {  // what comes next has no tensor, on the pipe that DeQue holds back
    return IsHazardOf(fault, call.orders) || IsQueueFaultOf(fault, "FreeTensor", call) ||
           (fault.kind == FaultKind::kQueue && Says(fault, "is an empty LocalTensor") &&
            call.orders.ends_with("_" + fault.pipe));
  }
  if (call.call == "FreeTensor") {  // or the end of the kernel, which tells where the tensor was taken
    return IsQueueFaultOf(fault, "AllocTensor", call) || IsQueueFaultOf(fault, "DeQue", call);
  }
  if (call.call == "AllocTensor") {  // or its flag, which the next FreeTensor finds still set
    return IsHazardOf(fault, call.backward) ||
           (fault.kind == FaultKind::kFlag && Says(fault, Say(call.backward, " flag ")));
  }
  if (call.call == "CrossCoreSetFlag") {
    return fault.kind == FaultKind::kDeadlock && IsOfPartner(fault, "CrossCoreWaitFlag", call);
  }
  return (call.call == "CrossCoreWaitFlag" || call.call == "SyncAll") && fault.kind == FaultKind::kHazard &&
         Says(fault, "no cross-core flag orders the two");
}

// A wait left out is told of by its flag, too, where each core writes only what it has filled itself.
bool IsOfFlagLeftSet(const LaunchResult& result, const WrittenCall& call) {
  return call.call == "CrossCoreWaitFlag" && std::ranges::any_of(result.faults, [&](const Fault& fault) {
           return fault.kind == FaultKind::kFlag && IsOfPartner(fault, "CrossCoreSetFlag", call);
         });
}

std::string AllOf(const LaunchResult& result) {
  std::string text;
  for (const Fault& fault : result.faults) {
    text += "\n  " + fault.Text();
  }
  return text;
}

}  // namespace

bool Tells(const LaunchResult& result, const WrittenCall& call) {
  return std::ranges::any_of(result.faults, [&](const Fault& fault) { return TellsOf(fault, call); });
}

std::map<std::string, int> ExpectEachCallIsMissed(const MutatedProgram& program) {
  std::vector<std::set<SyncSite>> sites(program.cases.size());
  for (size_t i = 0; i < program.cases.size(); ++i) {
    program.run(i, std::nullopt, &sites[i]);
  }
  std::map<std::string, int> tried;
  std::set<std::pair<std::string, int>> lines;
  int number = 0;
  for (const WrittenCall& call : SynchronisingCalls(program.source)) {
    EXPECT_TRUE(lines.insert({call.file, call.line}).second)
        << call.Text() << " shares its line: it cannot be dropped alone";
    const bool is_tried = IsOfThisPart(number++);
    int reached = 0;
    int told = 0;
    for (size_t i = 0; i < program.cases.size(); ++i) {
      const auto site = std::ranges::find_if(sites[i], [&](const SyncSite& met) { return IsOf(met, call); });
      if (site == sites[i].end()) {
        continue;
      }
      ++reached;
      if (!is_tried) {
        continue;
      }
      const LaunchResult result = program.run(i, site->where, nullptr);
      const bool tells = Tells(result, call);
      told += tells ? 1 : 0;
      EXPECT_TRUE(tells || result.faults.empty() || IsOfFlagLeftSet(result, call))
          << call.Text() << " is taken away from " << program.cases[i]
          << ", and no report tells of it:" << AllOf(result);
    }
    EXPECT_GT(reached, 0) << call.Text() << " is reached by no case";
    EXPECT_GE(told, is_tried ? std::min(reached, 2) : 0)
        << call.Text() << " can be taken away without a report, of " << reached << " cases that reach it";
    tried[call.call] += reached > 0 ? 1 : 0;
  }
  return tried;
}

}  // namespace tilesim::testing

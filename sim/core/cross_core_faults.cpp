#include "sim/core/cross_core_faults.h"

#include <set>
#include <string>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

bool WaitsForOthers(const Fault& fault) {
  return fault.kind == FaultKind::kDeadlock && (fault.operand == "flagId" || fault.operand == "gmWorkspace");
}

}  // namespace

void TellDeadlockOnce(std::span<std::optional<Fault>> fatal) {
  std::optional<Fault>* first = nullptr;
  std::string others;
  bool failed = false;
  for (std::optional<Fault>& fault : fatal) {
    if (fault && !WaitsForOthers(*fault)) {
      failed = true;
    } else if (fault && first == nullptr) {
      first = &fault;
    } else if (fault) {
      others += Say(others.empty() ? "; so do " : ", ", fault->core);
      fault.reset();
    }
  }
  if (first != nullptr && failed) {
    first->reset();
  } else if (first != nullptr) {
    (*first)->what += others;
  }
}

std::vector<Fault> UnbalancedFlags(const CrossCoreFlags& flags,
                                   std::span<const std::unique_ptr<Core>> cores) {
  std::vector<Fault> faults;
  std::set<int> told;
  for (const CrossCoreEvent& event : flags.Unbalanced()) {
    if (told.insert(event.id).second) {
      Fault fault = cores[static_cast<size_t>(event.core_index)]->MakeFault(
          FaultKind::kFlag, "flagId",
          Say("cross-core flag ", event.id, " (mode ", event.mode,
              ") is set and never waited for, or the others of its group never set it"));
      fault.instruction = "CrossCoreSetFlag";
      fault.where = event.where;
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

}  // namespace tilesim

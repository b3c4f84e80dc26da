#include "sim/core/cross_core_faults.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

bool WaitsForOthers(const Fault& fault) {
  return fault.kind == FaultKind::kDeadlock && (fault.operand == "flagId" || fault.operand == "gmWorkspace");
}

// Without how often.
std::string_view Once(std::string_view what) {
  return what.ends_with(" times)") ? what.substr(0, what.rfind(" (")) : what;
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

std::vector<Fault> WithAlikeAsOne(std::vector<Fault> faults) {
  struct Alike {
    size_t first;           // of the faults kept
    std::string last_core;  // that has it
  };
  std::map<std::string, Alike> alike;
  std::vector<Fault> kept;
  for (Fault& fault : faults) {
    if (fault.where.line == 0) {  // no telling whether it is the same call
      kept.push_back(std::move(fault));
      continue;
    }
    std::string key = Say(static_cast<int>(fault.kind), fault.instruction, '|', fault.operand, '|',
                          fault.where.file, ':', fault.where.line, '|', Once(fault.what));
    const auto [at, is_new] = alike.try_emplace(std::move(key), Alike{kept.size(), fault.core});
    if (!is_new && at->second.last_core != fault.core) {
      ++kept[at->second.first].cores;
      at->second.last_core = fault.core;
    } else if (is_new || kept[at->second.first].core == fault.core) {
      kept.push_back(std::move(fault));
    }
  }
  return kept;
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

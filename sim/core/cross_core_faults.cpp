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
  return fault.kind == FaultKind::kDeadlock &&
         (fault.operand == "flagId" || fault.operand == "gmWorkspace" || fault.operand == "message");
}

// Without how often, and without the places and other numbers, which each core has its own of; lines and the
// numbers of names stay.
std::string Alike(std::string_view what) {
  if (what.ends_with(" times)")) {
    what = what.substr(0, what.rfind(" ("));
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string alike;
  bool in_number = false;
  for (const char c : what) {
    const char before = alike.empty() ? ' ' : alike.back();
    const bool begins = is_digit(c) && (before == ' ' || before == '[' || before == '(' || before == '-');
    in_number = begins || (in_number && is_digit(c));
    if (begins || !in_number) {
      alike += begins ? '#' : c;
    }
  }
  return alike;
}

}  // namespace

void TellDeadlockOnce(std::span<std::optional<Fault>> fatal) {
  // A core that waits for messages, or for the answer to one, waits for what another one waits for.
  std::optional<Fault>* first = nullptr;
  for (std::optional<Fault>& fault : fatal) {
    if (fault && WaitsForOthers(*fault) &&
        (first == nullptr || ((*first)->operand == "message" && fault->operand != "message"))) {
      first = &fault;
    }
  }
  std::string others;
  bool failed = false;
  for (std::optional<Fault>& fault : fatal) {
    if (fault && !WaitsForOthers(*fault)) {
      failed = true;
    } else if (fault && &fault != first) {
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
  std::map<std::string, size_t> alike;                           // which of the faults kept
  std::map<std::pair<std::string, std::string>, int> on_a_core;  // how many, by key and core
  std::vector<Fault> kept;
  for (Fault& fault : faults) {
    if (fault.where.line == 0) {  // no telling whether it is the same call
      kept.push_back(std::move(fault));
      continue;
    }
    std::string key = Say(static_cast<int>(fault.kind), fault.instruction, '|', fault.operand, '|',
                          fault.where.file, ':', fault.where.line, '|', Alike(fault.what));
    // the first on each core are one, the second on each, and so on
    key += Say('|', ++on_a_core[{key, fault.core}]);
    const auto [at, is_new] = alike.try_emplace(std::move(key), kept.size());
    if (is_new) {
      kept.push_back(std::move(fault));
    } else {
      ++kept[at->second].cores;
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

#include "ops/harness/harness_faults.h"

#include <algorithm>
#include <array>

#include "formats/error.h"

namespace tilesim {
namespace {

struct KindWords {
  FaultKind kind;
  std::string_view one;
  std::string_view many;
};
constexpr std::array<KindWords, 11> kKinds = {{
    {FaultKind::kHazard, "hazard", "hazards"},
    {FaultKind::kUninitialised, "uninitialised read", "uninitialised reads"},
    {FaultKind::kDeadlock, "deadlock", "deadlocks"},
    {FaultKind::kFlag, "wrong flag", "wrong flags"},
    {FaultKind::kBounds, "access out of bounds", "accesses out of bounds"},
    {FaultKind::kAlignment, "misaligned operand", "misaligned operands"},
    {FaultKind::kCapacity, "memory over capacity", "memories over capacity"},
    {FaultKind::kLimit, "parameter over its limit", "parameters over their limits"},
    {FaultKind::kQueue, "misused queue", "misused queues"},
    {FaultKind::kMisuse, "misuse", "misuses"},
    {FaultKind::kCrash, "crash", "crashes"},
}};

}  // namespace

std::string TextOf(const std::vector<Fault>& faults) {
  std::string text = faults.front().Text();
  if (faults.size() == 1) {
    return text;
  }
  std::string counts;
  for (const KindWords& words : kKinds) {
    const auto count = std::ranges::count(faults, words.kind, &Fault::kind);
    if (count > 0) {
      counts += Say(counts.empty() ? "" : ", ", count, " ", count == 1 ? words.one : words.many);
    }
  }
  text += Say("\nthat is the first of ", faults.size(), ": ", counts, "; --output DIR keeps all");
  const bool is_hazard = faults.front().kind == FaultKind::kHazard;
  const auto other = std::ranges::find_if(
      faults, [&](const Fault& fault) { return (fault.kind == FaultKind::kHazard) != is_hazard; });
  return text + (other == faults.end()
                     ? ""
                     : Say("\nthe first ", is_hazard ? "that is no hazard" : "hazard", ": ", other->Text()));
}

}  // namespace tilesim

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/cross_core.h"
#include "sim/core/fault.h"

namespace tilesim {

// Cores that wait for others for ever are one fault, told by the first; none where another core's fault
// explains it. `fatal`: by core, what ended it.
void TellDeadlockOnce(std::span<std::optional<Fault>> fatal);

// Of faults of one call that differ in their core, their tile and the numbers in their words alone, the first
// of each core are one, then the second, and so on; lines and names count as words.
std::vector<Fault> WithAlikeAsOne(std::vector<Fault> faults);

// Cross-core flags that were set and not waited for; a flag is told once.
std::vector<Fault> UnbalancedFlags(const CrossCoreFlags& flags, std::span<const std::unique_ptr<Core>> cores);

}  // namespace tilesim

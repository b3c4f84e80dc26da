// A move of GM whose cost is told by hand.
#pragma once

#include <algorithm>

#include "tests/sim/core/probe.h"

namespace tilesim {

// Moves `region`: 32 a cycle from L2, 16 from HBM.
struct GmProbe {
  static constexpr const char* kName = "GmProbe";
  Region region;
  Pipe pipe() const { return Pipe::kMte2; }
  void Check(Core&) const {}
  Operands Footprint(Core&) const {
    Operands operands;
    operands.Add(region);
    return operands;
  }
  void Execute(Core&) const {}
  InstructionTime TimeOn(Core&) const {
    const auto of = [](const SocConfig&, const GmMove& move, const GmRule::Details&) {
      const int64_t alone = move.bytes.hit / 32 + move.bytes.miss / 16;
      return Cost{.busy_cycles = std::max(alone, move.least_cycles), .latency_cycles = 0};
    };
    return GmPassage{region, {.of = of, .details = {}}};
  }
};

}  // namespace tilesim

// What it takes a vector core to hand a message to its cube core.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/core/core.h"

namespace tilesim::isa {

// The move of the message's 128 bytes; how long they are on their way is the receiver's time. Assumed: there
// is no measurement.
struct MessageMove {
  static constexpr const char* kName = "message";

  [[nodiscard]] Pipe pipe() const { return Pipe::kMte3; }
  void Check(Core& /*core*/) const {}
  Operands Footprint(Core& /*core*/) const { return {}; }
  void Execute(Core& /*core*/) const {}
  Cost TimeOn(Core& core) const {
    constexpr double kBytes = 128;  // counted in no statistic: they are the library's
    const auto cycles = static_cast<int64_t>(std::ceil(kBytes / core.soc().gm_write_core_bytes_per_cycle));
    return {.busy_cycles = cycles, .latency_cycles = 0};
  }
};

}  // namespace tilesim::isa

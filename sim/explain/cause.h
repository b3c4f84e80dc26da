// What a stretch of a core's time went into.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/pipe.h"
#include "sim/core/trail.h"

namespace tilesim {

enum class Cause : uint8_t {
  kWork,       // an instruction on a pipe
  kL2Miss,     // the part of a move of GM that its bytes cost because L2 did not have them
  kShared,     // the part that it cost because other cores moved bytes, too
  kLatency,    // a pipe was done with an instruction, its result not there yet
  kFlag,       // a flag on its way
  kBarrier,    // a barrier
  kUnitFlag,   // the unit flag of a block of L0C on its way
  kCrossCore,  // other cores, or their flag on its way
  kQueue,      // the scalar unit, which met a pipe's full queue
  kIssue,      // the scalar unit, which was handing out instructions
  kTail,       // nothing: the pipe had come to its last instruction's end
  kUnused,     // nothing: the pipe had no instruction at all
};
inline constexpr int kNumCauses = 12;

// "MTE2 at work", "L2 misses", "queue of MTE2 full"; the pipe counts for kWork, kLatency and kQueue.
std::string TextOf(Cause cause, Pipe pipe);
// What an instruction waited for last: "flag of MTE1".
std::string TextOf(const Trail& reason);

// Cycles by cause and, where it has one, pipe. What is added up in it adds up to the time it is of.
class Account {
 public:
  void Add(Cause cause, Pipe pipe, int64_t cycles) {
    by_cause_[Index(cause)][HasPipe(cause) ? static_cast<size_t>(tilesim::Index(pipe)) : 0] += cycles;
  }
  int64_t Of(Cause cause) const;
  int64_t Of(Cause cause, Pipe pipe) const {
    return by_cause_[Index(cause)][HasPipe(cause) ? static_cast<size_t>(tilesim::Index(pipe)) : 0];
  }
  int64_t total() const;

  struct Item {
    Cause cause;
    Pipe pipe;  // kS where it has none
    int64_t cycles;
  };
  // All that are not zero, the largest first.
  std::vector<Item> Items() const;

 private:
  static size_t Index(Cause cause) { return static_cast<size_t>(cause); }
  static bool HasPipe(Cause cause) {
    return cause == Cause::kWork || cause == Cause::kLatency || cause == Cause::kQueue;
  }

  std::array<std::array<int64_t, kNumPipes>, kNumCauses> by_cause_{};
};

}  // namespace tilesim

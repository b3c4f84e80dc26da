// What each pipe of one core may rely on: which instructions of the other pipes, and of other cores, are
// complete before its next instruction starts. Flags and barriers alone decide that; costs and times do not.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/pipe.h"
#include "sim/core/timeline.h"

namespace tilesim {

// The number of instructions known complete, a pipe.
using PipeClock = std::array<uint32_t, kNumPipes>;

// What is known of every core of the launch: own pipes and foreign ones.
struct CoreKnowledge {
  PipeClock own{};
  std::vector<PipeClock> foreign;  // by core index; empty: nothing known of any other core
};

class HappensBefore {
 public:
  // How often the pipe has told others of what it completed: what it does between two of these is learnt of
  // together.
  uint32_t Published(Pipe pipe) const { return published_[static_cast<size_t>(pipe)]; }
  // The next instruction of `pipe` is issued; gives its number, from 1.
  uint32_t Issue(Pipe pipe) { return ++issued_[static_cast<size_t>(pipe)]; }

  void SetFlag(Pipe src, Pipe dst, int id);
  void WaitFlag(Pipe src, Pipe dst, int id);
  void Barrier(Pipe pipe);
  void BarrierAll();

  // That many instructions of `of` are complete before the next instruction of `by` starts.
  uint32_t Known(Pipe by, Pipe of) const { return known_[static_cast<size_t>(by)][static_cast<size_t>(of)]; }
  // Is instruction number `sequence` of `of` one of them?
  bool Ordered(Pipe by, Pipe of, uint32_t sequence) const { return Known(by, of) >= sequence; }

  // What a cross-core flag set on `pipe` promises, and the effect of waiting for one (all pipes are held
  // back).
  CoreKnowledge Promise(Pipe pipe) const;
  // `self`: this core's index; what others have heard of it comes back to it.
  void Learn(int core_index, const CoreKnowledge& promise, int self);
  // What this core knows of the others now; changes with Learn only.
  const std::vector<PipeClock>& foreign() const { return foreign_; }

 private:
  static void Join(PipeClock& into, const PipeClock& from);
  PipeClock& FlagClock(Pipe src, Pipe dst, int id) {
    return flags_[static_cast<size_t>((Index(src) * kNumPipes + Index(dst)) * kEventIds + id)];
  }
  // All that is complete once the earlier instructions of `pipe` are.
  PipeClock After(Pipe pipe) const;

  PipeClock issued_{};
  PipeClock published_{};
  std::array<PipeClock, kNumPipes> known_{};
  std::array<PipeClock, kNumPipes * kNumPipes * kEventIds> flags_{};
  std::vector<PipeClock> foreign_;
};

}  // namespace tilesim

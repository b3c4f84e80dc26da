// Flags, barriers and cross-core flags.
#pragma once

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"
#include "sim/isa/scalar_system.h"

namespace AscendC {

using tilesim::SourceLine;

template <HardEvent event>
void SetFlag(int32_t event_id, SourceLine where = SourceLine::Here()) {
  constexpr simulator::PipePair kPipes = simulator::PipesOf(event);
  simulator::ThisCore().SetFlag(kPipes.src, kPipes.dst, event_id, where);
}

template <HardEvent event>
void WaitFlag(int32_t event_id, SourceLine where = SourceLine::Here()) {
  constexpr simulator::PipePair kPipes = simulator::PipesOf(event);
  simulator::ThisCore().WaitFlag(kPipes.src, kPipes.dst, event_id, where);
}

template <pipe_t pipe>
void PipeBarrier(SourceLine where = SourceLine::Here()) {
  if constexpr (pipe == PIPE_ALL) {
    simulator::ThisCore().BarrierAll(where);
  } else {
    simulator::ThisCore().Barrier(simulator::PipeOf(pipe), where);
  }
}

template <uint8_t mode, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flag_id, SourceLine where = SourceLine::Here()) {
  simulator::ThisCore().CrossCoreSet(mode, simulator::PipeOf(pipe), flag_id, where);
}

// On this part mode and pipe are ignored: every pipe of the core is held back.
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flag_id, SourceLine where = SourceLine::Here()) {
  simulator::ThisCore().CrossCoreWait(flag_id, where);
}

// All cores of the launch (or all its vector cores) meet; a fault where the kernel type has no way to.
template <bool isAIVOnly = true>
void SyncAll(SourceLine where = SourceLine::Here()) {
  using tilesim::Pipe;
  tilesim::Core& core = simulator::ThisCore();
  const bool cube = core.identity().kind == tilesim::CoreKind::kAic;
  core.At("SyncAll", Pipe::kS, where);
  if (!isAIVOnly || !cube) {
    core.RequireCrossCore(isAIVOnly ? 0 : 2);
  }
  core.BarrierAll(where);
  if constexpr (isAIVOnly) {
    if (!cube) {
      core.CrossCoreSet(0, Pipe::kMte3, SYNC_AIV_ONLY_ALL, where);
      core.CrossCoreWait(SYNC_AIV_ONLY_ALL, where, "SyncAll");
    }
  } else if (cube) {
    core.CrossCoreWait(SYNC_AIV_FLAG, where, "SyncAll");
    core.CrossCoreSet(0, Pipe::kFix, SYNC_AIC_FLAG, where);
    core.CrossCoreWait(SYNC_AIC_FLAG, where, "SyncAll");
    core.CrossCoreSet(2, Pipe::kMte3, SYNC_AIC_AIV_FLAG, where);
  } else {
    core.CrossCoreSet(2, Pipe::kMte3, SYNC_AIV_FLAG, where);
    core.CrossCoreWait(SYNC_AIC_AIV_FLAG, where, "SyncAll");
  }
}

// SetFlag and WaitFlag of a pair of pipes.
template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  void SetFlag(TEventID id, SourceLine where = SourceLine::Here()) {
    static_assert(src != dst, "a pipe needs no event to wait for itself: use PipeBarrier");
    simulator::ThisCore().SetFlag(simulator::PipeOf(src), simulator::PipeOf(dst), id, where);
  }
  void WaitFlag(TEventID id, SourceLine where = SourceLine::Here()) {
    static_assert(src != dst, "a pipe needs no event to wait for itself: use PipeBarrier");
    simulator::ThisCore().WaitFlag(simulator::PipeOf(src), simulator::PipeOf(dst), id, where);
  }
};

// The scalar unit waits until what it has read and written of GM, of UB, or of both is complete; its own
// accesses are in order without it. What its cache holds stays there (DataCacheCleanAndInvalid).
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
template <MemDsbT m>
void DataSyncBarrier(SourceLine where = SourceLine::Here()) {
  simulator::ThisCore().Issue(tilesim::isa::ScalarBarrier{.of_gm = m == MemDsbT::ALL || m == MemDsbT::DDR},
                              where);
}

// Locks between pipes, which other parts have: without effect on this one, as documented.
class Mutex {
 public:
  using MutexID = uint8_t;
  template <pipe_t pipe>
  static void Lock(MutexID /*id*/) {}
  template <pipe_t pipe>
  static void Unlock(MutexID /*id*/) {}
};
using MutexID = Mutex::MutexID;
inline MutexID AllocMutexID() { return 0; }
inline void ReleaseMutexID(MutexID /*id*/) {}

}  // namespace AscendC

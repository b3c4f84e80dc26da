// Flags, barriers and cross-core flags.
#pragma once

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"

namespace AscendC {

using tilesim::SourceLine;

template <HardEvent event>
void SetFlag(int32_t event_id, SourceLine where = SourceLine::Here()) {
  constexpr internal::PipePair kPipes = internal::PipesOf(event);
  internal::ThisCore().SetFlag(kPipes.src, kPipes.dst, event_id, where);
}

template <HardEvent event>
void WaitFlag(int32_t event_id, SourceLine where = SourceLine::Here()) {
  constexpr internal::PipePair kPipes = internal::PipesOf(event);
  internal::ThisCore().WaitFlag(kPipes.src, kPipes.dst, event_id, where);
}

template <pipe_t pipe>
void PipeBarrier(SourceLine where = SourceLine::Here()) {
  if constexpr (pipe == PIPE_ALL) {
    internal::ThisCore().BarrierAll(where);
  } else {
    internal::ThisCore().Barrier(internal::PipeOf(pipe), where);
  }
}

template <uint8_t mode, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flag_id, SourceLine where = SourceLine::Here()) {
  internal::ThisCore().CrossCoreSet(mode, internal::PipeOf(pipe), flag_id, where);
}

// On this part mode and pipe are ignored: every pipe of the core is held back.
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flag_id, SourceLine where = SourceLine::Here()) {
  internal::ThisCore().CrossCoreWait(flag_id, where);
}

// All cores of the launch (or all its vector cores) meet; a fault where the kernel type has no way to.
template <bool isAIVOnly = true>
void SyncAll(SourceLine where = SourceLine::Here()) {
  using tilesim::Pipe;
  tilesim::Core& core = internal::ThisCore();
  const bool cube = core.identity().kind == tilesim::CoreKind::kAic;
  core.At("SyncAll", Pipe::kS, where);
  if (!isAIVOnly || !cube) {
    core.RequireCrossCore(isAIVOnly ? 0 : 2);
  }
  core.BarrierAll(where);
  if constexpr (isAIVOnly) {
    if (!cube) {
      core.CrossCoreSet(0, Pipe::kMte3, SYNC_AIV_ONLY_ALL, where);
      core.CrossCoreWait(SYNC_AIV_ONLY_ALL, where);
    }
  } else if (cube) {
    core.CrossCoreWait(SYNC_AIV_FLAG, where);
    core.CrossCoreSet(0, Pipe::kFix, SYNC_AIC_FLAG, where);
    core.CrossCoreWait(SYNC_AIC_FLAG, where);
    core.CrossCoreSet(2, Pipe::kMte3, SYNC_AIC_AIV_FLAG, where);
  } else {
    core.CrossCoreSet(2, Pipe::kMte3, SYNC_AIV_FLAG, where);
    core.CrossCoreWait(SYNC_AIC_AIV_FLAG, where);
  }
}

}  // namespace AscendC

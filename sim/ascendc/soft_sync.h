// Cores that meet by words in GM instead of flags: vector cores only; on a cube core all of it does nothing.
// These are sequences of moves and barriers, as on the device, but for the polls: a core that waits does
// nothing until the words are as it needs them, and then reads them once more. In time it goes on when the
// last store that it needs is complete, and a round of copies later; the copies that found nothing new are
// not counted, nor what they take of GM from others. Whatever a core did before it told is complete for those
// who waited for that. A wait that can never end, and cores that are more than the part has, are faults.
#pragma once

#include <cstdint>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/kfc_workspace.h"
#include "sim/ascendc/system.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_fill.h"

namespace AscendC {
namespace simulator {

// The tensors of a call: words in GM, a data block each, and as many blocks of UB for copies of them.
struct SyncTensors {
  tilesim::isa::Operand gm;
  tilesim::isa::Operand ub;
};
void SoftSyncAll(tilesim::Core& core, const SyncTensors& tensors, int64_t own, int64_t cores,
                 SourceLine where);
// A word becomes `to` once it is `from`.
void HandWord(tilesim::Core& core, const char* call, const SyncTensors& tensors, int64_t slot, int32_t from,
              int32_t to, SourceLine where);
void ClearOrder(tilesim::Core& core, const SyncTensors& tensors, int64_t own, int64_t cores,
                SourceLine where);
void AwaitOrder(tilesim::Core& core, const SyncTensors& tensors, int64_t own, int64_t cores,
                SourceLine where);
void PassOrder(tilesim::Core& core, const SyncTensors& tensors, int64_t own, int64_t cores, SourceLine where);

inline SyncTensors SyncTensorsOf(tilesim::Core& core, const GlobalTensor<int32_t>& gm,
                                 const LocalTensor<int32_t>& ub) {
  return {.gm = Of(gm), .ub = Of(core, ub, "ub")};
}
inline int64_t VectorCores() { return GetBlockNum() * GetTaskRatio(); }

}  // namespace simulator

// All vector cores meet, or those with an index below `usedCores`, which all must call it. `gm` and `ub`:
// 32 bytes a core; gm is zeroed by the host, or whole by each core before its first call. isAIVOnly: there
// are as many cores as blocks, else as AIVs of them.
template <bool isAIVOnly = true>
void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
             const int32_t usedCores = 0, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("SyncAll", where, tilesim::Pipe::kS)) {
    const int64_t all = isAIVOnly ? GetBlockNum() : simulator::VectorCores();
    simulator::SoftSyncAll(*core, simulator::SyncTensorsOf(*core, gmWorkspace, ubWorkspace), GetBlockIdx(),
                           usedCores == 0 ? all : usedCores, where);
  }
}

// A signal that one IBWait of another core takes: IBSet waits until the last one was taken. `blockIdx`: of
// the core that sets. gm: zeroed, 32 bytes for each event of each core; ub: 32 bytes.
template <bool isAIVOnly = true>
void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
           int32_t blockIdx, int32_t eventID, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("IBSet", where, tilesim::Pipe::kS)) {
    const int64_t slot = GetBlockNum() * (isAIVOnly ? 1 : 2) * eventID + blockIdx;
    simulator::HandWord(*core, "IBSet", simulator::SyncTensorsOf(*core, gmWorkspace, ubWorkspace), slot, 0, 1,
                        where);
  }
}
template <bool isAIVOnly = true>
void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
            int32_t blockIdx, int32_t eventID, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("IBWait", where, tilesim::Pipe::kS)) {
    const int64_t slot = GetBlockNum() * (isAIVOnly ? 1 : 2) * eventID + blockIdx;
    simulator::HandWord(*core, "IBWait", simulator::SyncTensorsOf(*core, gmWorkspace, ubWorkspace), slot, 1,
                        0, where);
  }
}

// Cores that take turns in the order of their indices, round after round: all of them call Init once, and
// then WaitPreBlock and NotifyNextBlock around what is to be done in order. gm: 32 bytes a core; ub: 32 more.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace,
                                          LocalTensor<int32_t>& ubWorkspace,
                                          SourceLine where = SourceLine::Here()) {
  tilesim::Core* core = simulator::VectorCore("InitDetermineComputeWorkspace", where, tilesim::Pipe::kS);
  if (core != nullptr) {
    const int64_t cores = simulator::VectorCores();
    if (GetBlockIdx() == 0) {
      core->BarrierAll(where);
      Duplicate<int32_t>(ubWorkspace, 0, static_cast<int32_t>(cores * 8), where);
    }
    simulator::ClearOrder(*core, simulator::SyncTensorsOf(*core, gmWorkspace, ubWorkspace), GetBlockIdx(),
                          cores, where);
  }
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                         SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("WaitPreBlock", where, tilesim::Pipe::kS)) {
    simulator::AwaitOrder(*core, simulator::SyncTensorsOf(*core, gmWorkspace, ubWorkspace), GetBlockIdx(),
                          simulator::VectorCores(), where);
  }
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace,
                            SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("NotifyNextBlock", where, tilesim::Pipe::kS)) {
    simulator::PassOrder(*core, simulator::SyncTensorsOf(*core, gmWorkspace, ubWorkspace), GetBlockIdx(),
                         simulator::VectorCores(), where);
  }
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// A group of cores that others wait for: Wait returns when all `arriveSize` cores have arrived as often as
// this one waits. `workspace`: GM, zeroed, 512-byte aligned, GetWorkspaceLen() bytes. The last 1600 bytes of
// UB are used. `index`: another one of each core, below arriveSize, or waitSize.
template <PipeMode pipeMode>
class GroupBarrier {
 public:
  GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn,
               SourceLine where = SourceLine::Here());
  void Arrive(uint32_t arriveIndex, SourceLine where = SourceLine::Here());
  void Wait(uint32_t waitIndex, SourceLine where = SourceLine::Here());
  uint64_t GetWorkspaceLen() const { return lines() * 512; }

 private:
  static_assert(pipeMode == PipeMode::MTE3_MODE, "Ascend C has GroupBarrier with MTE3_MODE only");
  uint64_t lines() const { return arrive_size_ > wait_size_ ? arrive_size_ : wait_size_; }

  GM_ADDR workspace_;
  uint32_t arrive_size_;
  uint32_t wait_size_;
  int64_t arrived_ = 0;
  int64_t waited_ = 0;
};

extern template class GroupBarrier<PipeMode::MTE3_MODE>;

// For operators that one launch holds; on their own they have no effect.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
void SetNextTaskStart() {}
template <bool FORCE = false>
void WaitPreTaskEnd() {}

}  // namespace AscendC

#include "sim/ascendc/tpipe.h"

#include <algorithm>
#include <exception>

#include "formats/error.h"
#include "sim/ascendc/init_soc_state.h"

namespace AscendC {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::Pipe;
using tilesim::Say;

TPipe::TPipe(SourceLine where) : core_(simulator::ThisCore()), made_at_(where) {
  simulator::ApiState& state = simulator::State(core_);
  if (state.pipe != nullptr && state.pipe->alive()) {
    other_made_at_ = state.pipe->made_at();
    for (size_t m = 0; m < held_by_other_.size(); ++m) {
      held_by_other_[m] = state.buffers.used_bytes(static_cast<tilesim::Memory>(m));
    }
  }
  state.buffers.Reset();  // a new TPipe divides the memories anew
  Init(where);
}

TPipe::~TPipe() noexcept(false) {
  if (!alive_) {
    return;
  }
  if (simulator::State(core_).pipe == this) {
    simulator::State(core_).pipe = nullptr;
  }
  if (std::uncaught_exceptions() == 0) {
    Destroy(made_at_);
  }
}

void TPipe::Init(SourceLine where) {
  simulator::State(core_).pipe = this;
  alive_ = true;
  InitSocState();
  if (core_.identity().kind != tilesim::CoreKind::kAic) {
    return;
  }
  for (TEventID id = 0; id < kPresetEvents; ++id) {
    AllocEvent(HardEvent::M_MTE1, where);
    core_.SetFlag(Pipe::kM, Pipe::kMte1, id, where, "the constructor of TPipe");
  }
}

void TPipe::Destroy(SourceLine where) {
  WaitAllPending(where);
  core_.BarrierAll(where);
  Forget();
}

void TPipe::DestroyWithoutPipeAll(SourceLine where) {
  WaitAllPending(where);
  Forget();
}

void TPipe::Forget() {
  simulator::BufferTable& buffers = simulator::State(core_).buffers;
  buffers.TellLoans(core_);
  buffers.Reset();
}

// Also of what the constructor set.
void TPipe::WaitAllPending(SourceLine where) {
  alive_ = false;
  if (core_.identity().kind == tilesim::CoreKind::kAic) {
    for (TEventID id = 0; id < kPresetEvents; ++id) {
      core_.WaitFlag(Pipe::kM, Pipe::kMte1, id, where, "the end of TPipe");
      ReleaseEvent(HardEvent::M_MTE1, id);
    }
  }
  WaitPending(where);
}

void TPipe::WaitPending(SourceLine where) {
  for (size_t event = 0; event < pending_.size(); ++event) {
    for (TEventID id = 0; pending_[event] >> id != 0; ++id) {
      if ((pending_[event] >> id & 1) != 0) {
        WaitPending(static_cast<HardEvent>(event), id, false, where);
      }
    }
  }
}

void TPipe::Reset(SourceLine where) {
  WaitPending(where);
  events_ = {};
  if (core_.identity().kind == tilesim::CoreKind::kAic) {
    events_[static_cast<size_t>(HardEvent::M_MTE1)] = (1 << kPresetEvents) - 1;
  }
  simulator::State(core_).buffers.Reset();
  InitSocState();
}

TEventID TPipe::FetchEventID(HardEvent event) const {
  const uint8_t taken = events_[static_cast<size_t>(event)];
  for (TEventID id = 0; id < tilesim::kEventIds; ++id) {
    if ((taken >> id & 1) == 0) {
      return id;
    }
  }
  return -1;
}

TEventID TPipe::AllocEvent(HardEvent event, SourceLine where) {
  if (event == HardEvent::V_V) {
    return 0;  // V runs in order, so that one id serves all
  }
  const TEventID id = FetchEventID(event);
  if (id < 0) {
    const simulator::PipePair pipes = simulator::PipesOf(event);
    core_.At("AllocEventID", pipes.src, where);
    core_.Fail(FaultKind::kFlag, "event",
               Say("all ", tilesim::kEventIds, " ids of ", Name(pipes.src), "_", Name(pipes.dst),
                   " are taken; release one, or use fewer queues and buffers between these pipes"));
  }
  events_[static_cast<size_t>(event)] |= static_cast<uint8_t>(1 << id);
  return id;
}

void TPipe::ReleaseEvent(HardEvent event, TEventID id) {
  events_[static_cast<size_t>(event)] &= static_cast<uint8_t>(~(1 << id));
}

void TPipe::WaitPending(HardEvent event, TEventID id, bool keep_id, SourceLine where) {
  const simulator::PipePair pipes = simulator::PipesOf(event);
  core_.WaitFlag(pipes.src, pipes.dst, id, where);
  pending_[static_cast<size_t>(event)] &= static_cast<uint8_t>(~(1 << id));
  if (!keep_id) {
    ReleaseEvent(event, id);
  }
}

uint64_t TPipe::Allocate(TPosition position, uint64_t size_bytes, const simulator::Holder& holder,
                         SourceLine where) {
  core_.At("InitBuffer", Pipe::kS, where);
  simulator::BufferTable& buffers = simulator::State(core_).buffers;
  core_.Require(buffers.buffers() < kMaxBuffers, FaultKind::kCapacity, "", "a TPipe holds at most ",
                kMaxBuffers, " buffers; use fewer or larger ones");
  const tilesim::Memory memory = simulator::MemoryOf(position);
  const uint64_t offset = buffers.Allocate(
      core_, memory, size_bytes, holder,
      position == TPosition::TSCM ? simulator::MemoryEnd::kTop : simulator::MemoryEnd::kStart);
  const uint64_t held = held_by_other_[static_cast<size_t>(memory)];
  if (offset < held && size_bytes != 0) [[unlikely]] {
    core_.Note(core_.MakeFault(
        FaultKind::kCapacity, "buffer",
        Say("lies from byte ", offset, " of ", Name(memory), ", where buffers of the TPipe at ",
            other_made_at_.file, ":", other_made_at_.line, " lie, which is alive still and holds bytes [0, ",
            held, "); Destroy that one before, or pass it on")));
    held_by_other_ = {};  // told once
  }
  return offset;
}

void TPipe::CheckRange(TPosition position, uint64_t start, uint64_t size_bytes) const {
  core_.At("InitBuffer", Pipe::kS, {});
  const tilesim::Memory memory = simulator::MemoryOf(position);
  core_.Require(start % ONE_BLK_SIZE == 0 && size_bytes != 0, FaultKind::kAlignment, "buffer", "byte ", start,
                ", length ", size_bytes, ": the start must be a multiple of 32 and the length more than 0");
  const auto capacity = static_cast<uint64_t>(core_.CapacityBytes(memory));
  core_.Require(start + size_bytes <= capacity, FaultKind::kCapacity, "buffer", "bytes [", start, ", ",
                start + size_bytes, ") pass the end of ", Name(memory), " at ", capacity,
                "; put it further down or make it smaller");
}

void TPipe::CheckAbsolute(TPosition position, int32_t offset, int32_t size, uint64_t size_bytes,
                          SourceLine where) const {
  core_.At("GetAbsAddr", Pipe::kS, where);
  core_.Require(offset >= 0 && size >= 0, FaultKind::kLimit, "offset", "is ", offset, " and the size ", size,
                "; neither may be negative");
  const tilesim::Memory memory = simulator::MemoryOf(position);
  const auto capacity = static_cast<uint64_t>(core_.CapacityBytes(memory));
  const uint64_t end = static_cast<uint64_t>(offset) + size_bytes;
  core_.Require(end <= capacity, FaultKind::kBounds, "offset", "bytes [", offset, ", ", end,
                ") pass the end of ", Name(memory), " at ", capacity, "; make the tensor smaller");
}

uint8_t* TPipe::GetBaseAddr(int8_t logicPos, SourceLine where) const {
  core_.At("GetBaseAddr", Pipe::kS, where);
  const tilesim::Memory memory = simulator::MemoryOf(static_cast<TPosition>(logicPos));
  core_.Require(memory == tilesim::Memory::kUb || memory == tilesim::Memory::kL1, FaultKind::kMisuse,
                "logicPos", "is of ", Name(memory), "; only UB and L1 can be seen from the host");
  core_.ReachAll();
  return reinterpret_cast<uint8_t*>(memory == tilesim::Memory::kUb ? core_.ub() : core_.l1());
}

void TPipe::PassOn(const TwoEvents& events, SourceLine where) {
  for (const HardEvent event : {events.one, events.other}) {
    if (event != HardEvent::MAX) {
      const simulator::PipePair pipes = simulator::PipesOf(event);
      const TEventID id = AllocEvent(event, where);
      core_.SetFlag(pipes.src, pipes.dst, id, where);
      core_.WaitFlag(pipes.src, pipes.dst, id, where);
      ReleaseEvent(event, id);
    }
  }
}

void TPipe::BeginSpm(const char* call, const TwoEvents& events, SourceLine where) {
  core_.At(call, Pipe::kS, where);
  core_.Require(spm_.begin != 0, FaultKind::kMisuse, "TPipe", "has no SPM; call InitSpmBuffer first");
  if (core_.identity().kind != tilesim::CoreKind::kAic) {
    PassOn(events, where);
  }
}

void TPipe::EndSpm(const TwoEvents& events, SourceLine where) {
  if (core_.identity().kind != tilesim::CoreKind::kAic) {
    PassOn(events, where);
  }
}

TPipe::GmRange TPipe::SpmFrom(int32_t offset, SourceLine where) const {
  core_.At("SpmBuffer", Pipe::kS, where);
  core_.Require(offset >= 0 && static_cast<uint64_t>(offset) <= spm_.size_bytes, FaultKind::kBounds, "offset",
                "is ", offset, ", the SPM has ", spm_.size_bytes, " bytes");
  return {.begin = spm_.begin + static_cast<uint64_t>(offset),
          .size_bytes = spm_.size_bytes - static_cast<uint64_t>(offset)};
}

TPipe* GetTPipePtr() { return simulator::State(simulator::ThisCore()).pipe; }

namespace simulator {

void RefuseTensor(Core& core, bool valid, const Lease& lease, const char* operand) {
  core.Require(valid, FaultKind::kQueue, operand,
               "is an empty LocalTensor; take it from a queue (AllocTensor, DeQue) or a TBuf (Get) first");
  core.Fail(
      FaultKind::kQueue, operand,
      State(core).buffers.WhyNotValid(lease, "use it before, or take a new one with AllocTensor or DeQue"));
}

}  // namespace simulator
}  // namespace AscendC

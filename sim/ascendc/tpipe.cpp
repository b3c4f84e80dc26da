#include "sim/ascendc/tpipe.h"

#include <algorithm>
#include <exception>

#include "formats/error.h"

namespace AscendC {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::Pipe;
using tilesim::Say;

TPipe::TPipe(SourceLine where) : core_(internal::ThisCore()), made_at_(where) {
  internal::State(core_).buffers.Reset();  // a new TPipe divides the memories anew
  Init(where);
}

TPipe::~TPipe() noexcept(false) {
  if (alive_ && std::uncaught_exceptions() == 0) {
    Destroy(made_at_);
  }
}

void TPipe::Init(SourceLine where) {
  internal::State(core_).pipe = this;
  alive_ = true;
  if (core_.identity().kind != tilesim::CoreKind::kAic) {
    return;
  }
  for (TEventID id = 0; id < kPresetEvents; ++id) {
    AllocEvent(HardEvent::M_MTE1, where);
    core_.SetFlag(Pipe::kM, Pipe::kMte1, id, where, "the constructor of TPipe");
  }
}

void TPipe::Destroy(SourceLine where) {
  alive_ = false;
  if (core_.identity().kind == tilesim::CoreKind::kAic) {
    for (TEventID id = 0; id < kPresetEvents; ++id) {
      core_.WaitFlag(Pipe::kM, Pipe::kMte1, id, where, "the end of TPipe");
      ReleaseEvent(HardEvent::M_MTE1, id);
    }
  }
  for (size_t event = 0; event < pending_.size(); ++event) {
    for (TEventID id = 0; pending_[event] >> id != 0; ++id) {
      if ((pending_[event] >> id & 1) != 0) {
        WaitPending(static_cast<HardEvent>(event), id, where);
      }
    }
  }
  core_.BarrierAll(where);
  internal::State(core_).buffers.TellLoans(core_);
  Reset();
}

void TPipe::Reset() { internal::State(core_).buffers.Reset(); }

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
  const TEventID id = FetchEventID(event);
  if (id < 0) {
    const internal::PipePair pipes = internal::PipesOf(event);
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

void TPipe::WaitPending(HardEvent event, TEventID id, SourceLine where) {
  const internal::PipePair pipes = internal::PipesOf(event);
  core_.WaitFlag(pipes.src, pipes.dst, id, where);
  pending_[static_cast<size_t>(event)] &= static_cast<uint8_t>(~(1 << id));
  ReleaseEvent(event, id);
}

uint64_t TPipe::Allocate(TPosition position, uint64_t size_bytes, const internal::Holder& holder,
                         SourceLine where) {
  core_.At("InitBuffer", Pipe::kS, where);
  internal::BufferTable& buffers = internal::State(core_).buffers;
  core_.Require(buffers.buffers() < kMaxBuffers, FaultKind::kCapacity, "", "a TPipe holds at most ",
                kMaxBuffers, " buffers; use fewer or larger ones");
  return buffers.Allocate(core_, internal::MemoryOf(position), size_bytes, holder);
}

TPipe* GetTPipePtr() { return internal::State(internal::ThisCore()).pipe; }

namespace internal {

void RefuseTensor(Core& core, bool valid, const char* operand) {
  core.Require(valid, FaultKind::kQueue, operand,
               "is an empty LocalTensor; take it from a queue (AllocTensor, DeQue) or a TBuf (Get) first");
  core.Fail(FaultKind::kQueue, operand,
            "its queue buffer was freed (FreeTensor) or handed out again since it was taken; do not keep "
            "tensors beyond FreeTensor");
}

void QueueBuffers::Init(TPipe& pipe, const char* name, TPosition position, HardEvent forward,
                        HardEvent backward, int depth, int count, uint64_t size_bytes, SourceLine where) {
  pipe_ = &pipe;
  name_ = name;
  made_at_ = where;
  forward_ = forward;
  backward_ = backward;
  depth_ = depth;
  size_bytes_ = (size_bytes + 31) / 32 * 32;
  buffers_.clear();
  queued_.clear();
  next_ = 0;
  const Holder holder = {.kind = "TQue", .made_at = where};
  for (int i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.offset = pipe.Allocate(position, size_bytes_, holder, where);
    buffer.lease.slot = State(pipe.core()).buffers.AddSlot();
    buffers_.push_back(buffer);
  }
}

Core& QueueBuffers::Begin(const char* call, SourceLine where) const {
  Core& core = ThisCore();
  core.At(call, PipesOf(forward_).src, where);
  core.Require(!buffers_.empty(), FaultKind::kQueue, "queue", "has no buffers; call TPipe::InitBuffer first");
  return core;
}

QueueBuffers::Buffer* QueueBuffers::Find(const Lease& lease) {
  const auto found = std::ranges::find_if(buffers_, [&](const Buffer& buffer) {
    return buffer.lease.slot == lease.slot && buffer.lease.number == lease.number;
  });
  return found == buffers_.end() ? nullptr : &*found;
}

QueueBuffers::Taken QueueBuffers::Alloc(SourceLine where) {
  Core& core = Begin("AllocTensor", where);
  Buffer& buffer = buffers_[next_];
  core.Require(
      buffer.state == Phase::kFree, FaultKind::kQueue, "queue", "all ", buffers_.size(),
      " buffers are in use, so the call would wait for ever; FreeTensor one before, or give the queue more");
  next_ = (next_ + 1) % buffers_.size();
  WaitBackward(buffer, where);
  buffer.state = Phase::kAllocated;
  buffer.lease = internal::State(core).buffers.Renew(buffer.lease.slot);
  Lend(buffer, "AllocTensor", PipesOf(forward_).src, where);
  return {buffer.offset, size_bytes_, buffer.lease};
}

bool QueueBuffers::EnQue(uint64_t, const Lease& lease, SourceLine where) {
  Core& core = Begin("EnQue", where);
  if (core.Dropped("EnQue", where)) {
    return false;
  }
  Buffer* buffer = Find(lease);
  core.Require(buffer != nullptr && buffer->state != Phase::kFree && buffer->state != Phase::kQueued,
               FaultKind::kQueue, "tensor",
               "is not one that this queue has handed out; AllocTensor it first");
  core.Require(static_cast<int>(queued_.size()) < std::max(depth_, 1), FaultKind::kQueue, "queue", "holds ",
               queued_.size(), " tensors, its depth; DeQue one first");
  const PipePair pipes = PipesOf(forward_);
  buffer->forward_id = pipe_->AllocEvent(forward_, where);
  core.SetFlag(pipes.src, pipes.dst, buffer->forward_id, where, "EnQue of a queue");
  buffer->state = Phase::kQueued;
  State(core).buffers.TakeBack(buffer->lease.slot);
  queued_.push_back(static_cast<size_t>(buffer - buffers_.data()));
  return true;
}

std::optional<QueueBuffers::Taken> QueueBuffers::DeQue(SourceLine where) {
  Core& core = Begin("DeQue", where);
  if (core.Dropped("DeQue", where)) {
    return std::nullopt;
  }
  core.Require(!queued_.empty(), FaultKind::kQueue, "queue", "holds no tensor; EnQue one before");
  Buffer& buffer = buffers_[queued_.front()];
  queued_.erase(queued_.begin());
  const PipePair pipes = PipesOf(forward_);
  core.WaitFlag(pipes.src, pipes.dst, buffer.forward_id, where, "DeQue of a queue");
  pipe_->ReleaseEvent(forward_, static_cast<TEventID>(buffer.forward_id));
  buffer.forward_id = -1;
  buffer.state = Phase::kTaken;
  Lend(buffer, "DeQue", pipes.dst, where);
  return Taken{buffer.offset, size_bytes_, buffer.lease};
}

void QueueBuffers::Free(const Lease& lease, SourceLine where) {
  Core& core = Begin("FreeTensor", where);
  if (core.Dropped("FreeTensor", where)) {
    return;
  }
  Buffer* buffer = Find(lease);
  core.Require(buffer != nullptr && buffer->state != Phase::kFree, FaultKind::kQueue, "tensor",
               "is not one that this queue has handed out, or is free already");
  core.Require(buffer->state != Phase::kQueued, FaultKind::kQueue, "tensor",
               "is in the queue; DeQue it first");
  const PipePair pipes = PipesOf(backward_);
  buffer->backward_id = pipe_->AllocEvent(backward_, where);
  core.SetFlag(pipes.src, pipes.dst, buffer->backward_id, where, "FreeTensor of a queue");
  pipe_->SetPending(backward_, static_cast<TEventID>(buffer->backward_id));
  buffer->state = Phase::kFree;
  State(core).buffers.TakeBack(buffer->lease.slot);
  buffer->lease = internal::State(core).buffers.Renew(buffer->lease.slot);
}

void QueueBuffers::Lend(const Buffer& buffer, const char* call, Pipe pipe, SourceLine where) const {
  State(pipe_->core())
      .buffers.Lend(buffer.lease.slot, {.call = call, .pipe = pipe, .where = where, .queue = made_at_});
}

void QueueBuffers::FreeAllEvents(SourceLine where) {
  Begin("FreeAllEvent", where);
  for (Buffer& buffer : buffers_) {
    WaitBackward(buffer, where);
  }
}

void QueueBuffers::WaitBackward(Buffer& buffer, SourceLine where) {
  if (buffer.backward_id >= 0) {
    pipe_->WaitPending(backward_, static_cast<TEventID>(buffer.backward_id), where);
    buffer.backward_id = -1;
  }
}

bool QueueBuffers::HasIdle() const {
  return std::ranges::any_of(buffers_, [](const Buffer& buffer) { return buffer.state == Phase::kFree; });
}

}  // namespace internal
}  // namespace AscendC

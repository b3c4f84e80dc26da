#include "sim/ascendc/queue_buffers.h"

#include <algorithm>

#include "sim/ascendc/tpipe.h"

namespace AscendC::simulator {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::Pipe;
using tilesim::Say;

void WaitFreeFlag(Core& core, int32_t slot, bool keep_id, SourceLine where) {
  FreeFlag& flag = State(core).buffers.free_flag(slot);
  if (flag.id >= 0) {
    State(core).pipe->WaitPending(flag.event, flag.id, keep_id, where);
    flag.id = -1;
  }
}

void QueueBuffers::Start(const QueueKind& kind, SourceLine where) {
  kind_ = kind;
  made_at_ = where;
  buffers_.clear();
  queued_.clear();
  next_ = 0;
}

void QueueBuffers::Add(uint64_t offset, uint64_t size_bytes, BufferSource& source, SourceLine where) {
  Core& core = ThisCore();
  BufferTable& table = State(core).buffers;
  Buffer buffer{.offset = offset, .size_bytes = size_bytes, .lease = {.slot = table.AddSlot()}};
  source.Adopt(buffer.lease.slot);
  if (KeepsEvents()) {
    TPipe& pipe = *State(core).pipe;
    buffer.forward_id = pipe.AllocEvent(kind_.events.forward, where);
    buffer.backward_id = pipe.AllocEvent(kind_.events.backward, where);
    const PipePair pipes = PipesOf(kind_.events.backward);
    core.SetFlag(pipes.src, pipes.dst, buffer.backward_id, where, "InitBuffer of a queue of depth 0");
    pipe.SetPending(kind_.events.backward, buffer.backward_id);
    table.free_flag(buffer.lease.slot) = {kind_.events.backward, buffer.backward_id};
  }
  buffers_.push_back(buffer);
}

void QueueBuffers::Init(const QueueKind& kind, BufferSource& source, int count, uint64_t size_bytes,
                        SourceLine where) {
  Start(kind, where);
  for (int i = 0; i < count; ++i) {
    const uint64_t offset =
        source.Allocate(kind.position, size_bytes, {.kind = "TQue", .made_at = where}, where);
    Add(offset, (size_bytes + 31) / 32 * 32, source, where);
  }
}

Core& QueueBuffers::Begin(const char* call, SourceLine where) const {
  Core& core = ThisCore();
  core.At(call, PipesOf(kind_.events.forward).src, where);
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
      !State(core).buffers.IsRetired(buffer.lease.slot), FaultKind::kQueue, "queue",
      "lost its buffers: its TPipe or pool was reset or destroyed, or another TPipe constructed; call "
      "InitBuffer again");
  core.Require(
      buffer.state == TBufState::FREE, FaultKind::kQueue, "queue", "all ", buffers_.size(),
      " buffers are in use, so the call would wait for ever; FreeTensor one before, or give the queue more");
  next_ = (next_ + 1) % buffers_.size();
  WaitFreeFlag(core, buffer.lease.slot, KeepsEvents(), where);
  buffer.state = TBufState::OCCUPIED;
  buffer.lease = State(core).buffers.Renew(buffer.lease.slot);
  Lend(core, buffer, "AllocTensor", PipesOf(kind_.events.forward).src, where);
  return {buffer.offset, buffer.size_bytes, buffer.lease};
}

bool QueueBuffers::EnQue(const Lease& lease, HardEvent event, SourceLine where) {
  Core& core = Begin("EnQue", where);
  if (core.Dropped("EnQue", where)) {
    return false;
  }
  Buffer* buffer = Find(lease);
  core.Require(buffer != nullptr && buffer->state != TBufState::FREE && buffer->state != TBufState::ENQUE,
               FaultKind::kQueue, "tensor",
               "is not one that this queue has handed out; AllocTensor it first");
  core.Require(KeepsEvents() || static_cast<int>(queued_.size()) < kind_.depth, FaultKind::kQueue, "queue",
               "holds ", queued_.size(), " tensors, its depth; DeQue one first");
  const PipePair pipes = PipesOf(event);
  if (!KeepsEvents() || event != kind_.events.forward) {
    buffer->forward_id = State(core).pipe->AllocEvent(event, where);
  }
  buffer->forward = event;
  core.SetFlag(pipes.src, pipes.dst, buffer->forward_id, where, "EnQue of a queue");
  buffer->state = TBufState::ENQUE;
  State(core).buffers.TakeBack(buffer->lease.slot);
  queued_.push_back(static_cast<size_t>(buffer - buffers_.data()));
  return true;
}

std::optional<QueueBuffers::Taken> QueueBuffers::DeQue(HardEvent event, SourceLine where) {
  Core& core = Begin("DeQue", where);
  if (core.Dropped("DeQue", where)) {
    return std::nullopt;
  }
  core.Require(!queued_.empty(), FaultKind::kQueue, "queue", "holds no tensor; EnQue one before");
  Buffer& buffer = buffers_[queued_.front()];
  const PipePair pipes = PipesOf(event);
  const PipePair set = PipesOf(buffer.forward);
  core.Require(event == buffer.forward, FaultKind::kQueue, "queue", "waits for ", Name(pipes.src), "_",
               Name(pipes.dst), ", but the EnQue of its oldest tensor has set ", Name(set.src), "_",
               Name(set.dst), "; give DeQue the positions of EnQue");
  queued_.erase(queued_.begin());
  core.WaitFlag(pipes.src, pipes.dst, buffer.forward_id, where, "DeQue of a queue");
  if (!KeepsEvents() || event != kind_.events.forward) {
    State(core).pipe->ReleaseEvent(event, buffer.forward_id);
    buffer.forward_id = -1;
  }
  buffer.state = TBufState::DEQUE;
  Lend(core, buffer, "DeQue", pipes.dst, where);
  return Taken{buffer.offset, buffer.size_bytes, buffer.lease};
}

void QueueBuffers::Free(const Lease& lease, SourceLine where) {
  Core& core = Begin("FreeTensor", where);
  if (core.Dropped("FreeTensor", where)) {
    return;
  }
  Buffer* buffer = Find(lease);
  core.Require(buffer != nullptr && buffer->state != TBufState::FREE, FaultKind::kQueue, "tensor",
               "is not one that this queue has handed out, or is free already");
  core.Require(buffer->state != TBufState::ENQUE, FaultKind::kQueue, "tensor",
               "is in the queue; DeQue it first");
  const HardEvent event = kind_.events.backward;
  const PipePair pipes = PipesOf(event);
  TPipe& pipe = *State(core).pipe;
  const TEventID id = KeepsEvents() ? buffer->backward_id : pipe.AllocEvent(event, where);
  core.SetFlag(pipes.src, pipes.dst, id, where, "FreeTensor of a queue");
  pipe.SetPending(event, id);
  BufferTable& table = State(core).buffers;
  table.free_flag(buffer->lease.slot) = {event, id};
  buffer->state = TBufState::FREE;
  table.TakeBack(buffer->lease.slot);
  buffer->lease = table.Renew(buffer->lease.slot);
}

void QueueBuffers::Lend(Core& core, const Buffer& buffer, const char* call, Pipe pipe,
                        SourceLine where) const {
  State(core).buffers.Lend(buffer.lease.slot,
                           {.call = call, .pipe = pipe, .where = where, .queue = made_at_});
}

void QueueBuffers::FreeAllEvents(SourceLine where) {
  Core& core = Begin("FreeAllEvent", where);
  for (const Buffer& buffer : buffers_) {
    WaitFreeFlag(core, buffer.lease.slot, false, where);
  }
}

bool QueueBuffers::HasIdle() const {
  return std::ranges::any_of(buffers_, [](const Buffer& buffer) { return buffer.state == TBufState::FREE; });
}

TBufState QueueBuffers::StateOf(const Lease& lease, SourceLine where) const {
  Core& core = Begin("GetState", where);
  const auto found =
      std::ranges::find_if(buffers_, [&](const Buffer& buffer) { return buffer.lease.slot == lease.slot; });
  core.Require(found != buffers_.end(), FaultKind::kQueue, "tensor",
               "is not one that this queue has handed out");
  return found->state;
}

QueueBuffers::Taken QueueBuffers::At(const Lease& lease, SourceLine where) {
  Core& core = Begin("GetBufferAddr", where);
  const Buffer* buffer = Find(lease);
  core.Require(buffer != nullptr, FaultKind::kQueue, "handle", "is not one of this queue's buffers");
  return {buffer->offset, buffer->size_bytes, buffer->lease};
}

}  // namespace AscendC::simulator

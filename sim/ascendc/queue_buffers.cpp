#include "sim/ascendc/queue_buffers.h"

#include <algorithm>
#include <utility>

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
  taken_ = 0;
  last_deque_ = {};
}

void QueueBuffers::Add(uint64_t offset, uint64_t size_bytes, BufferSource& source, SourceLine where) {
  Core& core = ThisCore();
  BufferTable& table = State(core).buffers;
  Buffer buffer{.offset = offset, .size_bytes = size_bytes, .enqued_at = {}, .lease = {}};
  buffer.lease.slot = table.AddSlot({.queue = made_at_,
                                     .memory = MemoryOf(kind_.position),
                                     .begin = offset,
                                     .end = offset + size_bytes,
                                     .forward = kind_.events.forward,
                                     .backward = kind_.events.backward});
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

void QueueBuffers::Refuse(const Core& core, const char* operand, std::string what) {
  tilesim::Fault fault = core.MakeFault(FaultKind::kQueue, operand, std::move(what));
  fault.pipe.clear();  // a call of a queue runs on none
  throw tilesim::KernelFault(std::move(fault));
}

Core& QueueBuffers::Begin(const char* call, SourceLine where) const {
  Core& core = ThisCore();
  core.At(call, Pipe::kS, where);
  if (buffers_.empty()) [[unlikely]] {
    Refuse(core, "queue", "has no buffers; call TPipe::InitBuffer first");
  }
  return core;
}

void QueueBuffers::RefuseLease(Core& core, const Lease& lease, const char* call, const char* instead) const {
  const std::string here = NameOfQueue(made_at_);
  if (lease.slot < 0) {
    Refuse(core, "tensor",
           Say("is of no queue (it is a TBuf's, an address, or empty), and this is ", here,
               ", which takes only what its AllocTensor and DeQue have given; ", instead));
  }
  const BufferTable& table = State(core).buffers;
  if (!table.Valid(lease)) {
    Refuse(core, "tensor", table.WhyNotValid(lease, instead));
  }
  const std::string owner = NameOfQueue(table.buffer(lease.slot).queue);
  const bool ours =
      std::ranges::any_of(buffers_, [&](const Buffer& buffer) { return buffer.lease.slot == lease.slot; });
  Refuse(core, "tensor",
         ours ? Say("is free: nobody has taken it from ", here, "; ", instead)
              : Say("is of ", owner, ", not of this queue, ", here, "; call ", call,
                    " of the queue that gave it"));
}

std::string QueueBuffers::WhereIs(Core& core, const Buffer& buffer) const {
  if (buffer.state == TBufState::ENQUE) {
    return Say("is in the queue since EnQue (", buffer.enqued_at.file, ":", buffer.enqued_at.line, ")");
  }
  const Loan& loan = State(core).buffers.loan(buffer.lease.slot);
  return Say("is with the kernel since ", loan.call, " (", loan.where.file, ":", loan.where.line, ")");
}

QueueBuffers::Buffer* QueueBuffers::Find(const Lease& lease) {
  if (!State(ThisCore()).buffers.Valid(lease)) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(buffers_, [&](const Buffer& buffer) {
    return buffer.lease.slot == lease.slot && buffer.lease.number == lease.number;
  });
  return found == buffers_.end() ? nullptr : &*found;
}

void QueueBuffers::RequireInForce(Core& core, const Buffer& buffer) {
  if (State(core).buffers.IsRetired(buffer.lease.slot)) {
    Refuse(core, "queue",
           "lost its buffers: its TPipe or pool was reset or destroyed, or another TPipe constructed; call "
           "InitBuffer again");
  }
}

QueueBuffers::Taken QueueBuffers::Alloc(SourceLine where) {
  Core& core = Begin("AllocTensor", where);
  RequireInForce(core, buffers_[next_]);
  const size_t count = buffers_.size();
  const size_t first = next_;
  while (buffers_[next_].state != TBufState::FREE && (next_ + 1) % count != first) {
    next_ = (next_ + 1) % count;
  }
  Buffer& buffer = buffers_[next_];
  if (buffer.state != TBufState::FREE) {
    const Buffer& oldest = *std::ranges::min_element(buffers_, {}, &Buffer::taken);
    Refuse(core, "queue",
           Say(count == 1 ? "its one buffer" : Say("all ", count, " buffers"), " of ", NameOfQueue(made_at_),
               count == 1 ? " is" : " are", " in use (the oldest ", WhereIs(core, oldest),
               "), so the call would wait for ever; FreeTensor one before, or give InitBuffer more than ",
               count));
  }
  next_ = (next_ + 1) % count;
  WaitFreeFlag(core, buffer.lease.slot, KeepsEvents(), where);
  buffer.state = TBufState::OCCUPIED;
  buffer.taken = ++taken_;
  buffer.lease = State(core).buffers.Renew(buffer.lease.slot);
  State(core).buffers.Lend(buffer.lease.slot, {.call = "AllocTensor", .where = where});
  return {buffer.offset, buffer.size_bytes, buffer.lease};
}

bool QueueBuffers::EnQue(const Lease& lease, HardEvent event, SourceLine where) {
  Core& core = Begin("EnQue", where);
  if (core.Dropped("EnQue", where)) {
    return false;
  }
  Buffer* buffer = Find(lease);
  if (buffer == nullptr || buffer->state == TBufState::FREE) {
    RefuseLease(core, lease, "EnQue", "AllocTensor one of this queue first");
  }
  if (buffer->state == TBufState::ENQUE) {
    Refuse(core, "tensor", Say(WhereIs(core, *buffer), "; DeQue it before, or leave this EnQue out"));
  }
  if (!KeepsEvents() && static_cast<int>(queued_.size()) >= kind_.depth) {
    const SourceLine oldest = buffers_[queued_.front()].enqued_at;
    Refuse(core, "queue",
           Say(NameOfQueue(made_at_), " holds ", queued_.size(), kind_.depth == 1 ? " tensor" : " tensors",
               ", its depth, the oldest since EnQue (", oldest.file, ":", oldest.line,
               "); DeQue one first, or declare the queue deeper"));
  }
  const PipePair pipes = PipesOf(event);
  if (!KeepsEvents() || event != kind_.events.forward) {
    buffer->forward_id = State(core).pipe->AllocEvent(event, where);
  }
  buffer->forward = event;
  core.SetFlag(pipes.src, pipes.dst, buffer->forward_id, where, "EnQue of a queue");
  buffer->state = TBufState::ENQUE;
  buffer->enqued_at = where;
  State(core).buffers.TakeBack(buffer->lease.slot);
  queued_.push_back(static_cast<size_t>(buffer - buffers_.data()));
  return true;
}

std::optional<QueueBuffers::Taken> QueueBuffers::DeQue(HardEvent event, SourceLine where) {
  Core& core = Begin("DeQue", where);
  if (core.Dropped("DeQue", where)) {
    return std::nullopt;
  }
  if (queued_.empty()) {
    const bool never = *last_deque_.file == '\0';
    Refuse(core, "queue",
           Say(NameOfQueue(made_at_), " holds no tensor",
               never ? ": nothing was put into it so far"
                     : Say(": its last was taken at ", last_deque_.file, ":", last_deque_.line),
               "; EnQue one before"));
  }
  Buffer& buffer = buffers_[queued_.front()];
  RequireInForce(core, buffer);
  const PipePair pipes = PipesOf(event);
  const PipePair set = PipesOf(buffer.forward);
  if (event != buffer.forward) {
    Refuse(core, "queue",
           Say("waits for ", Name(pipes.src), "_", Name(pipes.dst), ", but the EnQue of its oldest tensor (",
               buffer.enqued_at.file, ":", buffer.enqued_at.line, ") has set ", Name(set.src), "_",
               Name(set.dst), "; give DeQue the positions of EnQue"));
  }
  queued_.erase(queued_.begin());
  core.WaitFlag(pipes.src, pipes.dst, buffer.forward_id, where, "DeQue of a queue");
  if (!KeepsEvents() || event != kind_.events.forward) {
    State(core).pipe->ReleaseEvent(event, buffer.forward_id);
    buffer.forward_id = -1;
  }
  buffer.state = TBufState::DEQUE;
  last_deque_ = where;
  State(core).buffers.Lend(buffer.lease.slot, {.call = "DeQue", .where = where});
  return Taken{buffer.offset, buffer.size_bytes, buffer.lease};
}

void QueueBuffers::Free(const Lease& lease, SourceLine where) {
  Core& core = Begin("FreeTensor", where);
  if (core.Dropped("FreeTensor", where)) {
    return;
  }
  Buffer* buffer = Find(lease);
  if (buffer == nullptr || buffer->state == TBufState::FREE) {
    RefuseLease(core, lease, "FreeTensor", "leave this FreeTensor out");
  }
  if (buffer->state == TBufState::ENQUE) {
    Refuse(core, "tensor", Say(WhereIs(core, *buffer), "; DeQue it first and free what DeQue gives"));
  }
  const HardEvent event = kind_.events.backward;
  const PipePair pipes = PipesOf(event);
  TPipe& pipe = *State(core).pipe;
  const TEventID id = KeepsEvents() ? buffer->backward_id : pipe.AllocEvent(event, where);
  core.SetFlag(pipes.src, pipes.dst, id, where, "FreeTensor of a queue");
  pipe.SetPending(event, id);
  BufferTable& table = State(core).buffers;
  table.free_flag(buffer->lease.slot) = {event, id};
  buffer->state = TBufState::FREE;
  buffer->lease = table.Free(buffer->lease.slot, where);
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
  if (found == buffers_.end()) {
    RefuseLease(core, lease, "GetState", "ask for one that AllocTensor or DeQue has given");
  }
  return found->state;
}

QueueBuffers::Taken QueueBuffers::At(const Lease& lease, SourceLine where) {
  Core& core = Begin("GetBufferAddr", where);
  const Buffer* buffer = Find(lease);
  if (buffer == nullptr) {
    Refuse(core, "handle", Say("is not one of the buffers of ", NameOfQueue(made_at_)));
  }
  return {buffer->offset, buffer->size_bytes, buffer->lease};
}

}  // namespace AscendC::simulator

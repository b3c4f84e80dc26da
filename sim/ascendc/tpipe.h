// TPipe, the queues and the buffers: they divide a core's memories and set the flags that hand a buffer on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"

namespace AscendC {

namespace internal {

// The buffers of one queue and what state each is in. Knows no element types.
class QueueBuffers {
 public:
  struct Taken {
    uint64_t offset = 0;
    uint64_t size_bytes = 0;
    Lease lease;
  };

  void Init(TPipe& pipe, const char* name, TPosition position, HardEvent forward, HardEvent backward,
            int depth, int count, uint64_t size_bytes, SourceLine where);
  Taken Alloc(SourceLine where);
  // False where the call is left out of the run.
  bool EnQue(uint64_t offset, const Lease& lease, SourceLine where);
  // Nothing where the call is left out of the run.
  std::optional<Taken> DeQue(SourceLine where);
  void Free(const Lease& lease, SourceLine where);
  void FreeAllEvents(SourceLine where);

  bool HasTensor() const { return !queued_.empty(); }
  bool Vacant() const { return static_cast<int>(queued_.size()) < depth_; }
  int queued() const { return static_cast<int>(queued_.size()); }
  bool HasIdle() const;

 private:
  enum class Phase : uint8_t { kFree, kAllocated, kQueued, kTaken };
  struct Buffer {
    uint64_t offset = 0;
    Phase state = Phase::kFree;
    Lease lease;
    int32_t forward_id = -1;   // set by EnQue, waited for by DeQue
    int32_t backward_id = -1;  // set by FreeTensor, waited for by the next AllocTensor
  };

  tilesim::Core& Begin(const char* call, SourceLine where) const;
  Buffer* Find(const Lease& lease);
  // The buffer's tensor is with the kernel from now on.
  void Lend(const Buffer& buffer, const char* call, tilesim::Pipe pipe, SourceLine where) const;
  // Waits for the flag of the last FreeTensor, if there is one.
  void WaitBackward(Buffer& buffer, SourceLine where);

  TPipe* pipe_ = nullptr;
  const char* name_ = "TQue";
  SourceLine made_at_;
  HardEvent forward_ = HardEvent::MTE2_MTE1;
  HardEvent backward_ = HardEvent::MTE1_MTE2;
  int depth_ = 0;
  uint64_t size_bytes_ = 0;
  std::vector<Buffer> buffers_;
  size_t next_ = 0;             // AllocTensor goes round
  std::vector<size_t> queued_;  // indices of buffers_, oldest first: as few as its depth
};

// The events that hand a queue's buffers on and back.
struct QueueEvents {
  HardEvent forward;
  HardEvent backward;
};
constexpr QueueEvents EventsOf(TPosition src, TPosition dst) {
  using enum HardEvent;
  using enum tilesim::Memory;
  struct Row {
    tilesim::Memory from;
    tilesim::Memory to;
    QueueEvents events;
  };
  constexpr Row kRows[] = {{kGm, kUb, {MTE2_V, V_MTE2}},       {kGm, kL1, {MTE2_MTE1, MTE1_MTE2}},
                           {kGm, kL0A, {MTE2_M, M_MTE2}},      {kGm, kL0B, {MTE2_M, M_MTE2}},
                           {kUb, kGm, {V_MTE3, MTE3_V}},       {kUb, kUb, {MTE2_MTE3, MTE3_MTE2}},
                           {kUb, kL1, {MTE3_MTE1, MTE1_MTE3}}, {kL1, kL0A, {MTE1_M, M_MTE1}},
                           {kL1, kL0B, {MTE1_M, M_MTE1}},      {kL1, kBt, {MTE1_M, M_MTE1}},
                           {kL1, kFb, {MTE1_FIX, FIX_MTE1}},   {kL0C, kGm, {M_FIX, FIX_M}}};
  for (const Row& row : kRows) {
    if (row.from == MemoryOf(src) && row.to == MemoryOf(dst)) {
      return row.events;
    }
  }
  return {MTE2_MTE1, MTE1_MTE2};
}

}  // namespace internal

template <TPosition pos>
class TBuf;
template <TPosition src, TPosition dst, int32_t depth, auto mask>
class TQueBind;

// Divides the memories of the core it is constructed on. At most 64 buffers; each length is rounded up to 32
// B; buffers lie in each memory in the order of the calls. On a cube core the constructor sets the M_MTE1
// flags 0, 1 and 2, and Destroy (or the destructor) waits for them.
class TPipe {
 public:
  explicit TPipe(SourceLine where = SourceLine::Here());
  ~TPipe() noexcept(false);
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  void Init(SourceLine where = SourceLine::Here());
  template <class Queue>
  bool InitBuffer(Queue& queue, uint8_t count, uint32_t length, SourceLine where = SourceLine::Here()) {
    queue.InitOn(*this, count, length, where);
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos>& buffer, uint32_t length, SourceLine where = SourceLine::Here());

  template <HardEvent event>
  TEventID AllocEventID(SourceLine where = SourceLine::Here()) {
    return AllocEvent(event, where);
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    ReleaseEvent(event, id);
  }
  // The lowest free id; it is not reserved.
  template <HardEvent event>
  TEventID FetchEventID() {
    return FetchEventID(event);
  }
  TEventID FetchEventID(HardEvent event) const;

  // Gives every buffer back; flags stay as they are.
  void Reset();
  // Waits for the flags the pipe set itself and for everything under way. Tensors that are out of their
  // queues are faults.
  void Destroy(SourceLine where = SourceLine::Here());

  TEventID AllocEvent(HardEvent event, SourceLine where);
  void ReleaseEvent(HardEvent event, TEventID id);
  // FreeTensor has set the event; the next AllocTensor, FreeAllEvent or Destroy waits for it.
  void SetPending(HardEvent event, TEventID id) {
    pending_[static_cast<size_t>(event)] |= static_cast<uint8_t>(1 << id);
  }
  void WaitPending(HardEvent event, TEventID id, SourceLine where);
  uint64_t Allocate(TPosition position, uint64_t size_bytes, const internal::Holder& holder,
                    SourceLine where);
  tilesim::Core& core() const { return core_; }

 private:
  static constexpr int kMaxBuffers = 64;
  static constexpr TEventID kPresetEvents = 3;

  tilesim::Core& core_;
  std::array<uint8_t, static_cast<size_t>(HardEvent::MAX)> events_{};   // a bit an id: taken
  std::array<uint8_t, static_cast<size_t>(HardEvent::MAX)> pending_{};  // a bit an id: set by FreeTensor
  bool alive_ = false;
  SourceLine made_at_;
};

// The last TPipe constructed on this core.
TPipe* GetTPipePtr();

template <TPosition pos = TPosition::LCM>
class TBuf {
 public:
  template <class T>
  LocalTensor<T> Get(SourceLine where = SourceLine::Here()) const {
    return Part<T>(0, size_bytes_, where);
  }
  // The first `length` elements.
  template <class T>
  LocalTensor<T> Get(uint32_t length, SourceLine where = SourceLine::Here()) const {
    return Part<T>(0, length * sizeof(T), where);
  }
  template <class T>
  LocalTensor<T> GetWithOffset(uint32_t length, uint32_t offset_bytes,
                               SourceLine where = SourceLine::Here()) const {
    return Part<T>(offset_bytes, length * sizeof(T), where);
  }
  uint32_t GetBufLen() const { return static_cast<uint32_t>(size_bytes_); }

 private:
  friend class TPipe;
  template <class T>
  LocalTensor<T> Part(uint64_t begin, uint64_t size_bytes, SourceLine where) const {
    tilesim::Core& core = internal::ThisCore();
    core.At("TBuf::Get", tilesim::Pipe::kS, where);
    if (size_bytes_ == 0 || begin + size_bytes > size_bytes_) [[unlikely]] {
      Refuse(core, begin, begin + size_bytes);
    }
    return {pos, offset_ + begin, size_bytes, {}};
  }
  [[noreturn]] void Refuse(tilesim::Core& core, uint64_t begin, uint64_t end) const {
    core.Require(size_bytes_ != 0, tilesim::FaultKind::kQueue, "buffer",
                 "has no memory; call TPipe::InitBuffer first");
    core.Fail(tilesim::FaultKind::kBounds, "buffer",
              tilesim::Say("bytes [", begin, ", ", end, ") asked for, it has ", size_bytes_));
  }

  uint64_t offset_ = 0;
  uint64_t size_bytes_ = 0;
};

template <TPosition pos>
bool TPipe::InitBuffer(TBuf<pos>& buffer, uint32_t length, SourceLine where) {
  buffer.offset_ = Allocate(pos, length, {.kind = "TBuf", .made_at = {}}, where);
  buffer.size_bytes_ = (static_cast<uint64_t>(length) + 31) / 32 * 32;
  return true;
}

// A queue of buffers filled at `src` and used at `dst`: AllocTensor, fill, EnQue, DeQue, use, FreeTensor.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  static constexpr TPosition kBuffer = internal::MemoryOf(dst) == tilesim::Memory::kGm ? src : dst;

  void InitOn(TPipe& pipe, int count, uint64_t length, SourceLine where) {
    constexpr internal::QueueEvents kEvents = internal::EventsOf(src, dst);
    buffers_.Init(pipe, "TQue", kBuffer, kEvents.forward, kEvents.backward, depth, count, length, where);
  }
  template <class T>
  LocalTensor<T> AllocTensor(SourceLine where = SourceLine::Here()) {
    return Tensor<T>(buffers_.Alloc(where));
  }
  template <class T>
  void AllocTensor(LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    tensor = AllocTensor<T>(where);
  }
  template <class T>
  bool EnQue(const LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    return buffers_.EnQue(tensor.GetPhyAddr(), tensor.lease(), where);
  }
  template <class T>
  LocalTensor<T> DeQue(SourceLine where = SourceLine::Here()) {
    const std::optional<internal::QueueBuffers::Taken> taken = buffers_.DeQue(where);
    return taken ? Tensor<T>(*taken) : LocalTensor<T>();
  }
  template <class T>
  void DeQue(LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    tensor = DeQue<T>(where);
  }
  template <class T>
  void FreeTensor(LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    buffers_.Free(tensor.lease(), where);
  }
  void FreeAllEvent(SourceLine where = SourceLine::Here()) { buffers_.FreeAllEvents(where); }
  bool VacantInQue() const { return buffers_.Vacant(); }
  bool HasTensorInQue() const { return buffers_.HasTensor(); }
  int32_t GetTensorCountInQue() const { return buffers_.queued(); }
  bool HasIdleBuffer() const { return buffers_.HasIdle(); }

 private:
  template <class T>
  static LocalTensor<T> Tensor(const internal::QueueBuffers::Taken& taken) {
    return {kBuffer, taken.offset, taken.size_bytes, taken.lease};
  }

  internal::QueueBuffers buffers_;
};

namespace internal {

constexpr TPosition QueueSrc(TPosition pos) {
  return pos == TPosition::CO1 || pos == TPosition::VECOUT ? pos
         : pos == TPosition::A2                            ? TPosition::A1
         : pos == TPosition::B2                            ? TPosition::B1
                                                           : TPosition::GM;
}
constexpr TPosition QueueDst(TPosition pos) {
  return pos == TPosition::CO1 ? TPosition::CO2 : pos == TPosition::VECOUT ? TPosition::GM : pos;
}

}  // namespace internal

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<internal::QueueSrc(pos), internal::QueueDst(pos), depth, mask> {};

template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

}  // namespace AscendC

// Kernels call it without the namespace.
using AscendC::GetTPipePtr;

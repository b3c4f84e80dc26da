// TPipe, the queues and the buffers: they divide a core's memories and set the flags that hand a buffer on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/queue_buffers.h"
#include "sim/ascendc/std_tuple.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"

namespace AscendC {

template <TPosition pos>
class TBuf;
template <TPosition src, TPosition dst, int32_t depth, auto mask>
class TQueBind;

// What a queue may be told of itself. The device takes no other values than these for the rest of its fields,
// which are left out: nd2nz and nz2nd false, no consumers, no events or loops of its own.
struct TQueConfig {
  bool nd2nz = false;
  bool nz2nd = false;
  bool scmBlockGroup = false;
  uint32_t bufferLen = 0;     // bytes; 0: as InitBuffer says
  uint32_t bufferNumber = 0;  // 0: as InitBuffer says
  uint32_t consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false;
  bool enableLoopQueue = false;
};

constexpr TQueConfig GetTQueConfig(const int32_t mask) {
  return {.nd2nz = (mask & 1) != 0, .nz2nd = (mask & 2) != 0, .scmBlockGroup = (mask & 4) != 0};
}
constexpr TQueConfig GetTQueConfig(const TQueConfig* config) { return *config; }
constexpr TQueConfig GetTQueConfig(bool nd2nz = false, bool nz2nd = false, bool scmBlockGroup = false,
                                   uint32_t bufferLen = 0, uint32_t bufferNumber = 0,
                                   uint32_t consumerSize = 0, bool enableStaticEvtId = false,
                                   bool enableLoopQueue = false) {
  return {.nd2nz = nd2nz,
          .nz2nd = nz2nd,
          .scmBlockGroup = scmBlockGroup,
          .bufferLen = bufferLen,
          .bufferNumber = bufferNumber,
          .consumerSize = consumerSize,
          .enableStaticEvtId = enableStaticEvtId,
          .enableLoopQueue = enableLoopQueue};
}

// Divides the memories of the core it is constructed on. At most 64 buffers; each length is rounded up to 32
// B; buffers lie in each memory in the order of the calls. On a cube core the constructor sets the M_MTE1
// flags 0, 1 and 2, and Destroy (or the destructor) waits for them. Where a TPipe is constructed while
// another of the core is alive, it hands out the same bytes: a fault of the first InitBuffer that does so.
class TPipe final : public simulator::BufferSource {
 public:
  TPipe(SourceLine where = SourceLine::Here());  // a member of a kernel's aggregate may be left out
  ~TPipe() noexcept(false);
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  void Init(SourceLine where = SourceLine::Here());
  template <class Queue>
  bool InitBuffer(Queue& queue, uint8_t count, uint32_t length, SourceLine where = SourceLine::Here()) {
    queue.InitOn(*this, count, length, where);
    return true;
  }
  // One buffer for each (start, length) in bytes, where the kernel wants it; they are not rounded, and the
  // calls above do not take note of them.
  template <class Queue, class U, class V, class... More>
  bool InitBuffer(Queue& queue, const Std::tuple<U, V>& buffer, const More&... more) {
    const uint64_t ranges[][2] = {
        {static_cast<uint64_t>(Std::get<0>(buffer)), static_cast<uint64_t>(Std::get<1>(buffer))},
        {static_cast<uint64_t>(Std::get<0>(more)), static_cast<uint64_t>(Std::get<1>(more))}...};
    queue.InitStartBufHandle(nullptr, static_cast<uint8_t>(1 + sizeof...(More)), 0);
    for (const auto& range : ranges) {
      CheckRange(Queue::kBuffer, range[0], range[1]);
      queue.AddOn(*this, range[0], range[1]);
    }
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos>& buffer, uint32_t length, SourceLine where = SourceLine::Here()) {
    buffer.InitOn(*this, length, where);
    return true;
  }
  // Gives a pool its range, rounded up to 32 B; or the start of the range of another pool, which holds the
  // longer one.
  template <class Pool>
  bool InitBufPool(Pool& pool, uint32_t length, SourceLine where = SourceLine::Here()) {
    pool.range().Take(*this, Pool::poolPos, length, where);
    return true;
  }
  template <class Pool, class Share>
  bool InitBufPool(Pool& pool, uint32_t length, Share& shareBuf, SourceLine where = SourceLine::Here()) {
    pool.range().Share(shareBuf.range(), length, where);
    return true;
  }

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

  // `size` elements (or `len` bytes) from byte `offset` of a position's memory, whoever holds them.
  template <TPosition pos, class T>
  LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size, SourceLine where = SourceLine::Here()) const {
    const uint64_t size_bytes = simulator::BytesOf<PrimT<T>>(static_cast<uint64_t>(size));
    CheckAbsolute(pos, offset, size, size_bytes, where);
    return {pos, static_cast<uint64_t>(offset), size_bytes, simulator::Lease{}};
  }
  template <TPosition pos>
  TBuffAddr GetAbsAddr(int32_t offset, int32_t len, SourceLine where = SourceLine::Here()) const {
    CheckAbsolute(pos, offset, len, static_cast<uint64_t>(len), where);
    return {.dataLen = static_cast<uint32_t>(len),
            .bufferAddr = static_cast<uint32_t>(offset),
            .bufferHandle = nullptr,
            .logicPos = static_cast<uint8_t>(pos)};
  }
  template <class T>
  uint64_t GetAbsAddr(const LocalTensor<T>& tensor) const {
    return tensor.GetPhyAddr();
  }
  // For debugging, as of the vendor's CPU library: where the host holds UB or L1; nullptr in a run without
  // values.
  uint8_t* GetBaseAddr(int8_t logicPos, SourceLine where = SourceLine::Here()) const;

  // Copies between UB and a part of GM that stands for a memory of its own. `offset`: bytes from its start.
  // `size`: elements; 0: those of the tensor's ShapeInfo. What V and the other move have done to the tensor
  // is waited for, and they wait for the copy.
  template <class T>
  void InitSpmBuffer(const GlobalTensor<T>& workspace, int32_t size_bytes) {
    spm_ = {.begin = workspace.address(), .size_bytes = static_cast<uint64_t>(size_bytes)};
  }
  // On this part there is no such memory in L1: does nothing, as the device's call.
  void InitSpmBuffer(int32_t) {}
  template <class T>
  void WriteSpmBuffer(const LocalTensor<T>& src, const DataCopyParams& params, int32_t offset = 0,
                      SourceLine where = SourceLine::Here()) {
    BeginSpm("WriteSpmBuffer", {HardEvent::V_MTE3, HardEvent::MTE2_MTE3}, where);
    DataCopy(Spm<T>(offset, where), src, params, where);
    EndSpm({HardEvent::MTE3_MTE2, HardEvent::MTE3_V}, where);
  }
  template <class T>
  void WriteSpmBuffer(const LocalTensor<T>& src, int32_t size, int32_t offset = 0,
                      SourceLine where = SourceLine::Here()) {
    WriteSpmBuffer(src, SpmBlocks(src, size), offset, where);
  }
  template <class T>
  void ReadSpmBuffer(const LocalTensor<T>& dst, const DataCopyParams& params, int32_t offset = 0,
                     SourceLine where = SourceLine::Here()) {
    BeginSpm("ReadSpmBuffer", {HardEvent::V_MTE2}, where);
    DataCopy(dst, Spm<T>(offset, where), params, where);
    EndSpm({HardEvent::MTE2_V, HardEvent::MTE2_MTE3}, where);
  }
  template <class T>
  void ReadSpmBuffer(const LocalTensor<T>& dst, int32_t size, int32_t offset = 0,
                     SourceLine where = SourceLine::Here()) {
    ReadSpmBuffer(dst, SpmBlocks(dst, size), offset, where);
  }

  // Waits for the flags of buffers that are free, then gives every buffer, pool and event id back, and runs
  // InitSocState. The flags that the constructor set on a cube core stay set and reserved until Destroy.
  void Reset(SourceLine where = SourceLine::Here());
  // Waits for the flags the pipe set itself. Tensors that are out of their queues are faults.
  void DestroyWithoutPipeAll(SourceLine where = SourceLine::Here());
  // The same, and waits for everything under way.
  void Destroy(SourceLine where = SourceLine::Here());

  TEventID AllocEvent(HardEvent event, SourceLine where);
  void ReleaseEvent(HardEvent event, TEventID id);
  // FreeTensor has set the event; the next AllocTensor, FreeAllEvent or Destroy waits for it.
  void SetPending(HardEvent event, TEventID id) {
    pending_[static_cast<size_t>(event)] |= static_cast<uint8_t>(1 << id);
  }
  void WaitPending(HardEvent event, TEventID id, bool keep_id, SourceLine where);
  uint64_t Allocate(TPosition position, uint64_t size_bytes, const simulator::Holder& holder,
                    SourceLine where) override;
  void Adopt(int32_t) override {}
  tilesim::Core& core() const { return core_; }
  const SourceLine& made_at() const { return made_at_; }
  bool alive() const { return alive_; }

 private:
  static constexpr int kMaxBuffers = 64;
  static constexpr TEventID kPresetEvents = 3;
  using Events = std::array<uint8_t, static_cast<size_t>(HardEvent::MAX)>;  // a bit an id
  struct GmRange {
    uint64_t begin = 0;
    uint64_t size_bytes = 0;
  };
  struct TwoEvents {
    HardEvent one;
    HardEvent other = HardEvent::MAX;
  };

  void CheckRange(TPosition position, uint64_t start, uint64_t size_bytes) const;
  void CheckAbsolute(TPosition position, int32_t offset, int32_t size, uint64_t size_bytes,
                     SourceLine where) const;
  // Waits for every flag that FreeTensor has set.
  void WaitPending(SourceLine where);
  void WaitAllPending(SourceLine where);
  void Forget();
  void PassOn(const TwoEvents& events, SourceLine where);
  void BeginSpm(const char* call, const TwoEvents& events, SourceLine where);
  void EndSpm(const TwoEvents& events, SourceLine where);
  GmRange SpmFrom(int32_t offset, SourceLine where) const;
  template <class T>
  GlobalTensor<T> Spm(int32_t offset, SourceLine where) const {
    const GmRange range = SpmFrom(offset, where);
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<PrimT<T>*>(range.begin), range.size_bytes / sizeof(PrimT<T>));
    return tensor;
  }
  template <class T>
  static DataCopyParams SpmBlocks(const LocalTensor<T>& tensor, int32_t size) {
    const uint64_t elements = size != 0 ? static_cast<uint64_t>(size) : GetShapeSize(tensor.GetShapeInfo());
    return {1, static_cast<uint16_t>(elements * sizeof(PrimT<T>) / ONE_BLK_SIZE), 0, 0};
  }

  tilesim::Core& core_;
  Events events_{};   // taken
  Events pending_{};  // set by FreeTensor
  bool alive_ = false;
  SourceLine made_at_;
  GmRange spm_;
  // Bytes of each memory that another TPipe, which was alive when this one was constructed, holds.
  std::array<uint64_t, tilesim::kNumMemories> held_by_other_{};
  SourceLine other_made_at_;
};

// The last TPipe constructed on this core.
TPipe* GetTPipePtr();

template <TPosition pos = TPosition::LCM>
class TBuf {
 public:
  static constexpr TPosition kBuffer = pos;

  void InitOn(simulator::BufferSource& source, uint32_t length, SourceLine where) {
    offset_ = source.Allocate(pos, length, {.kind = "TBuf", .made_at = {}}, where);
    size_bytes_ = (static_cast<uint64_t>(length) + 31) / 32 * 32;
  }
  template <class T>
  LocalTensor<T> Get(SourceLine where = SourceLine::Here()) const {
    return Part<T>(0, size_bytes_, where);
  }
  // The first `length` elements.
  template <class T>
  LocalTensor<T> Get(uint32_t length, SourceLine where = SourceLine::Here()) const {
    return Part<T>(0, simulator::BytesOf<PrimT<T>>(length), where);
  }
  template <class T>
  LocalTensor<T> GetWithOffset(uint32_t length, uint32_t offset_bytes,
                               SourceLine where = SourceLine::Here()) const {
    return Part<T>(offset_bytes, simulator::BytesOf<PrimT<T>>(length), where);
  }
  uint32_t GetBufLen() const { return static_cast<uint32_t>(size_bytes_); }

  // A queue's calls, for code that takes either: they give the buffer and order nothing.
  template <class T>
  LocalTensor<T> AllocTensor(SourceLine where = SourceLine::Here()) const {
    return Get<T>(where);
  }
  template <class T>
  void EnQue(const LocalTensor<T>&) const {}
  template <class T>
  LocalTensor<T> DeQue(SourceLine where = SourceLine::Here()) const {
    return Get<T>(where);
  }
  template <class T>
  void FreeTensor(LocalTensor<T>&) const {}

 private:
  template <class T>
  LocalTensor<T> Part(uint64_t begin, uint64_t size_bytes, SourceLine where) const {
    tilesim::Core& core = simulator::ThisCore();
    core.At("TBuf::Get", tilesim::Pipe::kS, where);
    if (size_bytes_ == 0 || begin + size_bytes > size_bytes_) [[unlikely]] {
      Refuse(core, begin, begin + size_bytes);
    }
    return {pos, offset_ + begin, size_bytes, simulator::Lease{}};
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

// A queue of buffers filled at `src` and used at `dst`: AllocTensor, fill, EnQue, DeQue, use, FreeTensor.
// `depth`: how many tensors EnQue takes before DeQue gives one. Depth 0: the calls with a tensor as argument;
// its flags keep their ids from InitBuffer on. `mask`: a number or a TQueConfig.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  static constexpr TPosition kBuffer = simulator::MemoryOf(dst) == tilesim::Memory::kGm ? src : dst;

  void InitOn(simulator::BufferSource& source, int count, uint64_t length, SourceLine where) {
    if constexpr (std::is_pointer_v<decltype(mask)>) {
      CheckConfig(count, length, where);
    }
    buffers_.Init(kKind, source, count, length, where);
  }
  void AddOn(simulator::BufferSource& source, uint64_t offset, uint64_t length) {
    buffers_.Add(offset, length, source, made_at_);
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
    return buffers_.EnQue(tensor.lease(), kKind.events.forward, where);
  }
  bool EnQue(TBufHandle handle, SourceLine where = SourceLine::Here()) {
    return buffers_.EnQue(LeaseOf(handle), kKind.events.forward, where);
  }
  // One step of several between these positions, which DeQue gives again.
  template <TPosition srcUserPos, TPosition dstUserPos, class T>
  bool EnQue(const LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    CheckStep<srcUserPos, dstUserPos>();
    return buffers_.EnQue(tensor.lease(), simulator::EventOfStep(srcUserPos, dstUserPos), where);
  }
  template <class T>
  LocalTensor<T> DeQue(SourceLine where = SourceLine::Here()) {
    return TensorOrNone<T>(buffers_.DeQue(kKind.events.forward, where));
  }
  template <class T>
  void DeQue(LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    tensor = DeQue<T>(where);
  }
  TBufHandle DeQue(SourceLine where = SourceLine::Here()) {
    const std::optional<simulator::QueueBuffers::Taken> taken = buffers_.DeQue(kKind.events.forward, where);
    return taken ? simulator::BufferTable::HandleOf(taken->lease.slot) : nullptr;
  }
  template <TPosition srcUserPos, TPosition dstUserPos, class T>
  LocalTensor<T> DeQue(SourceLine where = SourceLine::Here()) {
    CheckStep<srcUserPos, dstUserPos>();
    return TensorOrNone<T>(buffers_.DeQue(simulator::EventOfStep(srcUserPos, dstUserPos), where));
  }
  template <class T>
  void FreeTensor(LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
    buffers_.Free(tensor.lease(), where);
  }
  void FreeBuffer(TBufHandle handle, SourceLine where = SourceLine::Here()) {
    buffers_.Free(LeaseOf(handle), where);
  }
  TBuffAddr GetBufferAddr(TBufHandle handle, SourceLine where = SourceLine::Here()) {
    const simulator::QueueBuffers::Taken at = buffers_.At(LeaseOf(handle), where);
    return {.dataLen = static_cast<uint32_t>(at.size_bytes),
            .bufferAddr = static_cast<uint32_t>(at.offset),
            .bufferHandle = handle,
            .logicPos = static_cast<uint8_t>(kBuffer)};
  }
  template <class T>
  TBufState GetState(const LocalTensor<T>& tensor, SourceLine where = SourceLine::Here()) const {
    return buffers_.StateOf(tensor.lease(), where);
  }
  void FreeAllEvent(SourceLine where = SourceLine::Here()) {
    RequireDepth<depth>();
    buffers_.FreeAllEvents(where);
  }
  bool VacantInQue() const {
    RequireDepth<depth>();
    return buffers_.Vacant();
  }
  bool HasTensorInQue() const {
    RequireDepth<depth>();
    return buffers_.HasTensor();
  }
  int32_t GetTensorCountInQue() const {
    RequireDepth<depth>();
    return buffers_.queued();
  }
  bool HasIdleBuffer() const {
    RequireDepth<depth>();
    return buffers_.HasIdle();
  }

  // What a custom pool (EXTERN_IMPL_BUFPOOL) calls: first that `num` buffers come, then where each lies, in
  // bytes of the memory.
  void InitStartBufHandle(TBufHandle, uint8_t, uint32_t, SourceLine where = SourceLine::Here()) {
    made_at_ = where;
    buffers_.Start(kKind, where);
  }
  template <class Pool>
  void InitBufHandle(Pool* pool, uint32_t, TBufHandle, uint32_t address, uint32_t length,
                     SourceLine where = SourceLine::Here()) {
    pool->range().Check(kBuffer, address, length, where);
    buffers_.Add(address, length, pool->range(), where);
  }

 private:
  static constexpr simulator::QueueKind kKind = {kBuffer, simulator::EventsOf(src, dst), depth};

  template <int32_t kDepth>
  static constexpr void RequireDepth() {
    static_assert(kDepth != 0, "a queue of depth 0 has AllocTensor, EnQue, DeQue and FreeTensor only");
  }
  template <TPosition srcUserPos, TPosition dstUserPos>
  static constexpr void CheckStep() {
    constexpr auto kAllowed = [](TPosition position) {
      return position == TPosition::GM || simulator::MemoryOf(position) == tilesim::Memory::kUb;
    };
    static_assert(kAllowed(srcUserPos) && kAllowed(dstUserPos) &&
                      (srcUserPos != TPosition::GM || dstUserPos != TPosition::GM),
                  "EnQue<src, dst> and DeQue<src, dst> take GM, VECIN, VECOUT and VECCALC, not GM twice");
  }
  static void CheckConfig(int count, uint64_t length, SourceLine where) {
    constexpr TQueConfig kConfig = GetTQueConfig(mask);
    static_assert(!kConfig.nd2nz && !kConfig.nz2nd, "nd2nz and nz2nd of a queue must be false");
    tilesim::Core& core = simulator::ThisCore();
    core.At("InitBuffer", tilesim::Pipe::kS, where);
    core.Require((kConfig.bufferLen == 0 || kConfig.bufferLen == length) &&
                     (kConfig.bufferNumber == 0 || kConfig.bufferNumber == static_cast<uint32_t>(count)),
                 tilesim::FaultKind::kMisuse, "queue", "is given ", count, " buffers of ", length,
                 " B, but its TQueConfig says ", kConfig.bufferNumber, " of ", kConfig.bufferLen,
                 " B; give it the same, or 0 in the TQueConfig");
  }
  static simulator::Lease LeaseOf(TBufHandle handle) {
    return simulator::State(simulator::ThisCore()).buffers.LeaseOf(handle);
  }
  template <class T>
  static LocalTensor<T> Tensor(const simulator::QueueBuffers::Taken& taken) {
    return {kBuffer, taken.offset, taken.size_bytes, taken.lease};
  }
  template <class T>
  static LocalTensor<T> TensorOrNone(const std::optional<simulator::QueueBuffers::Taken>& taken) {
    return taken ? Tensor<T>(*taken) : LocalTensor<T>();
  }

  simulator::QueueBuffers buffers_;
  SourceLine made_at_;
};

namespace simulator {

constexpr TPosition QueueSrc(TPosition pos) {
  return pos == TPosition::CO1 || pos == TPosition::VECOUT     ? pos
         : pos == TPosition::A2                                ? TPosition::A1
         : pos == TPosition::B2                                ? TPosition::B1
         : pos == TPosition::C2 || pos == TPosition::C2PIPE2GM ? TPosition::C1
                                                               : TPosition::GM;
}
constexpr TPosition QueueDst(TPosition pos) {
  return pos == TPosition::CO1 ? TPosition::CO2 : pos == TPosition::VECOUT ? TPosition::GM : pos;
}

}  // namespace simulator

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<simulator::QueueSrc(pos), simulator::QueueDst(pos), depth, mask> {};

template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

}  // namespace AscendC

// Kernels call it without the namespace.
using AscendC::GetTPipePtr;

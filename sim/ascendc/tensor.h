// GlobalTensor and LocalTensor: typed windows on GM and on the memories of a core. Sizes and offsets count
// elements; of int4b_t two lie in a byte, the even one in its low bits, and only even ones have an address.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/element_access.h"
#include "sim/ascendc/gm_types.h"
#include "sim/ascendc/shape_info.h"
#include "sim/ascendc/tensor_trait.h"
#include "sim/ascendc/types.h"
#include "sim/ascendc/vector_types.h"
#include "sim/core/source_line.h"

namespace AscendC {

using tilesim::SourceLine;

// How GlobalTensor is to be cached; accepted, without effect on the model.
enum class CacheMode : uint8_t {
  CACHE_MODE_DISABLE = 0,
  CACHE_MODE_NORMAL = 1,
  CACHE_MODE_LAST = 2,
  CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };

// Mark a buffer; a kernel's own.
using TTagType = int32_t;
// A buffer of a queue, in calls that name it so; only queues know what it points to.
using TBufHandle = uint8_t*;

// Bytes [bufferAddr, bufferAddr + dataLen) of the memory behind a position.
struct TBuffAddr {
  uint32_t dataLen = 0;
  uint32_t bufferAddr = 0;
  TBufHandle bufferHandle = nullptr;  // nullptr: no queue's
  uint8_t logicPos = 0;               // a TPosition
};

template <class T>
class LocalTensor;

namespace simulator {
template <class T>
uint64_t OffsetOf(tilesim::Core& core, const LocalTensor<T>& tensor, const char* operand);

// Refuses a tensor at a fixed address that the memory behind `position` cannot hold, or not there.
void CheckStaticTensor(TPosition position, uint64_t address, uint64_t size_bytes, SourceLine where);
// How far a tensor in GM goes that begins at `address`: to the end of the buffer there, or to `named`,
// whichever comes first. Where no buffer is there, or nobody runs here, or `named` is 0, the other decides.
uint64_t GmLimit(uint64_t address, uint64_t named);
[[noreturn]] void RefuseOddNibble(uint64_t offset);
// Values of UB, L1 and L0C as they are now; other memories are refused. Nothing where a run has no values.
void PrintElements(const tilesim::isa::Operand& src, tilesim::isa::VectorType type, uint64_t elements);
// 0: written.
int32_t WriteElements(const tilesim::isa::Operand& src, uint64_t size_bytes, const std::string& file);

template <class T>
constexpr uint64_t kElementBits = std::is_same_v<T, int4b_t> ? 4 : sizeof(T) * 8;
// The bytes of `elements` elements.
template <class T>
constexpr uint64_t BytesOf(uint64_t elements) {
  if constexpr (std::is_same_v<T, int4b_t>) {
    if (elements % 2 != 0) [[unlikely]] {
      RefuseOddNibble(elements);
    }
    return elements / 2;
  } else {
    return elements * sizeof(T);
  }
}
// The byte that element number `offset` begins in, from the first one's.
template <class T>
constexpr uint64_t ByteOf(uint64_t offset) {
  return std::is_same_v<T, int4b_t> ? offset / 2 : offset * sizeof(T);
}
template <class T>
constexpr uint32_t ElementsIn(uint64_t size_bytes) {
  return static_cast<uint32_t>(size_bytes * 8 / kElementBits<T>);
}

// Element number `offset` of a tensor, which is in the byte, or is the bytes, at `element`.
template <class T>
T ElementAt(tilesim::Core& core, const tilesim::isa::Operand& element, uint64_t offset, SourceLine where) {
  if constexpr (std::is_same_v<T, int4b_t>) {
    return T(ReadElement<uint8_t>(core, element, where) >> offset % 2 * 4);
  } else {
    return ReadElement<T>(core, element, where);
  }
}
template <class T, class U>
void SetElementAt(tilesim::Core& core, const tilesim::isa::Operand& element, uint64_t offset, U value,
                  SourceLine where) {
  if constexpr (std::is_same_v<T, int4b_t>) {  // the other half of the byte stays
    const auto shift = static_cast<uint32_t>(offset % 2 * 4);
    const uint32_t other = ReadElement<uint8_t>(core, element, where) & (0xF0U >> shift);
    const uint32_t bits = (static_cast<uint32_t>(static_cast<int32_t>(value)) & 0xFU) << shift;
    WriteElement<uint8_t>(core, element, static_cast<uint8_t>(other | bits), where);
  } else {
    WriteElement<T>(core, element, static_cast<T>(value), where);
  }
}
}  // namespace simulator

namespace simulator {
enum class TensorOperator : uint8_t { kAdd, kSub, kMul, kDiv, kAnd, kOr };

// What is assigned to a tensor, and where in the kernel that is.
template <class Expression>
struct Assigned {
  Assigned(const Expression& assigned, SourceLine line = SourceLine::Here())
      : expression(assigned), where(line) {}
  template <class T>
  void To(LocalTensor<T>& dst) const {
    expression.Into(dst, where);
  }
  const Expression& expression;
  SourceLine where;
};
}  // namespace simulator

// What the operators of LocalTensor make: see tensor_operators.h.
template <class T, simulator::TensorOperator kOperator>
class SymbolOverride;
template <class T>
class SymbolOverrideCompare;
template <class T>
using SymbolOverrideAdd = SymbolOverride<T, simulator::TensorOperator::kAdd>;
template <class T>
using SymbolOverrideSub = SymbolOverride<T, simulator::TensorOperator::kSub>;
template <class T>
using SymbolOverrideMul = SymbolOverride<T, simulator::TensorOperator::kMul>;
template <class T>
using SymbolOverrideDiv = SymbolOverride<T, simulator::TensorOperator::kDiv>;
template <class T>
using SymbolOverrideAnd = SymbolOverride<T, simulator::TensorOperator::kAnd>;
template <class T>
using SymbolOverrideOr = SymbolOverride<T, simulator::TensorOperator::kOr>;

template <class T>
class GlobalTensor {
 public:
  using PrimType = T;

  void SetGlobalBuffer(__gm__ T* buffer) {
    address_ = reinterpret_cast<uint64_t>(buffer);
    simulator::NoteGmType<T>(address_);
    limit_ = simulator::GmLimit(address_, 0);
    size_ = 0;
  }
  // `size`: elements. Accesses beyond them are faults.
  void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
    address_ = reinterpret_cast<uint64_t>(buffer);
    simulator::NoteGmType<T>(address_);
    limit_ = simulator::GmLimit(address_, address_ + simulator::BytesOf<T>(size));
    size_ = size;
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor shifted = *this;
    shifted.address_ += simulator::BytesOf<T>(offset);
    return shifted;
  }
  __gm__ T* GetPhyAddr() const { return reinterpret_cast<T*>(address_); }
  __gm__ T* GetPhyAddr(uint64_t offset) const { return operator[](offset).GetPhyAddr(); }
  // One element, by the scalar unit and through its cache.
  T GetValue(uint64_t offset, SourceLine where = SourceLine::Here()) const {
    return simulator::ElementAt<T>(simulator::ThisCore(), Element(offset), offset, where);
  }
  void SetValue(uint64_t offset, T value, SourceLine where = SourceLine::Here()) const {
    static_assert(!std::is_same_v<T, int4b_t>,
                  "tilesim does not model SetValue of a GlobalTensor<int4b_t>, of which two elements share a "
                  "byte, yet: set bytes of a GlobalTensor<int8_t>");
    simulator::WriteElement<T>(simulator::ThisCore(), Element(offset), value, where);
  }
  simulator::ElementReference<GlobalTensor, uint64_t> operator()(
      uint64_t offset, SourceLine where = SourceLine::Here()) const {
    return {*this, offset, where};
  }
  uint64_t GetSize() const { return size_; }
  // Only a hint on speed, and the modelled L2 does not take it.
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode) {}
  void SetShapeInfo(const ShapeInfo& info) { shape_ = simulator::KeepShape(simulator::ThisCore(), info); }
  ShapeInfo GetShapeInfo() const { return simulator::KeptShape(simulator::ThisCore(), shape_); }

  template <class U>
  GlobalTensor<U> ReinterpretCast() const {
    static_assert(sizeof(U) == 0,
                  "Ascend C has GlobalTensor::ReinterpretCast, this part (arch 2201) does not");
    return {};
  }

  uint64_t address() const { return address_; }
  uint64_t limit() const { return limit_; }

 private:
  tilesim::isa::Operand Element(uint64_t offset) const {
    return {
        .memory = tilesim::Memory::kGm, .begin = address_ + simulator::ByteOf<T>(offset), .limit = limit_};
  }

  uint64_t address_ = 0;  // host address of the first element
  uint64_t limit_ = 0;    // one past its last byte, as GmLimit says
  uint64_t size_ = 0;     // elements
  uint32_t shape_ = 0;    // as KeepShape numbers it
};

template <class T, TPosition pos, class L>
class GlobalTensor<TensorTrait<T, pos, L>> : public GlobalTensor<T> {
 public:
  GlobalTensor() = default;
  GlobalTensor operator[](uint64_t offset) const { return GlobalTensor(GlobalTensor<T>::operator[](offset)); }

 private:
  explicit GlobalTensor(const GlobalTensor<T>& tensor) : GlobalTensor<T>(tensor) {}
};

template <class T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() = default;
  // Used by queues and buffers: `size_bytes` at `offset` of the memory behind `position`.
  LocalTensor(TPosition position, uint64_t offset, uint64_t size_bytes, simulator::Lease lease)
      : position_(position),
        valid_(true),
        lease_(lease),
        offset_(offset),
        limit_(offset + size_bytes),
        size_(simulator::ElementsIn<T>(size_bytes)) {}
  // A static tensor: `tileSize` elements from byte `addr`, both whole data blocks (32 B) within the memory.
  // The size is nominal: instructions may go on to the end of the memory. (A template, so that `{}` as the
  // last argument is a lease.)
  template <std::same_as<SourceLine> Line = SourceLine>
  LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize, Line where = SourceLine::Here())
      : position_(pos), valid_(true), offset_(addr), size_(tileSize) {
    simulator::CheckStaticTensor(pos, addr, simulator::BytesOf<T>(tileSize), where);
  }
  // What a queue's GetBufferAddr or TPipe::GetAbsAddr names.
  LocalTensor(const TBuffAddr& at)
      : LocalTensor(static_cast<TPosition>(at.logicPos), at.bufferAddr, at.dataLen,
                    simulator::State(simulator::ThisCore()).buffers.LeaseOf(at.bufferHandle)) {}

  // The size shrinks by `offset`; beyond it, it is 0.
  LocalTensor operator[](uint32_t offset) const {
    LocalTensor shifted = *this;
    shifted.offset_ += simulator::BytesOf<T>(offset);
    shifted.size_ = size_ > offset ? size_ - offset : 0;
    return shifted;
  }
  // The same bytes as elements of another type.
  template <class U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> cast;
    cast.Show(*this);
    return cast;
  }
  // From now on this tensor is `offset` elements of `src` behind its start; its size stays.
  template <class U>
  void SetAddrWithOffset(LocalTensor<U>& src, uint32_t offset) {
    const uint32_t size = size_;
    Show(src);
    offset_ += simulator::BytesOf<PrimT<U>>(offset);
    size_ = size;
  }
  // One element, by the scalar unit.
  T GetValue(uint32_t offset, SourceLine where = SourceLine::Here()) const {
    tilesim::Core& core = simulator::ThisCore();
    core.At("GetValue", tilesim::Pipe::kS, where);
    return simulator::ElementAt<T>(core, Element(core, offset, "src"), offset, where);
  }
  template <class U>
  void SetValue(uint32_t offset, U value, SourceLine where = SourceLine::Here()) const {
    tilesim::Core& core = simulator::ThisCore();
    core.At("SetValue", tilesim::Pipe::kS, where);
    simulator::SetElementAt<T>(core, Element(core, offset, "dst"), offset, value, where);
  }
  simulator::ElementReference<LocalTensor, uint32_t> operator()(uint32_t offset,
                                                                SourceLine where = SourceLine::Here()) const {
    return {*this, offset, where};
  }
  uint32_t GetSize() const { return size_; }
  void SetSize(uint32_t size) { size_ = size; }
  // `size_bytes`: GetSize() is the elements in them.
  void SetBufferLen(uint32_t size_bytes) { size_ = simulator::ElementsIn<T>(size_bytes); }
  uint32_t GetLength() const { return static_cast<uint32_t>(simulator::BytesOf<T>(size_)); }
  int32_t GetPosition() const { return static_cast<int32_t>(position_); }
  // An address that is meaningful within this memory of this core only.
  uint64_t GetPhyAddr() const { return offset_; }
  uint64_t GetPhyAddr(uint32_t offset) const { return offset_ + simulator::BytesOf<T>(offset); }
  // The tag of a queue's buffer goes with the buffer, through EnQue, DeQue and FreeTensor; that of any other
  // tensor with the tensor's copies. -1 before it is set.
  void SetUserTag(TTagType tag) {
    if (lease_.slot >= 0) {
      simulator::State(simulator::ThisCore()).buffers.SetTag(lease_.slot, tag);
    }
    tag_ = tag;
  }
  TTagType GetUserTag() const {
    return lease_.slot >= 0 ? simulator::State(simulator::ThisCore()).buffers.tag(lease_.slot) : tag_;
  }
  void SetShapeInfo(const ShapeInfo& info) { shape_ = simulator::KeepShape(simulator::ThisCore(), info); }
  ShapeInfo GetShapeInfo() const { return simulator::KeptShape(simulator::ThisCore(), shape_); }

  // For debugging, as of the vendor's CPU library: the elements on stdout, 32 B a line; the bytes into a file
  // (0: done). They are read as they stand at that call, without time and checks. UB, L1 and L0C.
  void Print() const { Print(size_); }
  void Print(uint32_t len) const {
    simulator::PrintElements(Element(simulator::ThisCore(), 0, "src"), simulator::VectorTypeOf<T>(),
                             len < size_ ? len : size_);
  }
  int32_t ToFile(const std::string& fileName) const {
    return simulator::WriteElements(Element(simulator::ThisCore(), 0, "src"), GetLength(), fileName);
  }

  // dst = a + b and the like compute when they are assigned.
  SymbolOverrideAdd<T> operator+(const LocalTensor& other) const { return {*this, other}; }
  SymbolOverrideSub<T> operator-(const LocalTensor& other) const { return {*this, other}; }
  SymbolOverrideMul<T> operator*(const LocalTensor& other) const { return {*this, other}; }
  SymbolOverrideDiv<T> operator/(const LocalTensor& other) const { return {*this, other}; }
  SymbolOverrideAnd<T> operator&(const LocalTensor& other) const { return {*this, other}; }
  SymbolOverrideOr<T> operator|(const LocalTensor& other) const { return {*this, other}; }
  SymbolOverrideCompare<T> operator<(const LocalTensor& other) const { return {*this, other, CMPMODE::LT}; }
  SymbolOverrideCompare<T> operator>(const LocalTensor& other) const { return {*this, other, CMPMODE::GT}; }
  SymbolOverrideCompare<T> operator==(const LocalTensor& other) const { return {*this, other, CMPMODE::EQ}; }
  SymbolOverrideCompare<T> operator<=(const LocalTensor& other) const { return {*this, other, CMPMODE::LE}; }
  SymbolOverrideCompare<T> operator>=(const LocalTensor& other) const { return {*this, other, CMPMODE::GE}; }
  SymbolOverrideCompare<T> operator!=(const LocalTensor& other) const { return {*this, other, CMPMODE::NE}; }
  void operator=(simulator::Assigned<SymbolOverrideAdd<T>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideSub<T>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideMul<T>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideDiv<T>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideAnd<T>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideOr<T>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideCompare<half>> value) { value.To(*this); }
  void operator=(simulator::Assigned<SymbolOverrideCompare<float>> value) { value.To(*this); }

  tilesim::Memory memory() const { return simulator::MemoryOf(position_); }
  uint64_t limit() const { return limit_; }
  const simulator::Lease& lease() const { return lease_; }
  bool valid() const { return valid_; }
  void set_valid(bool valid) { valid_ = valid; }

 private:
  tilesim::isa::Operand Element(tilesim::Core& core, uint32_t offset, const char* operand) const {
    return {.memory = memory(),
            .begin = simulator::OffsetOf(core, *this, operand) + simulator::ByteOf<T>(offset),
            .limit = limit_};
  }
  // Becomes what `other` is, as elements of T.
  template <class U>
  void Show(const LocalTensor<U>& other) {
    position_ = other.position_;
    valid_ = other.valid_;
    lease_ = other.lease_;
    shape_ = other.shape_;
    offset_ = other.offset_;
    limit_ = other.limit_;
    tag_ = other.tag_;
    size_ = simulator::ElementsIn<T>(uint64_t{other.size_} * simulator::kElementBits<PrimT<U>> / 8);
  }

  template <class U>
  friend class LocalTensor;

  TPosition position_ = TPosition::GM;
  bool valid_ = false;  // false: never taken from a queue or buffer
  simulator::Lease lease_;
  uint32_t shape_ = 0;   // as KeepShape numbers it
  uint64_t offset_ = 0;  // bytes from the start of the memory
  uint64_t limit_ = 0;   // one past the last byte of its buffer; 0: the end of the memory
  uint32_t size_ = 0;    // elements
  TTagType tag_ = -1;    // of a tensor without a lease
};

// Of a trait that says position and layout, a static tensor needs its address only; its size is that of the
// layout's shape.
template <class T, TPosition pos, class L>
class LocalTensor<TensorTrait<T, pos, L>> : public LocalTensor<T> {
 public:
  LocalTensor() = default;
  LocalTensor(TPosition position, uint64_t offset, uint64_t size_bytes, simulator::Lease lease)
      : LocalTensor<T>(position, offset, size_bytes, lease) {}
  explicit LocalTensor(uint32_t addr, SourceLine where = SourceLine::Here())
      : LocalTensor(addr, L(), where) {}
  LocalTensor(uint32_t addr, const L& layout, SourceLine where = SourceLine::Here())
      : LocalTensor<T>(pos, addr, static_cast<uint32_t>(simulator::NumElements(layout.GetShape())), where) {}
  LocalTensor(const TBuffAddr& at) : LocalTensor<T>(at) {}
  LocalTensor operator[](uint32_t offset) const { return LocalTensor(LocalTensor<T>::operator[](offset)); }

 private:
  explicit LocalTensor(const LocalTensor<T>& tensor) : LocalTensor<T>(tensor) {}
};

namespace simulator {

// The fault of a tensor that may not be used.
[[noreturn]] void RefuseTensor(tilesim::Core& core, bool valid, const Lease& lease, const char* operand);

// May an instruction use the tensor?
template <class T>
[[gnu::always_inline]] inline bool IsUsable(tilesim::Core& core, const LocalTensor<T>& tensor) {
  const Lease& lease = tensor.lease();
  return tensor.valid() && (lease.slot < 0 || State(core).buffers.Valid(lease));
}
// The offset of a tensor that an instruction is about to use; a fault unless it may.
template <class T>
uint64_t OffsetOf(tilesim::Core& core, const LocalTensor<T>& tensor, const char* operand) {
  if (!IsUsable(core, tensor)) [[unlikely]] {
    RefuseTensor(core, tensor.valid(), tensor.lease(), operand);
  }
  return tensor.GetPhyAddr();
}

}  // namespace simulator
}  // namespace AscendC

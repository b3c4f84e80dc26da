// GlobalTensor and LocalTensor: typed windows on GM and on the memories of a core.
#pragma once

#include <cstdint>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/element_access.h"
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

template <class T>
class LocalTensor;

namespace internal {
template <class T>
uint64_t OffsetOf(tilesim::Core& core, const LocalTensor<T>& tensor, const char* operand);
}  // namespace internal

namespace internal {
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
}  // namespace internal

// What the operators of LocalTensor make: see tensor_operators.h.
template <class T, internal::TensorOperator kOperator>
class SymbolOverride;
template <class T>
class SymbolOverrideCompare;
template <class T>
using SymbolOverrideAdd = SymbolOverride<T, internal::TensorOperator::kAdd>;
template <class T>
using SymbolOverrideSub = SymbolOverride<T, internal::TensorOperator::kSub>;
template <class T>
using SymbolOverrideMul = SymbolOverride<T, internal::TensorOperator::kMul>;
template <class T>
using SymbolOverrideDiv = SymbolOverride<T, internal::TensorOperator::kDiv>;
template <class T>
using SymbolOverrideAnd = SymbolOverride<T, internal::TensorOperator::kAnd>;
template <class T>
using SymbolOverrideOr = SymbolOverride<T, internal::TensorOperator::kOr>;

template <class T>
class GlobalTensor {
 public:
  using PrimType = T;

  void SetGlobalBuffer(__gm__ T* buffer) {
    address_ = reinterpret_cast<uint64_t>(buffer);
    limit_ = 0;
    size_ = 0;
  }
  // `size`: elements. Accesses beyond them are faults.
  void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
    address_ = reinterpret_cast<uint64_t>(buffer);
    limit_ = address_ + size * sizeof(T);
    size_ = size;
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor shifted = *this;
    shifted.address_ += offset * sizeof(T);
    return shifted;
  }
  const __gm__ T* GetPhyAddr() const { return reinterpret_cast<const T*>(address_); }
  __gm__ T* GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T*>(address_) + offset; }
  // One element, by the scalar unit and through its cache.
  T GetValue(uint64_t offset, SourceLine where = SourceLine::Here()) const {
    return internal::ReadElement<T>(internal::ThisCore(), Element(offset), where);
  }
  void SetValue(uint64_t offset, T value, SourceLine where = SourceLine::Here()) const {
    internal::WriteElement<T>(internal::ThisCore(), Element(offset), value, where);
  }
  internal::ElementReference<GlobalTensor, uint64_t> operator()(uint64_t offset) const {
    return {*this, offset};
  }
  uint64_t GetSize() const { return size_; }
  void SetL2CacheHint(CacheMode) {}

  uint64_t address() const { return address_; }
  uint64_t limit() const { return limit_; }

 private:
  tilesim::isa::Operand Element(uint64_t offset) const {
    return {.memory = tilesim::Memory::kGm, .begin = address_ + offset * sizeof(T), .limit = limit_};
  }

  uint64_t address_ = 0;  // host address of the first element
  uint64_t limit_ = 0;    // one past the last byte the kernel named; 0: not named
  uint64_t size_ = 0;     // elements
};

template <class T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() = default;
  // Used by queues and buffers: `size_bytes` at `offset` of the memory behind `position`.
  LocalTensor(TPosition position, uint64_t offset, uint64_t size_bytes, internal::Lease lease)
      : position_(position),
        valid_(true),
        lease_(lease),
        offset_(offset),
        limit_(offset + size_bytes),
        size_(static_cast<uint32_t>(size_bytes / sizeof(T))) {}

  LocalTensor operator[](uint32_t offset) const {
    LocalTensor shifted = *this;
    shifted.offset_ += static_cast<uint64_t>(offset) * sizeof(T);
    return shifted;
  }
  // The same bytes as elements of another type.
  template <class U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> cast(position_, offset_, limit_ > offset_ ? limit_ - offset_ : 0, lease_);
    cast.set_valid(valid_);
    return cast;
  }
  // One element, by the scalar unit.
  T GetValue(uint32_t offset, SourceLine where = SourceLine::Here()) const {
    tilesim::Core& core = internal::ThisCore();
    core.At("GetValue", tilesim::Pipe::kS, where);
    return internal::ReadElement<T>(core, Element(core, offset, "src"), where);
  }
  template <class U>
  void SetValue(uint32_t offset, U value, SourceLine where = SourceLine::Here()) const {
    tilesim::Core& core = internal::ThisCore();
    core.At("SetValue", tilesim::Pipe::kS, where);
    internal::WriteElement<T>(core, Element(core, offset, "dst"), static_cast<T>(value), where);
  }
  internal::ElementReference<LocalTensor, uint32_t> operator()(uint32_t offset) const {
    return {*this, offset};
  }
  uint32_t GetSize() const { return size_; }
  void SetSize(uint32_t size) { size_ = size; }
  uint32_t GetLength() const { return static_cast<uint32_t>(size_ * sizeof(T)); }
  TPosition GetPosition() const { return position_; }
  // An address that is meaningful within this memory of this core only.
  uint64_t GetPhyAddr() const { return offset_; }
  uint64_t GetPhyAddr(uint32_t offset) const { return offset_ + static_cast<uint64_t>(offset) * sizeof(T); }

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
  void operator=(internal::Assigned<SymbolOverrideAdd<T>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideSub<T>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideMul<T>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideDiv<T>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideAnd<T>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideOr<T>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideCompare<half>> value) { value.To(*this); }
  void operator=(internal::Assigned<SymbolOverrideCompare<float>> value) { value.To(*this); }

  tilesim::Memory memory() const { return internal::MemoryOf(position_); }
  uint64_t limit() const { return limit_; }
  const internal::Lease& lease() const { return lease_; }
  bool valid() const { return valid_; }
  void set_valid(bool valid) { valid_ = valid; }

 private:
  tilesim::isa::Operand Element(tilesim::Core& core, uint32_t offset, const char* operand) const {
    return {.memory = memory(),
            .begin = internal::OffsetOf(core, *this, operand) + static_cast<uint64_t>(offset) * sizeof(T),
            .limit = limit_};
  }

  TPosition position_ = TPosition::GM;
  bool valid_ = false;  // false: never taken from a queue or buffer
  internal::Lease lease_;
  uint64_t offset_ = 0;  // bytes from the start of the memory
  uint64_t limit_ = 0;   // one past the last byte of its buffer
  uint32_t size_ = 0;    // elements
};

namespace internal {

// The fault of a tensor that may not be used.
[[noreturn]] void RefuseTensor(tilesim::Core& core, bool valid, const char* operand);

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
    RefuseTensor(core, tensor.valid(), operand);
  }
  return tensor.GetPhyAddr();
}

}  // namespace internal
}  // namespace AscendC

// How tensors read and write single elements: pipe S.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "formats/half.h"
#include "sim/ascendc/api_state.h"
#include "sim/core/source_line.h"
#include "sim/isa/scalar_access.h"

namespace AscendC::simulator {

// A tensor in UB on a cube core, which has none, reads as 0 and takes no writes.
inline bool Reaches(tilesim::Core& core, const tilesim::isa::Operand& operand, const char* call,
                    tilesim::SourceLine where) {
  if (operand.memory != tilesim::Memory::kUb || core.identity().kind != tilesim::CoreKind::kAic) {
    return true;
  }
  core.NoteForOthers(call, where);
  return false;
}

template <class T>
T ReadElement(tilesim::Core& core, const tilesim::isa::Operand& src, tilesim::SourceLine where) {
  uint64_t bits = 0;
  if (Reaches(core, src, "GetValue", where)) {
    core.Issue(tilesim::isa::ScalarRead{.src = src, .element_bytes = sizeof(T), .bits = &bits}, where);
  }
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

template <class T>
void WriteElement(tilesim::Core& core, const tilesim::isa::Operand& dst, const T& value,
                  tilesim::SourceLine where) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  if (Reaches(core, dst, "SetValue", where)) {
    core.Issue(tilesim::isa::ScalarWrite{.dst = dst, .element_bytes = sizeof(T), .bits = bits}, where);
  }
}

// Stands for `tensor(i)`: reads when used as a value, writes when assigned to.
template <class Tensor, class Index>
class ElementReference {
 public:
  using T = typename Tensor::PrimType;
  ElementReference(const Tensor& tensor, Index index, tilesim::SourceLine where)
      : tensor_(tensor), index_(index), where_(where) {}
  operator T() const { return tensor_.GetValue(index_, where_); }
  template <class U>
  requires(std::is_class_v<T>&& std::is_arithmetic_v<U>) explicit operator U() const {
    return static_cast<U>(float(T(*this)));
  }
  ElementReference(const ElementReference&) = default;
  // tensor(0) = tensor(1): the element, not what stands for it.
  const ElementReference& operator=(const ElementReference& other) const {
    return *this = static_cast<T>(other);
  }
  const ElementReference& operator=(const T& value) const {
    tensor_.SetValue(index_, value, where_);
    return *this;
  }
#define TILESIM_CHANGES(OPERATOR)                                               \
  template <class U>                                                            \
  const ElementReference& operator OPERATOR##=(const U& value) const {          \
    return *this = static_cast<T>(T(*this) OPERATOR tilesim::Beside<T>(value)); \
  }
  TILESIM_CHANGES(+)
  TILESIM_CHANGES(-)
  TILESIM_CHANGES(*)
  TILESIM_CHANGES(/)
  TILESIM_CHANGES(%)
  TILESIM_CHANGES(&)
  TILESIM_CHANGES(|)
  TILESIM_CHANGES(^)
  TILESIM_CHANGES(<<)
  TILESIM_CHANGES(>>)
#undef TILESIM_CHANGES
  const ElementReference& operator++() const { return *this += 1; }
  const ElementReference& operator--() const { return *this -= 1; }
  T operator++(int) const {
    const T before = *this;
    *this += 1;
    return before;
  }
  T operator--(int) const {
    const T before = *this;
    *this -= 1;
    return before;
  }

 private:
  Tensor tensor_;
  Index index_;
  tilesim::SourceLine where_;
};

// What numbers have by themselves: of half and bfloat16_t C++ would have to convert twice.
#define TILESIM_OF_ELEMENTS(OPERATOR)                                                                  \
  template <class Left, class LeftIndex, class Right, class RightIndex>                                \
  requires(std::is_class_v<typename Left::PrimType> || std::is_class_v<typename Right::PrimType>) auto \
  operator OPERATOR(const ElementReference<Left, LeftIndex>& x,                                        \
                    const ElementReference<Right, RightIndex>& y) {                                    \
    return tilesim::Beside<typename Right::PrimType>(typename Left::PrimType(x))                       \
        OPERATOR tilesim::Beside<typename Left::PrimType>(typename Right::PrimType(y));                \
  }                                                                                                    \
  template <class Left, class LeftIndex, class Number>                                                 \
  requires(std::is_class_v<typename Left::PrimType> &&                                                 \
           (std::is_arithmetic_v<Number> || std::is_same_v<typename Left::PrimType, Number>)) auto     \
  operator OPERATOR(const ElementReference<Left, LeftIndex>& x, const Number& y) {                     \
    return typename Left::PrimType(x) OPERATOR tilesim::Beside<typename Left::PrimType>(y);            \
  }                                                                                                    \
  template <class Left, class LeftIndex, class Number>                                                 \
  requires(std::is_class_v<typename Left::PrimType> &&                                                 \
           (std::is_arithmetic_v<Number> || std::is_same_v<typename Left::PrimType, Number>)) auto     \
  operator OPERATOR(const Number& x, const ElementReference<Left, LeftIndex>& y) {                     \
    return tilesim::Beside<typename Left::PrimType>(x) OPERATOR typename Left::PrimType(y);            \
  }
TILESIM_OF_ELEMENTS(+)
TILESIM_OF_ELEMENTS(-)
TILESIM_OF_ELEMENTS(*)
TILESIM_OF_ELEMENTS(/)
TILESIM_OF_ELEMENTS(==)
TILESIM_OF_ELEMENTS(!=)
TILESIM_OF_ELEMENTS(<)
TILESIM_OF_ELEMENTS(>)
TILESIM_OF_ELEMENTS(<=)
TILESIM_OF_ELEMENTS(>=)
#undef TILESIM_OF_ELEMENTS
template <class Left, class LeftIndex>
requires std::is_class_v<typename Left::PrimType>
auto operator-(const ElementReference<Left, LeftIndex>& x) { return -typename Left::PrimType(x); }

}  // namespace AscendC::simulator

// How tensors read and write single elements: pipe S.
#pragma once

#include <cstdint>
#include <cstring>

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
  ElementReference(const ElementReference&) = default;
  // tensor(0) = tensor(1): the element, not what stands for it.
  const ElementReference& operator=(const ElementReference& other) const {
    return *this = static_cast<T>(other);
  }
  const ElementReference& operator=(const T& value) const {
    tensor_.SetValue(index_, value, where_);
    return *this;
  }

 private:
  Tensor tensor_;
  Index index_;
  tilesim::SourceLine where_;
};

}  // namespace AscendC::simulator

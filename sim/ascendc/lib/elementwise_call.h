// What an elementwise function of the high-level library is called with, whatever its types. The functions
// themselves are compiled once, with the simulator: a kernel's file has only their declarations.
#pragma once

#include <array>
#include <cstdint>

#include "sim/ascendc/lib/scratch_sizes.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_types.h"

namespace AscendC::internal {

using LibraryFunction = tilesim::library::Function;

// A tensor of a call.
struct LibraryOperand {
  LocalTensor<uint8_t> bytes;
  tilesim::isa::VectorType type = tilesim::isa::VectorType::kFp32;

  LibraryOperand() = default;
  template <class T>
  LibraryOperand(const LocalTensor<T>& tensor)
      : bytes(tensor.template ReinterpretCast<uint8_t>()), type(VectorTypeOf<T>()) {}
};

struct ElementwiseCall {
  LibraryFunction function;
  LibraryOperand dst;
  std::array<LibraryOperand, 2> src;
  uint32_t sources;                     // tensors of src that there are
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given
  uint32_t count;                       // elements
  SourceLine where;
  std::array<double, 2> scalars = {};  // where the function has them
};

// Does nothing on a cube core.
void Run(const ElementwiseCall& call);

}  // namespace AscendC::internal

// The four forms of a function with one source: with and without scratch, with and without a count. Without a
// count all elements of src are taken.
#define TILESIM_LIBRARY_ONE_SOURCE(NAME)                                                                   \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                          \
            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,                          \
            SourceLine where = SourceLine::Here()) {                                                       \
    internal::Run({internal::LibraryFunction::k##NAME, dst, {src}, 1, &sharedTmpBuffer, calCount, where}); \
  }                                                                                                        \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                          \
            const LocalTensor<uint8_t>& sharedTmpBuffer, SourceLine where = SourceLine::Here()) {          \
    NAME<T, isReuseSource>(dst, src, sharedTmpBuffer, src.GetSize(), where);                               \
  }                                                                                                        \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,                 \
            SourceLine where = SourceLine::Here()) {                                                       \
    internal::Run({internal::LibraryFunction::k##NAME, dst, {src}, 1, nullptr, calCount, where});          \
  }                                                                                                        \
  template <class T, bool isReuseSource = false>                                                           \
  void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, SourceLine where = SourceLine::Here()) { \
    NAME<T, isReuseSource>(dst, src, src.GetSize(), where);                                                \
  }

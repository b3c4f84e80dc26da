// What an elementwise function of the high-level library is called with, whatever its types. The functions
// themselves are compiled once, with the simulator: a kernel's file has only their declarations.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "sim/ascendc/lib/scratch_sizes.h"
#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_types.h"

namespace AscendC::simulator {

using LibraryFunction = tilesim::library::Function;

// A tensor of a call, or a number in its place.
struct LibraryOperand {
  enum Kind : uint8_t { kNone, kTensor, kScalar };

  LocalTensor<uint8_t> bytes = {};
  tilesim::isa::VectorType type = tilesim::isa::VectorType::kFp32;
  double value = 0;
  Kind is = kNone;

  LibraryOperand() = default;
  template <class T>
  LibraryOperand(const LocalTensor<T>& tensor)
      : bytes(tensor.template ReinterpretCast<uint8_t>()), type(VectorTypeOf<T>()), is(kTensor) {}
  template <class T>
  static LibraryOperand Number(T value) {
    LibraryOperand operand;
    operand.type = VectorTypeOf<T>();
    operand.value = ToDouble(value);
    operand.is = kScalar;
    return operand;
  }
  template <class T>
  static double ToDouble(T value) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<double>(static_cast<float>(value));
    }
  }
};

// What the form of a call without scratch gives to the one with it, and what a call then has: nullptr for
// that.
inline const LocalTensor<uint8_t> kNoScratch;
inline const LocalTensor<uint8_t>* Given(const LocalTensor<uint8_t>& scratch) {
  return &scratch == &kNoScratch ? nullptr : &scratch;
}

struct ElementwiseCall {
  LibraryFunction function;
  LibraryOperand dst;
  std::array<LibraryOperand, 2> src;
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given
  uint32_t count;                       // elements
  SourceLine where;
  std::array<double, 2> scalars = {};  // where the function has them
};

// Does nothing on a cube core.
void Run(const ElementwiseCall& call);

}  // namespace AscendC::simulator

// The four forms of a function: with and without scratch, with and without a count. Without one, SIZE
// elements are taken. SOURCES and SCALARS are those of the ElementwiseCall, in brackets; the rest are the
// parameters before the scratch.
#define TILESIM_BRACED(...) \
  { __VA_ARGS__ }
#define TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALARS, SCRATCH, COUNT) \
  simulator::Run({FUNCTION, dst, TILESIM_BRACED SOURCES, SCRATCH, COUNT, where, TILESIM_BRACED SCALARS})
#define TILESIM_LIBRARY_FORMS(NAME, FUNCTION, SIZE, SOURCES, SCALARS, ...)                     \
  template <class T, bool isReuseSource = false>                                               \
  void NAME(__VA_ARGS__, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, \
            SourceLine where = SourceLine::Here()) {                                           \
    TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALARS, &sharedTmpBuffer, calCount);              \
  }                                                                                            \
  template <class T, bool isReuseSource = false>                                               \
  void NAME(__VA_ARGS__, const LocalTensor<uint8_t>& sharedTmpBuffer,                          \
            SourceLine where = SourceLine::Here()) {                                           \
    TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALARS, &sharedTmpBuffer, SIZE);                  \
  }                                                                                            \
  template <class T, bool isReuseSource = false>                                               \
  void NAME(__VA_ARGS__, const uint32_t calCount, SourceLine where = SourceLine::Here()) {     \
    TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALARS, nullptr, calCount);                       \
  }                                                                                            \
  template <class T, bool isReuseSource = false>                                               \
  void NAME(__VA_ARGS__, SourceLine where = SourceLine::Here()) {                              \
    TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALARS, nullptr, SIZE);                           \
  }
#define TILESIM_LIBRARY_ONE_SOURCE(NAME)                                                     \
  TILESIM_LIBRARY_FORMS(NAME, simulator::LibraryFunction::k##NAME, src.GetSize(), (src), (), \
                        const LocalTensor<T>& dst, const LocalTensor<T>& src)
#define TILESIM_LIBRARY_TWO_SOURCES(NAME)                                                            \
  TILESIM_LIBRARY_FORMS(NAME, simulator::LibraryFunction::k##NAME, src0.GetSize(), (src0, src1), (), \
                        const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1)

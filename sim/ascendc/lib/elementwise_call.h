// What an elementwise function of the high-level library is called with, whatever its types. The functions
// themselves are compiled once, with the simulator: a kernel's file has only their declarations.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "sim/ascendc/lib/library_functions.h"
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

  [[nodiscard]] bool given() const { return is != kNone; }

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

struct ElementwiseCall {
  LibraryFunction function;
  LibraryOperand dst;
  std::array<LibraryOperand, 2> src;
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given
  uint32_t count;                       // elements
  SourceLine where;
  double scalar = 0;  // where the function has one
};

// Does nothing on a cube core.
void Run(const ElementwiseCall& call);

}  // namespace AscendC::simulator

// Both forms of a function: with scratch and without, which takes what the TPipe leaves of UB. In brackets
// are what its template is of, and its parameters before and behind the scratch; then come the statements of
// its body, to which `scratch` is the scratch, nullptr where none is given.
#define TILESIM_BARE(...) __VA_ARGS__
#define TILESIM_AND_MORE(...) __VA_ARGS__ __VA_OPT__(, )
#define TILESIM_SCRATCH_FORMS(TEMPLATE, NAME, BEFORE, BEHIND, ...)                                \
  template <TILESIM_BARE TEMPLATE>                                                                \
  void NAME(TILESIM_BARE BEFORE, const LocalTensor<uint8_t>& sharedTmpBuffer,                     \
            TILESIM_AND_MORE BEHIND SourceLine where = SourceLine::Here()) {                      \
    [[maybe_unused]] const LocalTensor<uint8_t>* const scratch = &sharedTmpBuffer;                \
    __VA_ARGS__                                                                                   \
  }                                                                                               \
  template <TILESIM_BARE TEMPLATE>                                                                \
  void NAME(TILESIM_BARE BEFORE, TILESIM_AND_MORE BEHIND SourceLine where = SourceLine::Here()) { \
    [[maybe_unused]] const LocalTensor<uint8_t>* const scratch = nullptr;                         \
    __VA_ARGS__                                                                                   \
  }

// The four forms of a function: with and without scratch, with and without a count. Without one, SIZE
// elements are taken. SOURCES and SCALAR are those of the ElementwiseCall, in brackets; the rest are the
// parameters before the scratch.
#define TILESIM_BRACED(...) \
  { __VA_ARGS__ }
#define TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALAR, SCRATCH, COUNT) \
  simulator::Run({FUNCTION, dst, TILESIM_BRACED SOURCES, SCRATCH, COUNT, where, TILESIM_BRACED SCALAR})
#define TILESIM_LIBRARY_FORMS(NAME, FUNCTION, SIZE, SOURCES, SCALAR, ...)                    \
  TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), NAME, (__VA_ARGS__),          \
                        (const uint32_t calCount),                                           \
                        TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALAR, scratch, calCount);) \
  TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), NAME, (__VA_ARGS__), (),      \
                        TILESIM_LIBRARY_CALL(FUNCTION, SOURCES, SCALAR, scratch, SIZE);)

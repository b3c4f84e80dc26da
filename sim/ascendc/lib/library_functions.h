// The functions of the high-level library that go by a row or a kind.
#pragma once

#include <cstdint>

namespace tilesim::library {

// The elementwise functions: X(function, its name as kernels call it and in Get<Name>MaxMinTmpSize, its live
// nodes, the types of its operands, as elementwise_call.cpp has them). Each has its formula in formulas::.
// First those that are the only one of their name.
#define TILESIM_FUNCTIONS_OF_ONE_NAME(X)      \
  X(Sigmoid, "Sigmoid", 2, kFloats)           \
  X(Tanh, "Tanh", 4, kFloats)                 \
  X(Log2, "Log2", 1, kFloats)                 \
  X(Sign, "Sign", 1, kFloats)                 \
  X(Ceil, "Ceil", 1, kFloats)                 \
  X(Trunc, "Trunc", 1, kFloats)               \
  X(Round, "Round", 1, kFloats)               \
  X(Frac, "Frac", 2, kFloats)                 \
  X(Erf, "Erf", 5, kFloats)                   \
  X(Erfc, "Erfc", 8, kFloats)                 \
  X(Gelu, "Gelu", 2, kFloats)                 \
  X(FasterGelu, "FasterGelu", 2, kFloats)     \
  X(FasterGeluV2, "FasterGeluV2", 3, kFloats) \
  X(GeGLU, "GeGLU", 3, kFloats)               \
  X(SwiGLU, "SwiGLU", 3, kFloats)             \
  X(ReGlu, "ReGlu", 2, kWithBf16)             \
  X(Axpy, "Axpy", 2, kFloats)                 \
  X(Xor, "Xor", 3, k16Bits)                   \
  X(Fmod, "Fmod", 7, kFloats)                 \
  X(Sin, "Sin", 5, kFloats)                   \
  X(Cos, "Cos", 5, kFloats)                   \
  X(Tan, "Tan", 5, kFloats)                   \
  X(Asin, "Asin", 6, kFloats)                 \
  X(Acos, "Acos", 6, kFloats)                 \
  X(Atan, "Atan", 8, kFloats)                 \
  X(Sinh, "Sinh", 5, kFloats)                 \
  X(Cosh, "Cosh", 2, kFloats)                 \
  X(Asinh, "Asinh", 5, kFloats)               \
  X(Acosh, "Acosh", 5, kFloats)               \
  X(Atanh, "Atanh", 4, kFloats)               \
  X(Digamma, "Digamma", 6, kFloats)           \
  X(Lgamma, "Lgamma", 7, kFloats)
#define TILESIM_LIBRARY_FUNCTIONS(X) \
  TILESIM_FUNCTIONS_OF_ONE_NAME(X)   \
  X(Power, "Power", 11, kFloats)     \
  X(PowerInt, "Power", 6, kWhole)    \
  X(ExpPlain, "Exp", 1, kFloats)     \
  X(ExpTaylor, "Exp", 4, kFloats)

enum class Function : uint8_t {
#define TILESIM_FUNCTION(FUNCTION, ...) k##FUNCTION,
  TILESIM_LIBRARY_FUNCTIONS(TILESIM_FUNCTION)
#undef TILESIM_FUNCTION
};

enum class Softmax : uint8_t { kWhole, kSimple, kFlash, kFlashV2, kLog };

enum class Reduction : uint8_t { kSum, kMean, kMax, kMin, kProd, kAny, kAll };

}  // namespace tilesim::library

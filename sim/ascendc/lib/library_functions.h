// The functions of the high-level library that go by a row or a kind.
#pragma once

#include <cstdint>

namespace tilesim::library {

// The elementwise functions: X(function, its live nodes, the types of its operands, as elementwise_call.cpp
// has them, and where that is not the function's its name as kernels call it and in Get<Name>MaxMinTmpSize).
// Each has its formula in formulas::. First those that are the only one of their name, of ONE or TWO sources,
// dst[i] of src[i], or of src0[i] and src1[i], or of parameters of its OWN. half, float, unless said
// otherwise; fp16 is computed in fp32.
// clang-format off
#define TILESIM_FUNCTIONS_OF_ONE_NAME(ONE, TWO, OWN) \
  ONE(Sign, 1, kFloats)    /* -1, 0 or 1; NaN of NaN */ \
  ONE(Ceil, 1, kFloats)    /* the smallest whole number not below */ \
  ONE(Trunc, 1, kFloats)   /* the whole number next towards zero */ \
  ONE(Round, 1, kFloats)   /* the nearest whole number, of two the even one */ \
  ONE(Frac, 2, kFloats)    /* src - trunc(src) */ \
  ONE(Log2, 1, kFloats)    /* to the base 2 */ \
  ONE(Erf, 5, kFloats)     /* the error function */ \
  ONE(Erfc, 8, kFloats)    /* 1 - erf(src) */ \
  ONE(Lgamma, 7, kFloats)  /* ln|gamma(src)| */ \
  ONE(Digamma, 6, kFloats) /* its derivative */ \
  ONE(Sin, 5, kFloats)     /* of radians, up to 65504 of either sign */ \
  ONE(Cos, 5, kFloats) \
  ONE(Tan, 5, kFloats) \
  ONE(Asin, 6, kFloats)    /* NaN beyond 1 */ \
  ONE(Acos, 6, kFloats) \
  ONE(Atan, 8, kFloats) \
  ONE(Sinh, 5, kFloats) \
  ONE(Cosh, 2, kFloats) \
  ONE(Tanh, 4, kFloats) \
  ONE(Asinh, 5, kFloats) \
  ONE(Acosh, 5, kFloats)   /* NaN below 1 */ \
  ONE(Atanh, 4, kFloats)   /* NaN beyond 1 */ \
  ONE(Sigmoid, 2, kFloats) /* 1 / (1 + exp(-src)) */ \
  TWO(Fmod, 7, kFloats)    /* the remainder of src0 / src1, with the sign of src0 */ \
  TWO(Xor, 3, k16Bits)     /* int16_t, uint16_t */ \
  TWO(GeGLU, 3, kFloats)   /* src0 * Gelu(src1) */ \
  TWO(ReGlu, 2, kWithBf16) /* src0 * Relu(src1); bfloat16_t, too */ \
  OWN(Gelu, 2, kFloats) \
  OWN(FasterGelu, 2, kFloats) \
  OWN(FasterGeluV2, 3, kFloats) \
  OWN(SwiGLU, 3, kFloats) \
  OWN(Axpy, 2, kFloats)
// clang-format on
#define TILESIM_LIBRARY_FUNCTIONS(X)     \
  TILESIM_FUNCTIONS_OF_ONE_NAME(X, X, X) \
  X(Power, 11, kFloats)                  \
  X(PowerInt, 6, kWhole, "Power")        \
  X(ExpPlain, 1, kFloats, "Exp")         \
  X(ExpTaylor, 4, kFloats, "Exp")

enum class Function : uint8_t {
#define TILESIM_FUNCTION(FUNCTION, ...) k##FUNCTION,
  TILESIM_LIBRARY_FUNCTIONS(TILESIM_FUNCTION)
#undef TILESIM_FUNCTION
};

enum class Softmax : uint8_t { kWhole, kSimple, kFlash, kFlashV2, kLog };

enum class Reduction : uint8_t { kSum, kMean, kMax, kMin, kProd, kAny, kAll };

}  // namespace tilesim::library

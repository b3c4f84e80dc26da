// Ascend C: types, enumerations and constants, under the vendor's names. Names, order and values are those of
// the public interface for arch 2201.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "formats/dtype.h"
#include "formats/half.h"
#include "sim/core/pipe.h"

// --- what the vendor's compiler defines without an include
// -----------------------------------------------------------
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __aicore__
// `tilesim cc` reads these words itself, and defines them where the compiler would lose them.
#ifndef __global__
#define __global__
#define __vector__
#define __cube__
#define __mix__(aic, aiv)
#define __schedmode__(mode)
#endif
#ifndef __fbuf__
#define __fbuf__
#endif
#ifndef __kfc_workspace__
#define __kfc_workspace__
#endif
#ifndef __host_aicore__
#define __host_aicore__
#endif
#define GM_ADDR __gm__ uint8_t*
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

using half = tilesim::Half;
using bfloat16_t = tilesim::BFloat16;

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };

inline constexpr uint32_t ASC_UB_SIZE = 196608;
inline constexpr uint32_t ASC_L1_SIZE = 524288;
inline constexpr uint32_t ASC_L0A_SIZE = 65536;
inline constexpr uint32_t ASC_L0B_SIZE = 65536;
inline constexpr uint32_t ASC_L0C_SIZE = 131072;
inline constexpr uint32_t ASC_BT_SIZE = 1024;

enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

enum QuantMode_t { NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8 };

namespace AscendC {

using TEventID = int8_t;

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX
};
using QuePosition = TPosition;

enum class HardEvent : uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  FIX_MTE3,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
  MAX
};

enum class RoundMode : uint8_t {
  CAST_NONE,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
  CAST_HYBRID
};
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
enum class HF32Mode : uint8_t { ENABLE, DISABLE };
enum class HF32TransMode : uint8_t { NEAREST_ZERO, NEAREST_EVEN };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };

enum class EngineType : int32_t { AIC = 1, AIV = 2 };

inline constexpr int32_t MIX = 0;
inline constexpr int32_t AIC = 1;
inline constexpr int32_t AIV = 2;

inline constexpr uint32_t TOTAL_L0A_SIZE = 65536;
inline constexpr uint32_t TOTAL_L0B_SIZE = 65536;
inline constexpr uint32_t TOTAL_L0C_SIZE = 131072;
inline constexpr uint32_t TOTAL_L1_SIZE = 524160;
inline constexpr uint32_t TOTAL_UB_SIZE = 196608;
inline constexpr uint32_t TMP_UB_OFFSET = 188416;
inline constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = 188416;
inline constexpr int32_t BLOCK_CUBE = 16;
inline constexpr uint32_t ONE_BLK_SIZE = 32;
inline constexpr int32_t B16_DATA_NUM_PER_BLOCK = 16;
inline constexpr int32_t B32_DATA_NUM_PER_BLOCK = 8;
inline constexpr int32_t HALF_FACTOR = 2;
inline constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
inline constexpr int32_t MAX_REPEAT_TIMES = 255;
inline constexpr int32_t DEFAULT_BLK_NUM = 8;  // data blocks of a repeat
inline constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
inline constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
inline constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
inline constexpr int32_t PAD_SIZE = 4;
inline constexpr uint64_t MASK_PLACEHOLDER = 0;
inline constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};  // for forms with the bits of a mask
inline constexpr uint16_t SYNC_AIC_FLAG = 11;
inline constexpr uint16_t SYNC_AIV_FLAG = 12;
inline constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
inline constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;

namespace simulator {

template <class T>
struct Prim {
  using Type = T;
};
template <class T>
requires requires { typename T::LiteType; }
struct Prim<T> {
  using Type = typename T::LiteType;
};

}  // namespace simulator

// The type of the elements themselves: T, or the element type of a TensorTrait.
template <class T>
using PrimT = typename simulator::Prim<T>::Type;
// U is the type of the elements of T.
template <class U, class T>
concept PrimOf = std::is_same_v<U, PrimT<T>>;

template <class T, class U>
struct IsSameType {
  static constexpr bool value = std::is_same_v<T, U>;
};
// Is T one of the others?
template <class T, class U, class... More>
constexpr bool SupportType() {
  return (std::is_same_v<T, U> || ... || std::is_same_v<T, More>);
}
struct TrueType {
  static constexpr bool value = true;
};
struct FalseType {
  static constexpr bool value = false;
};

constexpr uint32_t DivCeil(uint32_t a, uint32_t b) { return b == 0 ? a : (a + b - 1) / b; }
constexpr uint32_t Ceil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
constexpr uint32_t ConstCeil(uint32_t a, uint32_t b) { return DivCeil(a, b); }
constexpr uint32_t AlignUp(uint32_t a, uint32_t b) { return DivCeil(a, b) * b; }
inline float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }
inline bfloat16_t ToBfloat16(float value) { return bfloat16_t(value); }

// --- how the names above map onto the simulator
// ----------------------------------------------------------------------
namespace simulator {

constexpr tilesim::Memory MemoryOf(TPosition position) {
  switch (position) {
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
      return tilesim::Memory::kL1;
    case TPosition::A2:
      return tilesim::Memory::kL0A;
    case TPosition::B2:
      return tilesim::Memory::kL0B;
    case TPosition::C2:
      return tilesim::Memory::kBt;
    case TPosition::CO1:
      return tilesim::Memory::kL0C;
    case TPosition::C2PIPE2GM:
      return tilesim::Memory::kFb;
    case TPosition::VECIN:
    case TPosition::VECOUT:
    case TPosition::VECCALC:
      return tilesim::Memory::kUb;
    default:
      return tilesim::Memory::kGm;
  }
}

struct PipePair {
  tilesim::Pipe src;
  tilesim::Pipe dst;
};

// The pipes of an event, in the enumeration's order.
constexpr PipePair PipesOf(HardEvent event) {
  using enum tilesim::Pipe;
  constexpr PipePair kPairs[] = {
      {kMte2, kMte1}, {kMte1, kMte2}, {kMte1, kM},    {kM, kMte1},   {kMte2, kV},   {kV, kMte2},
      {kMte3, kV},    {kV, kMte3},    {kM, kV},       {kV, kM},      {kV, kV},      {kMte3, kMte1},
      {kMte1, kMte3}, {kMte1, kV},    {kMte2, kM},    {kM, kMte2},   {kV, kMte1},   {kM, kFix},
      {kFix, kM},     {kMte3, kMte2}, {kMte2, kMte3}, {kS, kV},      {kV, kS},      {kS, kMte2},
      {kMte2, kS},    {kS, kMte3},    {kMte3, kS},    {kMte2, kFix}, {kFix, kMte2}, {kFix, kS},
      {kM, kS},       {kFix, kMte3},  {kMte1, kFix},  {kFix, kMte1}, {kFix, kFix}};
  static_assert(sizeof(kPairs) / sizeof(kPairs[0]) == static_cast<size_t>(HardEvent::MAX));
  return kPairs[static_cast<size_t>(event)];
}

constexpr tilesim::Pipe PipeOf(pipe_t pipe) {
  switch (pipe) {
    case PIPE_V:
      return tilesim::Pipe::kV;
    case PIPE_M:
      return tilesim::Pipe::kM;
    case PIPE_MTE1:
      return tilesim::Pipe::kMte1;
    case PIPE_MTE2:
      return tilesim::Pipe::kMte2;
    case PIPE_MTE3:
      return tilesim::Pipe::kMte3;
    case PIPE_FIX:
      return tilesim::Pipe::kFix;
    default:
      return tilesim::Pipe::kS;
  }
}

// An element type as a program names it.
template <class T>
constexpr const char* NameOfType() {
  if constexpr (std::is_same_v<T, half>) {
    return "half";
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return "bfloat16_t";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else if constexpr (std::is_same_v<T, double>) {
    return "double";
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool kSigned = std::is_signed_v<T>;
    return sizeof(T) == 1   ? (kSigned ? "int8_t" : "uint8_t")
           : sizeof(T) == 2 ? (kSigned ? "int16_t" : "uint16_t")
           : sizeof(T) == 4 ? (kSigned ? "int32_t" : "uint32_t")
                            : (kSigned ? "int64_t" : "uint64_t");
  } else {
    return "another type";
  }
}

template <class T>
constexpr tilesim::DType DTypeOf() {
  if constexpr (!std::is_same_v<T, PrimT<T>>) {
    return DTypeOf<PrimT<T>>();
  } else if constexpr (std::is_same_v<T, half>) {
    return tilesim::DType::kFp16;
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return tilesim::DType::kBf16;
  } else if constexpr (std::is_same_v<T, float>) {
    return tilesim::DType::kFp32;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return tilesim::DType::kInt32;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return tilesim::DType::kInt64;
  } else {
    static_assert(std::is_same_v<T, uint8_t>, "element type not supported by this API call");
    return tilesim::DType::kUint8;
  }
}

}  // namespace simulator
}  // namespace AscendC

// The convolution samples name positions through this namespace.
namespace ConvCommonApi {
using AscendC::TPosition;
}

// Calls and types that Ascend C has for other parts: each is refused at compile time, by its name, where a
// kernel uses it; code that is never instantiated may name it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/tensor.h"

namespace AscendC {

namespace simulator {

// False, known only once the types are.
template <class...>
inline constexpr bool kHere = false;

}  // namespace simulator

#define TILESIM_REFUSE(name, ...)                                              \
  static_assert(simulator::kHere<__VA_ARGS__>, "Ascend C has " name            \
                                               ", this part (arch 2201) does " \
                                               "not")

// Declares a name, unless the unit says by -DTILESIM_OWN_<name>=~,TILESIM_LEAVE_OUT that it has one of its
// own: the two would be ambiguous beside `using namespace AscendC`.
#define TILESIM_SECOND(first, second, ...) second
#define TILESIM_CHOOSE(...) TILESIM_SECOND(__VA_ARGS__, )
#define TILESIM_LEAVE_OUT(name)
#define TILESIM_ABSENT(name) TILESIM_CHOOSE(TILESIM_OWN_##name, TILESIM_REFUSE_CALL)(name)
#define TILESIM_ABSENT_TYPE(name) TILESIM_CHOOSE(TILESIM_OWN_##name, TILESIM_REFUSE_TYPE)(name)

// With template arguments that are types, values, or a type and values; none, with no arguments of its own.
#define TILESIM_REFUSE_CALL(name)                                    \
  template <class... Types, class... Arguments>                      \
  int name(const Arguments&...) {                                    \
    TILESIM_REFUSE(#name, Types..., Arguments...);                   \
    return 0;                                                        \
  }                                                                  \
  template <auto value, auto... values, class... Arguments>          \
  int name(const Arguments&...) {                                    \
    TILESIM_REFUSE(#name, decltype(value), Arguments...);            \
    return 0;                                                        \
  }                                                                  \
  template <class T, auto value, auto... values, class... Arguments> \
  int name(const Arguments&...) {                                    \
    TILESIM_REFUSE(#name, T, Arguments...);                          \
    return 0;                                                        \
  }

#define TILESIM_REFUSE_TYPE(name)          \
  struct name {                            \
    template <class... Arguments>          \
    name(const Arguments&...) {            \
      TILESIM_REFUSE(#name, Arguments...); \
    }                                      \
  };

// --- vector unit
TILESIM_ABSENT(Neg)
TILESIM_ABSENT(Prelu)
TILESIM_ABSENT(Mull)
TILESIM_ABSENT(AbsSub)
TILESIM_ABSENT(FusedAbsSub)
TILESIM_ABSENT(ExpSub)
TILESIM_ABSENT(FusedExpSub)
TILESIM_ABSENT(Subs)
TILESIM_ABSENT(Divs)
TILESIM_ABSENT(Ands)
TILESIM_ABSENT(Ors)
TILESIM_ABSENT(MulsCast)
TILESIM_ABSENT(FusedMulsCast)
TILESIM_ABSENT(Truncate)
TILESIM_ABSENT(Scatter)
TILESIM_ABSENT(RpSort16)
TILESIM_ABSENT(MrgSort4)
TILESIM_ABSENT(ProposalConcat)
TILESIM_ABSENT(ProposalExtract)
TILESIM_ABSENT(Interleave)
TILESIM_ABSENT(DeInterleave)
TILESIM_ABSENT(VectorPadding)
TILESIM_ABSENT(BroadCastVecToMM)
TILESIM_ABSENT(SetSaturationStrategy)
TILESIM_ABSENT(GetSaturationStrategy)

// --- library
TILESIM_ABSENT(LogicalAnd)
TILESIM_ABSENT(LogicalAnds)
TILESIM_ABSENT(LogicalOr)
TILESIM_ABSENT(LogicalOrs)
TILESIM_ABSENT(LogicalNot)
TILESIM_ABSENT(LogicalXor)
TILESIM_ABSENT(BitwiseAnd)
TILESIM_ABSENT(BitwiseOr)
TILESIM_ABSENT(BitwiseNot)
TILESIM_ABSENT(BitwiseXor)
TILESIM_ABSENT(Where)
TILESIM_ABSENT(Clamp)
TILESIM_ABSENT(IsNan)
TILESIM_ABSENT(IsInf)
TILESIM_ABSENT(IsFinite)
TILESIM_ABSENT(Rint)
TILESIM_ABSENT(Fma)
TILESIM_ABSENT(Hypot)
TILESIM_ABSENT(SinCos)
TILESIM_ABSENT(PhiloxRandom)
TILESIM_ABSENT(Quantize)
TILESIM_ABSENT(Dequantize)
TILESIM_ABSENT(AntiQuantize)

// --- moves
TILESIM_ABSENT(DataCopyL1ToUB)
TILESIM_ABSENT(NdDmaDci)
TILESIM_ABSENT(SetLoopModePara)
TILESIM_ABSENT(ResetLoopModePara)
TILESIM_ABSENT_TYPE(LoopModeParams)
TILESIM_ABSENT_TYPE(Dn2NzParams)
TILESIM_ABSENT_TYPE(NdDmaConfig)
template <class T, uint8_t dim>
struct MultiCopyParams {
  template <class... Arguments>
  MultiCopyParams(const Arguments&...) {
    TILESIM_REFUSE("MultiCopyParams", Arguments...);
  }
};

// --- cube
TILESIM_ABSENT(MmadMx)
TILESIM_ABSENT(LoadDataWithStride)
TILESIM_ABSENT(LoadUnzipIndex)
TILESIM_ABSENT(LoadDataUnzip)
TILESIM_ABSENT(SetLoadDataRepeatWithStride)
TILESIM_ABSENT(SetFixPipeClipRelu)
TILESIM_ABSENT(SetFixPipeAddr)
TILESIM_ABSENT(Gemm)
TILESIM_ABSENT(GetGemmTiling)
TILESIM_ABSENT(Conv2D)
TILESIM_ABSENT(GetConv2dTiling)
TILESIM_ABSENT_TYPE(GemmTiling)
TILESIM_ABSENT_TYPE(Conv2dParams)
TILESIM_ABSENT_TYPE(Conv2dTilling)
TILESIM_ABSENT_TYPE(MmadBitModeParams)
TILESIM_ABSENT_TYPE(LoadData2DParamsV2)
TILESIM_ABSENT_TYPE(LoadData2DMxParams)
TILESIM_ABSENT_TYPE(Load2DBitModeParam)
TILESIM_ABSENT_TYPE(Load3DBitModeParam)
TILESIM_ABSENT_TYPE(LoadData2dTransposeParamsV2)
TILESIM_ABSENT_TYPE(LoadDataRepeatParamWithStride)
TILESIM_ABSENT_TYPE(SetFMatrixBitModeParams)
TILESIM_ABSENT_TYPE(FixpipeParamsM300)
TILESIM_ABSENT_TYPE(FixpipeParamsM310)
TILESIM_ABSENT_TYPE(FixpipeParamsArch3510)
template <class T>
struct LoadData3DParamsV1 {
  template <class... Arguments>
  LoadData3DParamsV1(const Arguments&...) {
    TILESIM_REFUSE("LoadData3DParamsV1", Arguments...);
  }
};

// --- scalar unit, registers, system
TILESIM_ABSENT(AtomicAdd)
TILESIM_ABSENT(AtomicMax)
TILESIM_ABSENT(AtomicMin)
TILESIM_ABSENT(AtomicCas)
TILESIM_ABSENT(AtomicExch)
TILESIM_ABSENT(GetUintDivMagicAndShift)
TILESIM_ABSENT(Nop)
TILESIM_ABSENT(ResetCtrlSpr)
TILESIM_ABSENT(GetSpr)
TILESIM_ABSENT(ClearSpr)
TILESIM_ABSENT(SetScalarCacheMode)
TILESIM_ABSENT(GetUBSizeInBytes)
TILESIM_ABSENT(GetVecLen)
TILESIM_ABSENT(GetRuntimeUBSize)
TILESIM_ABSENT(GetSsbufBaseAddr)
TILESIM_ABSENT(MarkStamp)
TILESIM_ABSENT(asc_mark_stamp)
TILESIM_ABSENT(CeilDivision)

// --- overloads of calls that this part has
#define TILESIM_ABSENT_SCALAR_FIRST(name)                                                                   \
  template <class T, class... Rest>                                                                         \
  void name(const LocalTensor<T>&, const std::type_identity_t<T>&, const LocalTensor<T>&, const Rest&...) { \
    TILESIM_REFUSE(#name " with the scalar first", T, Rest...);                                             \
  }
TILESIM_ABSENT_SCALAR_FIRST(Adds)
TILESIM_ABSENT_SCALAR_FIRST(Muls)
TILESIM_ABSENT_SCALAR_FIRST(Maxs)
TILESIM_ABSENT_SCALAR_FIRST(Mins)
#undef TILESIM_ABSENT_SCALAR_FIRST
template <class T, class U>
void ShiftLeft(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&, const int32_t&) {
  TILESIM_REFUSE("ShiftLeft by a tensor of counts", T, U);
}
template <class T, class U>
void ShiftRight(const LocalTensor<T>&, const LocalTensor<T>&, const LocalTensor<U>&, const int32_t&) {
  TILESIM_REFUSE("ShiftRight by a tensor of counts", T, U);
}
template <class T>
void Duplicate(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&) {
  TILESIM_REFUSE("Duplicate of a tensor's element", T);
}
template <class T, bool isSetMask = true>
void Copy(const LocalTensor<T>&, const LocalTensor<T>&, uint32_t) {
  TILESIM_REFUSE("Copy with a count of elements", T);
}
template <bool isAIVOnly, auto config>
void SyncAll() {
  TILESIM_REFUSE("SyncAll with a configuration", decltype(config));
}
template <class T>
void GetReduceRepeatMaxMinSpr(T&) {
  TILESIM_REFUSE("GetReduceRepeatMaxMinSpr of one number", T);
}
template <class T>
void GetReduceMaxMinCount(T&) {
  TILESIM_REFUSE("GetReduceMaxMinCount of one number", T);
}

#undef TILESIM_REFUSE_TYPE
#undef TILESIM_REFUSE_CALL
#undef TILESIM_ABSENT_TYPE
#undef TILESIM_ABSENT
#undef TILESIM_LEAVE_OUT
#undef TILESIM_CHOOSE
#undef TILESIM_SECOND
#undef TILESIM_REFUSE

}  // namespace AscendC

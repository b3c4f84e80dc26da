// What the Matmul object of this part has and is not modelled, or does not exist on it: refused at compile
// time by its name.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"
#include "lib/matmul/matmul_config.h"
#include "lib/matmul/matmul_static_tiling.h"
#include "lib/matmul/matmul_types.h"

namespace AscendC::simulator {

// Are sums of type Sum scaled on their way to O?
template <class Sum, class O>
inline constexpr bool kMatmulQuantised = sizeof(O) == 1 ||
                                         (std::is_same_v<Sum, int32_t> && std::is_same_v<O, half>);

template <class T, class... Allowed>
inline constexpr bool kOneOf = (std::is_same_v<T, Allowed> || ...);

#define TILESIM_MATMUL_REFUSE(ok, name) \
  static_assert(ok, "tilesim does not model " name " of the Matmul object yet")

template <class A, class B, class C, class Bias, const auto& cfg, class CallBack,
          template <const auto&, class, class, class, class> class Policy>
class MatmulRefused {
  using T = typename A::T;
  using O = typename C::T;
  static constexpr bool kOfNibbles = std::is_same_v<T, int4b_t>;
  static constexpr bool kWhole = std::is_same_v<T, int8_t> || kOfNibbles;
  static constexpr MatmulConfig kCfg = ConfigOf(cfg);

  static_assert(kOneOf<T, half, bfloat16_t, float, int8_t, int4b_t> && std::is_same_v<T, typename B::T>,
                "Matmul: A and B are both half, bfloat16_t, float, int8_t or int4b_t");
  static_assert(kWhole ? kOneOf<O, int32_t, half> || (!kOfNibbles && kOneOf<O, int8_t, uint8_t>)
                       : kOneOf<O, float, half, bfloat16_t> ||
                             (!std::is_same_v<T, float> && kOneOf<O, int8_t, uint8_t>),
                "Matmul: C is int32_t or half for A and B of int4b_t; int32_t, half, int8_t or uint8_t for "
                "int8_t; float, "
                "half or bfloat16_t for float; these, int8_t or uint8_t for half and bfloat16_t");
  static_assert(!kOfNibbles || !A::isTrans, "Matmul: A of int4b_t is not transposed");
  static_assert(kOneOf<decltype(A::pos), const TPosition> &&
                    (A::pos == TPosition::GM || A::pos == TPosition::VECOUT || A::pos == TPosition::TSCM),
                "Matmul: A is in GM, VECOUT or TSCM");
  static_assert(B::pos == TPosition::GM || B::pos == TPosition::VECOUT || B::pos == TPosition::TSCM,
                "Matmul: B is in GM, VECOUT or TSCM");
  static_assert(C::pos == TPosition::GM || C::pos == TPosition::VECIN || C::pos == TPosition::CO1 ||
                    C::pos == TPosition::TSCM,
                "Matmul: C goes to GM, VECIN, CO1 or TSCM");
  static_assert(A::format == CubeFormat::ND || A::format == CubeFormat::NZ ||
                    A::format == CubeFormat::VECTOR || A::format == CubeFormat::SCALAR,
                "Matmul: A is ND, NZ, VECTOR or SCALAR");
  static_assert(B::format == CubeFormat::ND || B::format == CubeFormat::NZ || B::format == CubeFormat::SCALAR,
                "Matmul: B is ND or NZ");
  static_assert(C::format == CubeFormat::ND || C::format == CubeFormat::NZ ||
                    C::format == CubeFormat::ND_ALIGN,
                "Matmul: C is ND, NZ or ND_ALIGN");
  static_assert(A::format != CubeFormat::VECTOR || !A::isTrans, "Matmul: A as VECTOR is not transposed");
  TILESIM_MATMUL_REFUSE(A::format != CubeFormat::SCALAR && B::format != CubeFormat::SCALAR,
                        "CubeFormat::SCALAR");
  TILESIM_MATMUL_REFUSE(!A::ibShare || !B::ibShare, "IBSHARE of both A and B");
  TILESIM_MATMUL_REFUSE(!kCfg.isPartialOutput, "isPartialOutput");
  TILESIM_MATMUL_REFUSE(!kCfg.enableMixDualMaster, "enableMixDualMaster");
  TILESIM_MATMUL_REFUSE(kCfg.scheduleType != ScheduleType::OUTER_PRODUCT, "ScheduleType::OUTER_PRODUCT");
  TILESIM_MATMUL_REFUSE(PolicyOf<Policy>::kModelled, "a MATMUL_POLICY of the kernel's own");
  static_assert(!PolicyOf<Policy>::kOfLargeLoads || kCfg.doMultiDataLoad,
                "Matmul: NBuffer33MatmulPolicy works with the MDL template only (CFG_MDL)");
  static_assert((CallBack::CopyA1Ptr == nullptr || A::pos != TPosition::TSCM) &&
                    (CallBack::CopyB1Ptr == nullptr || B::pos != TPosition::TSCM),
                "Matmul: CopyA1 and CopyB1 are not for operands in TSCM, which lie in L1 already");
  static_assert(
      (CallBack::CopyA1Ptr == nullptr || !A::isTrans || sizeof(T) != 4) &&
          (CallBack::CopyB1Ptr == nullptr || B::isTrans || sizeof(T) != 4),
      "tilesim does not model CopyA1 of transposed and CopyB1 of plain float operands of the Matmul "
      "object yet");
  static_assert(!kCfg.enVecND2NZ && !kCfg.enableL1CacheUB && !kCfg.intraBlockPartSum && !kCfg.isCO1Shared &&
                    !kCfg.enableL1BankConflictOptimise && !kCfg.enableRelu,
                "Matmul: enVecND2NZ, enableL1CacheUB, intraBlockPartSum, isCO1Shared, "
                "enableL1BankConflictOptimise and enableRelu are of other parts");
  static_assert(!kCfg.isEnableChannelSplit ||
                    (C::format == CubeFormat::NZ && std::is_same_v<O, float> && C::pos == TPosition::GM),
                "Matmul: isEnableChannelSplit is for C in GM, NZ, float");

 public:
#define TILESIM_MATMUL_LACKS(name)                               \
  template <bool... options, class... Arguments>                 \
  void name(const Arguments&...) {                               \
    TILESIM_MATMUL_REFUSE((sizeof...(Arguments) > 1000), #name); \
  }
  TILESIM_MATMUL_LACKS(SetSparseIndex)
  TILESIM_MATMUL_LACKS(SetAntiQuantScalar)
  TILESIM_MATMUL_LACKS(SetAntiQuantVector)
  TILESIM_MATMUL_LACKS(AsyncGetTensorC)
  TILESIM_MATMUL_LACKS(GetOffsetC)
#undef TILESIM_MATMUL_LACKS

 protected:
  // Calls that the configuration may promise not to be made; the macros' names are the calls'.
#define TILESIM_MATMUL_PROMISE(call, field, kept, mend)                                    \
  static void Require##call() {                                                            \
    static_assert(kept, "Matmul: " #call " is called, and the MatmulConfig says by " field \
                        " that it is not; " mend ", or leave the call out");               \
  }
#define TILESIM_MATMUL_MAY(call, field) \
  TILESIM_MATMUL_PROMISE(call, #field " = false", kCfg.field, "set it to true")
#define TILESIM_MATMUL_WALKS(call, mode)                                                   \
  TILESIM_MATMUL_PROMISE(call, "iterateMode", (kCfg.iterateMode & IterateMode::mode) != 0, \
                         "add IterateMode::" #mode " to it")
  TILESIM_MATMUL_MAY(SetOrgShape, enableSetOrgShape)
  TILESIM_MATMUL_MAY(SetTail, enableSetTail)
  TILESIM_MATMUL_MAY(SetBias, enableSetBias)
  TILESIM_MATMUL_MAY(SetQuantVector, enableQuantVector)
  TILESIM_MATMUL_MAY(SetSelfDefineData, enableSetDefineData)
  TILESIM_MATMUL_MAY(GetTensorC, enableGetTensorC)
  TILESIM_MATMUL_MAY(End, enableEnd)
  TILESIM_MATMUL_WALKS(Iterate, ITERATE_MODE_NORMAL)
  TILESIM_MATMUL_WALKS(IterateAll, ITERATE_MODE_ALL)
  TILESIM_MATMUL_WALKS(IterateBatch, ITERATE_MODE_BATCH)
  TILESIM_MATMUL_WALKS(IterateNBatch, ITERATE_MODE_N_BATCH)
#undef TILESIM_MATMUL_WALKS
#undef TILESIM_MATMUL_MAY
#undef TILESIM_MATMUL_PROMISE
  // Of IterateBatch and IterateNBatch.
  static void RequireBatchTypes() {
    static_assert(
        A::layout != LayoutMode::NONE && B::layout != LayoutMode::NONE && C::layout != LayoutMode::NONE,
        "Matmul: IterateBatch needs a LayoutMode in the MatmulType of A, B and C");
    static_assert(!kOfNibbles, "Matmul: IterateBatch is not for int4b_t");
    static_assert(kCfg.doNorm, "Matmul: IterateBatch works with the Norm template only (CFG_NORM)");
    static_assert(!kMatmulQuantised<std::conditional_t<kWhole, int32_t, float>, O>,
                  "Matmul: IterateBatch does not scale results");
    constexpr auto as_axes = [](CubeFormat format, LayoutMode layout) {
      return layout == LayoutMode::NORMAL || format == CubeFormat::ND;
    };
    static_assert(
        as_axes(A::format, A::layout) && as_axes(B::format, B::layout) && as_axes(C::format, C::layout),
        "Matmul: with a LayoutMode other than NORMAL matrices are ND");
    TILESIM_MATMUL_REFUSE(A::pos == TPosition::GM && B::pos == TPosition::GM && C::pos == TPosition::GM,
                          "IterateBatch with operands or C outside GM");
  }
  // Of products by themselves.
  static void RefuseAxes() {
    constexpr auto whole = [](LayoutMode layout) {
      return layout == LayoutMode::NONE || layout == LayoutMode::NORMAL;
    };
    static_assert(whole(A::layout) && whole(B::layout) && whole(C::layout),
                  "Matmul: LayoutMode::BSNGD, SBNGD and BNGS1S2 are for IterateBatch; Iterate and IterateAll "
                  "take matrices as LayoutMode::NONE says");
  }
  // SetTensorA and SetTensorB of one value.
  template <class V>
  static void RefuseValue(const V&) {
    TILESIM_MATMUL_REFUSE(sizeof(V) == 0, "SetTensorA and SetTensorB of one value");
  }
};

#undef TILESIM_MATMUL_REFUSE

}  // namespace AscendC::simulator

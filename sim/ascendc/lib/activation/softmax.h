// The softmax family: of each row of src, [m, k] of half or float in ND or NZ, exp(x - max) / sum and what
// belongs to it; pipe V. On a cube core all do nothing.
//
// sum and max hold their number in each element of a block of 32 bytes for each row; of half data they may be
// float. fp16 is computed in fp32. Columns from oriSrcK on are computed on like the others and take no part
// in sum and max; rows from oriSrcM on are rows like the others. dst may be src. isReuseSource and
// isBasicBlock change nothing here. Scratch: Get...MinTmpSize bytes at least; more makes fewer instructions.
#pragma once

#include <type_traits>

#include "sim/ascendc/absent.h"
#include "sim/ascendc/lib/activation/softmax_call.h"
#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/vector_fill.h"

namespace AscendC {

namespace simulator {

template <const SoftmaxConfig& config>
constexpr void CheckSoftmaxConfig() {
  static_assert(config.mode == SoftmaxMode::SOFTMAX_NORMAL,
                "tilesim does not have SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC yet; take blocks of 32 bytes");
}
// The documented pairs of types: those of the data for all, or half data with float sum and max.
template <class U, class T>
concept SoftmaxSumsOf = (std::is_same_v<T, U> && (std::is_same_v<T, half> || std::is_same_v<T, float>)) ||
                        (std::is_same_v<T, half> && std::is_same_v<U, float>);

}  // namespace simulator

#define TILESIM_SOFTMAX_CALL(FORM, NZ, ...)                                                           \
  simulator::Run(simulator::SoftmaxCall{simulator::Softmax::FORM, NZ, dstTensor, srcTensor, scratch,  \
                                        simulator::ShapeOf(softmaxShapeInfo, srcTensor), tiling.srcK, \
                                        where __VA_OPT__(, ) __VA_ARGS__});
#define TILESIM_SOFTMAX(TEMPLATE, NAME, FORM, D, U, TILING, ...)                                       \
  TILESIM_SCRATCH_FORMS(TEMPLATE, NAME,                                                                \
                        (const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,             \
                         const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor),            \
                        (const tiling::TILING& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}), \
                        __VA_ARGS__ TILESIM_SOFTMAX_CALL(FORM, isDataFormatNZ, sumTensor, maxTensor))
#define TILESIM_SOFTMAX_OF_CONFIG(NAME, FORM)                                                              \
  TILESIM_SOFTMAX(                                                                                         \
      (class T = void, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, \
       const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class D, simulator::SoftmaxSumsOf<D> U),         \
      NAME, FORM, D, U, SoftMaxTiling, simulator::CheckSoftmaxConfig<config>();)

TILESIM_SOFTMAX_OF_CONFIG(SoftMax, kWhole)
// dst = exp(src - max) / sum, of given sum and max.
TILESIM_SOFTMAX_OF_CONFIG(SimpleSoftMax, kSimple)
// x - max - ln(sum of exp(x - max)): the natural logarithm.
TILESIM_SOFTMAX((class T, bool isReuseSource = false, bool isDataFormatNZ = false), LogSoftMax, kLog, T, T,
                LogSoftMaxTiling)
#undef TILESIM_SOFTMAX
#undef TILESIM_SOFTMAX_OF_CONFIG

// Without sum and max; ND.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false, bool isBasicBlock = false,
                       const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG),
                      SoftMax, (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor),
                      (const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}),
                      simulator::CheckSoftmaxConfig<config>();
                      TILESIM_SOFTMAX_CALL(kWhole, false))

// Softmax over columns that come in several calls. The first one, isUpdate false, gives what SoftMax gives,
// and leaves expMax as it is. Later ones: max = the larger of inMax and the row's, sum = inSum * exp(inMax -
// max) + the row's, dst = exp(x - max) / sum, and expMax = inSum * exp(inMax - max) / sum is what earlier
// results are to be multiplied with. sum and max may be inSum and inMax.
#define TILESIM_FLASH(TEMPLATE, NAME, FORM, NZ, BEHIND, ...)                                                \
  TILESIM_SCRATCH_FORMS(                                                                                    \
      TEMPLATE, NAME,                                                                                       \
      (const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor, const LocalTensor<U>& maxTensor,   \
       const LocalTensor<D>& srcTensor, const LocalTensor<D>& expMaxTensor,                                 \
       const LocalTensor<U>& inSumTensor, const LocalTensor<U>& inMaxTensor),                               \
      BEHIND,                                                                                               \
      __VA_ARGS__ TILESIM_SOFTMAX_CALL(FORM, NZ, sumTensor, maxTensor, isUpdate, expMaxTensor, inSumTensor, \
                                       inMaxTensor))

TILESIM_FLASH((class T = void, bool isReuseSource = false, bool isBasicBlock = false, class D,
               simulator::SoftmaxSumsOf<D> U),
              SoftmaxFlash, kFlash, false,
              (const tiling::SoftMaxTiling& tiling, bool isUpdate = false,
               const SoftMaxShapeInfo& softmaxShapeInfo = {}))
// The same without the division: dst = exp(x - max), and with isUpdate expMax = exp(inMax - max).
TILESIM_FLASH((class T = void, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
               bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class D,
               simulator::SoftmaxSumsOf<D> U),
              SoftmaxFlashV2, kFlashV2, isDataFormatNZ,
              (const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}),
              simulator::CheckSoftmaxConfig<config>();)
#undef TILESIM_FLASH
#undef TILESIM_SOFTMAX_CALL

template <class T, class U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class... Arguments>
void SoftmaxFlashV3(const Arguments&...) {
  static_assert(simulator::kHere<T, U>, "tilesim does not model SoftmaxFlashV3 yet; use SoftmaxFlashV2");
}

// isFront: dst = the sum of grad * src of each row, in a block of 32 bytes. Else dst = (grad - that) * src.
#define TILESIM_SOFTMAX_GRAD(TEMPLATE, NAME, IS_FRONT, BEHIND)                                              \
  TILESIM_SCRATCH_FORMS(                                                                                    \
      TEMPLATE, NAME,                                                                                       \
      (const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor, const LocalTensor<T>& srcTensor), \
      BEHIND,                                                                                               \
      simulator::Run(simulator::SoftmaxGradCall{                                                            \
          #NAME, IS_FRONT, isDataFormatNZ, dstTensor, gradTensor, srcTensor, scratch,                       \
          simulator::ShapeOf(softmaxShapeInfo, srcTensor), tiling.srcK, where});)
TILESIM_SOFTMAX_GRAD((class T, bool isReuseSource = false, bool isDataFormatNZ = false), SoftmaxGrad, isFront,
                     (const tiling::SoftMaxTiling& tiling, bool isFront = false,
                      const SoftMaxShapeInfo& softmaxShapeInfo = {}))
TILESIM_SOFTMAX_GRAD((class T, bool isBasicBlock = false, bool isDataFormatNZ = false), SoftmaxGradFront,
                     true,
                     (const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}))
#undef TILESIM_SOFTMAX_GRAD

// Rows whose max is `from`, the bits of a number, become `to` in all columns. True: there was one. The scalar
// unit reads the maxima, and waits for V; stepSizeMode 0: a block of 32 bytes each, 1: one behind the other.
template <class T1, class T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                      const uint32_t from, const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo,
                      SourceLine where = SourceLine::Here()) {
  const simulator::LibraryCall library("AdjustSoftMaxRes", where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return false;
  }
  constexpr uint32_t kStep = stepSizeMode == 0 ? ONE_BLK_SIZE / sizeof(T2) : 1;
  simulator::OrderPipes(*core, HardEvent::V_S, where);
  bool found = false;
  for (uint32_t row = 0; row < softmaxShapeInfo.srcM; ++row) {
    if (simulator::BitsOf(maxTensor.GetValue(row * kStep, where)) != from) {
      continue;
    }
    found = true;
    if constexpr (isDataFormatNZ) {
      const uint64_t line = 16;
      for (uint32_t at = 0; at < softmaxShapeInfo.srcK; at += 16) {
        Duplicate<T1>(softMaxRes[at * softmaxShapeInfo.srcM + row * 16], to, line, 1, 1, 8, where);
      }
    } else {
      Duplicate<T1>(softMaxRes[row * softmaxShapeInfo.srcK], to, static_cast<int32_t>(softmaxShapeInfo.srcK),
                    where);
    }
  }
  simulator::OrderPipes(*core, HardEvent::S_V, where);
  return found;
}

}  // namespace AscendC

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
template <class T, class U>
concept SoftmaxTypes = (std::is_same_v<T, U> && (std::is_same_v<T, half> || std::is_same_v<T, float>)) ||
                       (std::is_same_v<T, half> && std::is_same_v<U, float>);

template <bool kNz, class T, class U>
void RunSoftmax(Softmax form, const LocalTensor<T>& dst, const LocalTensor<U>& sum, const LocalTensor<U>& max,
                const LocalTensor<T>& src, const LocalTensor<uint8_t>& scratch, uint32_t tiled_columns,
                const SoftMaxShapeInfo& shape, SourceLine where) {
  const LibraryOperand sums(sum);
  const LibraryOperand most(max);
  Run(SoftmaxCall{.form = form,
                  .is_update = false,
                  .nz = kNz,
                  .dst = dst,
                  .src = src,
                  .sum = &sums,
                  .max = &most,
                  .scratch = Given(scratch),
                  .shape = ShapeOf(shape, src),
                  .tiled_columns = tiled_columns,
                  .where = where});
}
template <bool kNz, class T, class U>
void RunFlash(Softmax form, bool is_update, const LocalTensor<T>& dst, const LocalTensor<U>& sum,
              const LocalTensor<U>& max, const LocalTensor<T>& src, const LocalTensor<T>& exp_max,
              const LocalTensor<U>& in_sum, const LocalTensor<U>& in_max, const LocalTensor<uint8_t>& scratch,
              const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape, SourceLine where) {
  const LibraryOperand sums(sum);
  const LibraryOperand most(max);
  const LibraryOperand rescaling(exp_max);
  const LibraryOperand sums_before(in_sum);
  const LibraryOperand most_before(in_max);
  Run(SoftmaxCall{.form = form,
                  .is_update = is_update,
                  .nz = kNz,
                  .dst = dst,
                  .src = src,
                  .sum = &sums,
                  .max = &most,
                  .exp_max = &rescaling,
                  .in_sum = &sums_before,
                  .in_max = &most_before,
                  .scratch = Given(scratch),
                  .shape = ShapeOf(shape, src),
                  .tiled_columns = tiling.srcK,
                  .where = where});
}

}  // namespace simulator

// The form with scratch and the one without, which takes what the TPipe leaves of UB.
#define TILESIM_SOFTMAX(NAME, FORM)                                                                          \
  template <class T = void, bool isReuseSource = false, bool isBasicBlock = false,                           \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class D,         \
            class U>                                                                                         \
  requires simulator::SoftmaxTypes<D, U>                                                                     \
  void NAME(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,                                \
            const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,                                \
            const LocalTensor<uint8_t>& sharedTmpBuffer, const tiling::SoftMaxTiling& tiling,                \
            const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {          \
    simulator::CheckSoftmaxConfig<config>();                                                                 \
    simulator::RunSoftmax<isDataFormatNZ>(simulator::Softmax::FORM, dstTensor, sumTensor, maxTensor,         \
                                          srcTensor, sharedTmpBuffer, tiling.srcK, softmaxShapeInfo, where); \
  }                                                                                                          \
  template <class T = void, bool isReuseSource = false, bool isBasicBlock = false,                           \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class D,         \
            class U>                                                                                         \
  requires simulator::SoftmaxTypes<D, U>                                                                     \
  void NAME(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,                                \
            const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,                                \
            const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},              \
            SourceLine where = SourceLine::Here()) {                                                         \
    NAME<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(                                            \
        dstTensor, sumTensor, maxTensor, srcTensor, simulator::kNoScratch, tiling, softmaxShapeInfo, where); \
  }

TILESIM_SOFTMAX(SoftMax, kWhole)
// dst = exp(src - max) / sum, of given sum and max.
TILESIM_SOFTMAX(SimpleSoftMax, kSimple)
#undef TILESIM_SOFTMAX

// Without sum and max; ND.
template <class T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const tiling::SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  simulator::CheckSoftmaxConfig<config>();
  simulator::Run(simulator::SoftmaxCall{.form = simulator::Softmax::kWhole,
                                        .is_update = false,
                                        .nz = false,
                                        .dst = dstTensor,
                                        .src = srcTensor,
                                        .scratch = simulator::Given(sharedTmpBuffer),
                                        .shape = simulator::ShapeOf(softmaxShapeInfo, srcTensor),
                                        .tiled_columns = tiling.srcK,
                                        .where = where});
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
             const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
             SourceLine where = SourceLine::Here()) {
  SoftMax<T, isReuseSource, isBasicBlock, config>(dstTensor, srcTensor, simulator::kNoScratch, tiling,
                                                  softmaxShapeInfo, where);
}

// x - max - ln(sum of exp(x - max)): the natural logarithm.
template <class T, bool isReuseSource = false, bool isDataFormatNZ = false>
void LogSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const tiling::LogSoftMaxTiling& tiling,
                const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  simulator::RunSoftmax<isDataFormatNZ>(simulator::Softmax::kLog, dstTensor, sumTensor, maxTensor, srcTensor,
                                        sharedTmpBuffer, tiling.srcK, softmaxShapeInfo, where);
}
template <class T, bool isReuseSource = false, bool isDataFormatNZ = false>
void LogSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                const tiling::LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                SourceLine where = SourceLine::Here()) {
  LogSoftMax<T, isReuseSource, isDataFormatNZ>(dstTensor, sumTensor, maxTensor, srcTensor,
                                               simulator::kNoScratch, tiling, softmaxShapeInfo, where);
}

// Softmax over columns that come in several calls. The first one, isUpdate false, gives what SoftMax gives,
// and leaves expMax as it is. Later ones: max = the larger of inMax and the row's, sum = inSum * exp(inMax -
// max) + the row's, dst = exp(x - max) / sum, and expMax = inSum * exp(inMax - max) / sum is what earlier
// results are to be multiplied with. sum and max may be inSum and inMax.
template <class T = void, bool isReuseSource = false, bool isBasicBlock = false, class D, class U>
requires simulator::SoftmaxTypes<D, U>
void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
                  const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                  const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inSumTensor,
                  const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                  const tiling::SoftMaxTiling& tiling, bool isUpdate = false,
                  const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  simulator::RunFlash<false>(simulator::Softmax::kFlash, isUpdate, dstTensor, sumTensor, maxTensor, srcTensor,
                             expMaxTensor, inSumTensor, inMaxTensor, sharedTmpBuffer, tiling,
                             softmaxShapeInfo, where);
}
template <class T = void, bool isReuseSource = false, bool isBasicBlock = false, class D, class U>
requires simulator::SoftmaxTypes<D, U>
void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
                  const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                  const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inSumTensor,
                  const LocalTensor<U>& inMaxTensor, const tiling::SoftMaxTiling& tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                  SourceLine where = SourceLine::Here()) {
  SoftmaxFlash<T>(dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor, inMaxTensor,
                  simulator::kNoScratch, tiling, isUpdate, softmaxShapeInfo, where);
}

// The same without the division: dst = exp(x - max), and with isUpdate expMax = exp(inMax - max).
template <class T = void, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class D, class U>
requires simulator::SoftmaxTypes<D, U>
void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& expSumTensor,
                    const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                    const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    SourceLine where = SourceLine::Here()) {
  simulator::CheckSoftmaxConfig<config>();
  simulator::RunFlash<isDataFormatNZ>(simulator::Softmax::kFlashV2, isUpdate, dstTensor, expSumTensor,
                                      maxTensor, srcTensor, expMaxTensor, inExpSumTensor, inMaxTensor,
                                      sharedTmpBuffer, tiling, softmaxShapeInfo, where);
}
template <class T = void, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class D, class U>
requires simulator::SoftmaxTypes<D, U>
void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& expSumTensor,
                    const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                    const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor, const tiling::SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
      dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor, inMaxTensor,
      simulator::kNoScratch, tiling, softmaxShapeInfo, where);
}

template <class T, class U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, class... Arguments>
void SoftmaxFlashV3(const Arguments&...) {
  static_assert(simulator::kHere<T, U>, "tilesim does not model SoftmaxFlashV3 yet; use SoftmaxFlashV2");
}

// isFront: dst = the sum of grad * src of each row, in a block of 32 bytes. Else dst = (grad - that) * src.
template <class T, bool isReuseSource = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                 const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                 const tiling::SoftMaxTiling& tiling, bool isFront = false,
                 const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  simulator::Run(simulator::SoftmaxGradCall{"SoftmaxGrad", isFront, isDataFormatNZ, dstTensor, gradTensor,
                                            srcTensor, simulator::Given(sharedTmpBuffer),
                                            simulator::ShapeOf(softmaxShapeInfo, srcTensor), tiling.srcK,
                                            where});
}
template <class T, bool isReuseSource = false, bool isDataFormatNZ = false>
void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                 const LocalTensor<T>& srcTensor, const tiling::SoftMaxTiling& tiling, bool isFront = false,
                 const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  SoftmaxGrad<T, isReuseSource, isDataFormatNZ>(dstTensor, gradTensor, srcTensor, simulator::kNoScratch,
                                                tiling, isFront, softmaxShapeInfo, where);
}
template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                      const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const tiling::SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                      SourceLine where = SourceLine::Here()) {
  simulator::Run(simulator::SoftmaxGradCall{"SoftmaxGradFront", true, isDataFormatNZ, dstTensor, gradTensor,
                                            srcTensor, simulator::Given(sharedTmpBuffer),
                                            simulator::ShapeOf(softmaxShapeInfo, srcTensor), tiling.srcK,
                                            where});
}
template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>
void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                      const LocalTensor<T>& srcTensor, const tiling::SoftMaxTiling& tiling,
                      const SoftMaxShapeInfo& softmaxShapeInfo = {}, SourceLine where = SourceLine::Here()) {
  SoftmaxGradFront<T, isBasicBlock, isDataFormatNZ>(dstTensor, gradTensor, srcTensor, simulator::kNoScratch,
                                                    tiling, softmaxShapeInfo, where);
}

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

// LayerNorm, RmsNorm, DeepNorm, Normalize, LayerNormGrad, LayerNormGradBeta, WelfordUpdate, WelfordFinalize,
// GroupNorm and BatchNorm; pipe V. On a cube core all do nothing.
//
// Data of half or float, computed in fp32; rows are the last axis, padded to 32 bytes, and of their elements
// the original ones count. Means, variances and 1 / sqrt(variance + epsilon) (rstd) are a number for each
// row, one behind the other; a variance divides by the number of elements. The shape is the tiling's or the
// parameters'. isReuseSource and isBasicBlock change nothing here.
#pragma once

#include <type_traits>

#include "sim/ascendc/lib/normalization/norm_call.h"
#include "sim/ascendc/lib/reduce/reduce_pattern.h"

namespace AscendC {

struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;  // without mean and rstd
  bool isOutputRstd = true;   // false: the variance instead
};
constexpr LayerNormConfig GetLayerNormNormalConfig() { return {}; }
inline constexpr LayerNormConfig LNCFG_NORM = GetLayerNormNormalConfig();
inline constexpr LayerNormConfig LNCFG_NOBETA = {.isNoBeta = true};
inline constexpr LayerNormConfig LNCFG_NOGAMMA = {.isNoGamma = true};

// aLength rows of rLength elements, which begin rLengthWithPadding apart.
struct LayerNormPara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};

struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM = {};
struct NormalizePara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};

// The shape is the tiling's in any case.
struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

struct WelfordUpdateParam {
  uint32_t rnLength;         // rows: 1
  uint32_t abLength;         // elements
  uint32_t abComputeLength;  // of which are computed on
  float nRec;                // 1 / the number of rows so far, this one included
};
struct WelfordUpdateConfig {
  bool isInplace = false;  // true: what is not computed on stays; false: it is copied
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {};

// Parts of a mean and variance: the first headCountLength are of headCount elements each, the others of
// tailCount; without a tail all are of rnLength.
struct WelfordFinalizePara {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t headCount;
  uint32_t headCountLength;
  uint32_t tailCount;
  uint32_t tailCountLength;
  float abRec;  // 1 / abLength
  float rRec;   // 1 / all elements
};
struct WelfordFinalizeConfig {
  bool isCorrection = false;
};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {};

namespace simulator {

template <class T>
float AsFloat(T value) {
  return static_cast<float>(value);
}
template <class Tiling>
NormShape ShapeOfTiling(const Tiling& tiling) {
  return {tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength};
}

// U: of the weights, T: of the data.
template <class U, class T>
inline constexpr bool kAreWeightsOf = std::is_same_v<U, T> ||
                                      (std::is_same_v<T, half> && std::is_same_v<U, float>);

template <const WelfordFinalizeConfig& config>
void RunWelfordFinalize(const LibraryOperand& out_mean, const LibraryOperand& out_variance,
                        const LibraryOperand& in_mean, const LibraryOperand& in_variance,
                        const LibraryOperand* counts, const LocalTensor<uint8_t>& scratch,
                        const WelfordFinalizePara& para, SourceLine where) {
  static_assert(!config.isCorrection, "tilesim does not have WelfordFinalize with isCorrection yet");
  Run(WelfordFinalizeCall{out_mean, out_variance, in_mean, in_variance, counts, Given(scratch), para.rnLength,
                          para.abLength, para.headCount, para.headCountLength, para.tailCount, para.abRec,
                          para.rRec, where});
}

}  // namespace simulator

// Each call has a form without scratch, which takes what the TPipe leaves of UB.

// [b, s, h] as the tiling says.
template <class T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const std::type_identity_t<T> epsilon,
               const tiling::LayerNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  const simulator::LibraryOperand means(outputMean), variances(outputVariance), scales(gamma), shifts(beta);
  simulator::Run(simulator::NormCall{.name = "LayerNorm",
                                     .host_function = "GetLayerNormMaxMinTmpSize",
                                     .form = simulator::NormForm::kLayer,
                                     .shape = simulator::ShapeOfTiling(tiling),
                                     .dst = output,
                                     .src = inputX,
                                     .epsilon = simulator::AsFloat(epsilon),
                                     .scratch = simulator::Given(sharedTmpBuffer),
                                     .gamma = &scales,
                                     .beta = &shifts,
                                     .mean = &means,
                                     .variance = &variances,
                                     .where = where});
}
template <class T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const std::type_identity_t<T> epsilon,
               const tiling::LayerNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  LayerNorm(output, outputMean, outputVariance, inputX, gamma, beta, simulator::kNoScratch, epsilon, tiling,
            where);
}
// [a, r] as `para` says, with rstd; gamma and beta of half data may be float.
template <class U, class T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
               const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
               const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const LayerNormPara& para,
               const tiling::LayerNormSeparateTiling& /*tiling*/, SourceLine where = SourceLine::Here()) {
  static_assert(simulator::kAreWeightsOf<U, T>,
                "LayerNorm has gamma and beta of inputX's type, or of float where that is half");
  const simulator::LibraryOperand means(outputMean), rstds(outputRstd), scales(gamma), shifts(beta);
  const simulator::LibraryOperand* const spread = config.isOnlyOutput ? nullptr : &rstds;
  simulator::Run(simulator::NormCall{.name = "LayerNorm",
                                     .host_function = "GetLayerNormMaxMinTmpSize",
                                     .form = simulator::NormForm::kLayer,
                                     .shape = {para.aLength, para.rLength, para.rLengthWithPadding},
                                     .dst = output,
                                     .src = inputX,
                                     .epsilon = epsilon,
                                     .scratch = simulator::Given(sharedTmpBuffer),
                                     .gamma = config.isNoGamma ? nullptr : &scales,
                                     .beta = config.isNoBeta ? nullptr : &shifts,
                                     .mean = config.isOnlyOutput ? nullptr : &means,
                                     .variance = config.isOutputRstd ? nullptr : spread,
                                     .rstd = config.isOutputRstd ? spread : nullptr,
                                     .where = where});
}
template <class U, class T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
               const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
               const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               const LayerNormPara& para, const tiling::LayerNormSeparateTiling& tiling,
               SourceLine where = SourceLine::Here()) {
  LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon,
                                         simulator::kNoScratch, para, tiling, where);
}

// dst = src / sqrt(the mean of src^2 + epsilon) * gamma.
template <class T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
             const LocalTensor<uint8_t>& sharedTmpBuffer, const std::type_identity_t<T> epsilon,
             const tiling::RmsNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  const simulator::LibraryOperand scales(gammaLocal);
  simulator::Run(simulator::NormCall{.name = "RmsNorm",
                                     .host_function = "GetRmsNormMaxMinTmpSize",
                                     .form = simulator::NormForm::kRms,
                                     .shape = simulator::ShapeOfTiling(tiling),
                                     .dst = dstLocal,
                                     .src = srcLocal,
                                     .epsilon = simulator::AsFloat(epsilon),
                                     .scratch = simulator::Given(sharedTmpBuffer),
                                     .gamma = &scales,
                                     .where = where});
}
template <class T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
             const std::type_identity_t<T> epsilon, const tiling::RmsNormTiling& tiling,
             SourceLine where = SourceLine::Here()) {
  RmsNorm(dstLocal, srcLocal, gammaLocal, simulator::kNoScratch, epsilon, tiling, where);
}

// LayerNorm of alpha * src + gx, with rstd.
template <class T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
              const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal,
              const LocalTensor<T>& betaLocal, const LocalTensor<T>& gammaLocal,
              const LocalTensor<uint8_t>& sharedTmpBuffer, const std::type_identity_t<T> alpha,
              const std::type_identity_t<T> epsilon, const tiling::DeepNormTiling& tiling,
              SourceLine where = SourceLine::Here()) {
  const simulator::LibraryOperand means(meanLocal), rstds(rstdLocal), scales(gammaLocal), shifts(betaLocal),
      added(gxLocal);
  simulator::Run(simulator::NormCall{.name = "DeepNorm",
                                     .host_function = "GetDeepNormMaxMinTmpSize",
                                     .form = simulator::NormForm::kLayer,
                                     .shape = simulator::ShapeOfTiling(tiling),
                                     .dst = dstLocal,
                                     .src = srcLocal,
                                     .epsilon = simulator::AsFloat(epsilon),
                                     .scratch = simulator::Given(sharedTmpBuffer),
                                     .gamma = &scales,
                                     .beta = &shifts,
                                     .gx = &added,
                                     .mean = &means,
                                     .rstd = &rstds,
                                     .alpha = simulator::AsFloat(alpha),
                                     .where = where});
}
template <class T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
              const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal,
              const LocalTensor<T>& betaLocal, const LocalTensor<T>& gammaLocal,
              const std::type_identity_t<T> alpha, const std::type_identity_t<T> epsilon,
              const tiling::DeepNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  DeepNorm(dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, betaLocal, gammaLocal, simulator::kNoScratch,
           alpha, epsilon, tiling, where);
}

// output = (x - mean) * rstd * gamma + beta, of given means and variances.
template <class U, class T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
               const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const float epsilon, const NormalizePara& para,
               SourceLine where = SourceLine::Here()) {
  static_assert(config.reducePattern == ReducePattern::AR, "Normalize has ReducePattern::AR only");
  static_assert(simulator::kAreWeightsOf<U, T>,
                "Normalize has gamma and beta of inputX's type, or of float where that is half");
  const simulator::LibraryOperand means(inputMean), variances(inputVariance), rstds(outputRstd),
      scales(gamma), shifts(beta);
  simulator::Run(simulator::NormCall{.name = "Normalize",
                                     .host_function = "GetNormalizeMaxMinTmpSize",
                                     .form = simulator::NormForm::kGiven,
                                     .shape = {para.aLength, para.rLength, para.rLengthWithPadding},
                                     .dst = output,
                                     .src = inputX,
                                     .epsilon = epsilon,
                                     .scratch = simulator::Given(sharedTmpBuffer),
                                     .gamma = config.isNoGamma ? nullptr : &scales,
                                     .beta = config.isNoBeta ? nullptr : &shifts,
                                     .mean = &means,
                                     .variance = &variances,
                                     .rstd = config.isOnlyOutput ? nullptr : &rstds,
                                     .where = where});
}
template <class U, class T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
               const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
               const float epsilon, const NormalizePara& para, SourceLine where = SourceLine::Here()) {
  Normalize<U, T, isReuseSource, config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta,
                                         simulator::kNoScratch, epsilon, para, where);
}

// outputPdX: the gradient of x; resForGamma: (x - mean) * rstd.
template <class T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                   const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                   const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const std::type_identity_t<T> epsilon, const tiling::LayerNormGradTiling& tiling,
                   const LayerNormGradShapeInfo& = {}, SourceLine where = SourceLine::Here()) {
  simulator::Run(simulator::LayerNormGradCall{
      simulator::ShapeOfTiling(tiling), outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean,
      inputGamma, simulator::AsFloat(epsilon), simulator::Given(sharedTmpBuffer), where});
}
template <class T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                   const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                   const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, const std::type_identity_t<T> epsilon,
                   const tiling::LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& shapeInfo = {},
                   SourceLine where = SourceLine::Here()) {
  LayerNormGrad(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma,
                simulator::kNoScratch, epsilon, tiling, shapeInfo, where);
}
// The gradients of gamma, the sum of dy * resForGamma of each column, and of beta, the sum of dy.
template <class T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                       const tiling::LayerNormGradBetaTiling& tiling, SourceLine where = SourceLine::Here()) {
  simulator::Run(simulator::LayerNormGradBetaCall{simulator::ShapeOfTiling(tiling), outputPdGamma,
                                                  outputPdBeta, resForGamma, inputDy,
                                                  simulator::Given(sharedTmpBuffer), where});
}
template <class T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       const tiling::LayerNormGradBetaTiling& tiling, SourceLine where = SourceLine::Here()) {
  LayerNormGradBeta(outputPdGamma, outputPdBeta, resForGamma, inputDy, simulator::kNoScratch, tiling, where);
}

// mean += (x - mean) * nRec, variance += (x - old mean) * (x - new mean): the sum of squares, not divided.
template <class T, class U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const WelfordUpdateParam& para, SourceLine where = SourceLine::Here()) {
  static_assert(std::is_same_v<U, float>, "WelfordUpdate has means and variances of float");
  simulator::Run(simulator::WelfordUpdateCall{outputMean, outputVariance, inputMean, inputVariance, inputX,
                                              simulator::Given(sharedTmpBuffer), para.rnLength, para.abLength,
                                              para.abComputeLength, para.nRec, config.isInplace, where});
}
template <class T, class U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, const WelfordUpdateParam& para,
                   SourceLine where = SourceLine::Here()) {
  WelfordUpdate<T, U, isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, inputX,
                                             simulator::kNoScratch, para, where);
}

// One mean and variance of all parts; counts, where given, says of how many elements each part is.
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<int32_t>& counts, const LocalTensor<uint8_t>& sharedTmpBuffer,
                     const WelfordFinalizePara& para, SourceLine where = SourceLine::Here()) {
  const simulator::LibraryOperand numbers(counts);
  simulator::RunWelfordFinalize<config>(outputMean, outputVariance, inputMean, inputVariance, &numbers,
                                        sharedTmpBuffer, para, where);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<int32_t>& counts, const WelfordFinalizePara& para,
                     SourceLine where = SourceLine::Here()) {
  WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, counts,
                                         simulator::kNoScratch, para, where);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const WelfordFinalizePara& para,
                     SourceLine where = SourceLine::Here()) {
  simulator::RunWelfordFinalize<config>(outputMean, outputVariance, inputMean, inputVariance, nullptr,
                                        sharedTmpBuffer, para, where);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const WelfordFinalizePara& para, SourceLine where = SourceLine::Here()) {
  WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance,
                                         simulator::kNoScratch, para, where);
}

// [n, c, hw]: mean and variance of each of n * g groups of channels; gamma and beta of each channel.
template <class T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const std::type_identity_t<T> epsilon,
               const tiling::GroupNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  simulator::Run(simulator::GroupNormCall{
      tiling.n, tiling.c, tiling.hw, tiling.hwAlignSize, tiling.g, output, outputMean, outputVariance, inputX,
      gamma, beta, simulator::AsFloat(epsilon), simulator::Given(sharedTmpBuffer), where});
}
template <class T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const std::type_identity_t<T> epsilon,
               const tiling::GroupNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  GroupNorm(output, outputMean, outputVariance, inputX, gamma, beta, simulator::kNoScratch, epsilon, tiling,
            where);
}

// [b, s, h]: mean and variance over b, of each of s * h; gamma and beta of each of b.
template <class T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
               const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer,
               const std::type_identity_t<T> epsilon, const tiling::BatchNormTiling& tiling,
               SourceLine where = SourceLine::Here()) {
  simulator::Run(simulator::BatchNormCall{tiling.originalBLength, tiling.meanVarSize, output, outputMean,
                                          outputVariance, inputX, gamm, beta, simulator::AsFloat(epsilon),
                                          simulator::Given(sharedTmpBuffer), where});
}
template <class T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
               const LocalTensor<T>& beta, const std::type_identity_t<T> epsilon,
               const tiling::BatchNormTiling& tiling, SourceLine where = SourceLine::Here()) {
  BatchNorm(output, outputMean, outputVariance, inputX, gamm, beta, simulator::kNoScratch, epsilon, tiling,
            where);
}

}  // namespace AscendC

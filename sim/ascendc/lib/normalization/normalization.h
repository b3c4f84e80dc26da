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

template <class P>
NormShape ShapeOfRows(const P& para) {
  return {para.aLength, para.rLength, para.rLengthWithPadding};
}

// U: of the weights, T: of the data.
template <class U, class T>
inline constexpr bool kAreWeightsOf = std::is_same_v<U, T> ||
                                      (std::is_same_v<T, half> && std::is_same_v<U, float>);

// `operand`, unless the configuration leaves it out.
template <class T>
LibraryOperand Unless(bool left_out, const LocalTensor<T>& operand) {
  return left_out ? LibraryOperand() : LibraryOperand(operand);
}

}  // namespace simulator

// Each call has a form without scratch, which takes what the TPipe leaves of UB.

// [b, s, h] as the tiling says.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), LayerNorm,
                      (const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                       const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                       const LocalTensor<T>& gamma, const LocalTensor<T>& beta),
                      (const std::type_identity_t<T> epsilon, const tiling::LayerNormTiling& tiling),
                      simulator::Run(simulator::NormCall{"LayerNorm", simulator::NormForm::kLayer,
                                                         simulator::ShapeOfTiling(tiling), output, inputX,
                                                         simulator::AsFloat(epsilon), scratch, where, gamma,
                                                         beta, outputMean, outputVariance});)
// [a, r] as `para` says, with rstd; gamma and beta of half data may be float.
TILESIM_SCRATCH_FORMS(
    (class U, class T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM), LayerNorm,
    (const LocalTensor<T>& output, const LocalTensor<float>& outputMean, const LocalTensor<float>& outputRstd,
     const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
     const float epsilon),
    (const LayerNormPara& para, const tiling::LayerNormSeparateTiling& /*tiling*/),
    static_assert(simulator::kAreWeightsOf<U, T>,
                  "LayerNorm has gamma and beta of inputX's type, or of float where that is half");
    simulator::Run(simulator::NormCall{
        "LayerNorm", simulator::NormForm::kLayer, simulator::ShapeOfRows(para), output, inputX, epsilon,
        scratch, where, simulator::Unless(config.isNoGamma, gamma), simulator::Unless(config.isNoBeta, beta),
        simulator::Unless(config.isOnlyOutput, outputMean),
        simulator::Unless(config.isOnlyOutput || config.isOutputRstd, outputRstd),
        simulator::Unless(config.isOnlyOutput || !config.isOutputRstd, outputRstd)});)

// dst = src / sqrt(the mean of src^2 + epsilon) * gamma.
TILESIM_SCRATCH_FORMS((class T, bool isBasicBlock = false), RmsNorm,
                      (const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                       const LocalTensor<T>& gammaLocal),
                      (const std::type_identity_t<T> epsilon, const tiling::RmsNormTiling& tiling),
                      simulator::Run(simulator::NormCall{
                          "RmsNorm", simulator::NormForm::kRms, simulator::ShapeOfTiling(tiling), dstLocal,
                          srcLocal, simulator::AsFloat(epsilon), scratch, where, gammaLocal});)

// LayerNorm of alpha * src + gx, with rstd.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSrc = false, bool isBasicBlock = false), DeepNorm,
                      (const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
                       const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,
                       const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                       const LocalTensor<T>& gammaLocal),
                      (const std::type_identity_t<T> alpha, const std::type_identity_t<T> epsilon,
                       const tiling::DeepNormTiling& tiling),
                      simulator::Run(simulator::NormCall{
                          "DeepNorm", simulator::NormForm::kLayer, simulator::ShapeOfTiling(tiling), dstLocal,
                          srcLocal, simulator::AsFloat(epsilon), scratch, where, gammaLocal, betaLocal,
                          meanLocal, simulator::LibraryOperand(), rstdLocal, gxLocal,
                          simulator::AsFloat(alpha)});)

// output = (x - mean) * rstd * gamma + beta, of given means and variances.
TILESIM_SCRATCH_FORMS(
    (class U, class T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM), Normalize,
    (const LocalTensor<T>& output, const LocalTensor<float>& outputRstd, const LocalTensor<float>& inputMean,
     const LocalTensor<float>& inputVariance, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
     const LocalTensor<U>& beta),
    (const float epsilon, const NormalizePara& para),
    static_assert(config.reducePattern == ReducePattern::AR, "Normalize has ReducePattern::AR only");
    static_assert(simulator::kAreWeightsOf<U, T>,
                  "Normalize has gamma and beta of inputX's type, or of float where that is half");
    simulator::Run(simulator::NormCall{
        "Normalize", simulator::NormForm::kGiven, simulator::ShapeOfRows(para), output, inputX, epsilon,
        scratch, where, simulator::Unless(config.isNoGamma, gamma), simulator::Unless(config.isNoBeta, beta),
        inputMean, inputVariance, simulator::Unless(config.isOnlyOutput, outputRstd)});)

// outputPdX: the gradient of x; resForGamma: (x - mean) * rstd.
TILESIM_SCRATCH_FORMS(
    (class T, bool isReuseSource = false), LayerNormGrad,
    (const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
     const LocalTensor<T>& inputX, const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
     const LocalTensor<T>& inputGamma),
    (const std::type_identity_t<T> epsilon, const tiling::LayerNormGradTiling& tiling,
     const LayerNormGradShapeInfo& = {}),
    simulator::Run(simulator::LayerNormGradCall{simulator::ShapeOfTiling(tiling), outputPdX, resForGamma,
                                                inputDy, inputX, inputVariance, inputMean, inputGamma,
                                                simulator::AsFloat(epsilon), scratch, where});)
// The gradients of gamma, the sum of dy * resForGamma of each column, and of beta, the sum of dy.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), LayerNormGradBeta,
                      (const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy),
                      (const tiling::LayerNormGradBetaTiling& tiling),
                      simulator::Run(simulator::LayerNormGradBetaCall{simulator::ShapeOfTiling(tiling),
                                                                      outputPdGamma, outputPdBeta,
                                                                      resForGamma, inputDy, scratch, where});)

// mean += (x - mean) * nRec, variance += (x - old mean) * (x - new mean): the sum of squares, not divided.
TILESIM_SCRATCH_FORMS(
    (class T, class U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG),
    WelfordUpdate,
    (const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance, const LocalTensor<U>& inputMean,
     const LocalTensor<U>& inputVariance, const LocalTensor<T>& inputX),
    (const WelfordUpdateParam& para),
    static_assert(std::is_same_v<U, float>, "WelfordUpdate has means and variances of float");
    simulator::Run(simulator::WelfordUpdateCall{outputMean, outputVariance, inputMean, inputVariance, inputX,
                                                scratch, para.rnLength, para.abLength, para.abComputeLength,
                                                para.nRec, config.isInplace, where});)

// One mean and variance of all parts; counts, where given, says of how many elements each part is.
#define TILESIM_WELFORD_FINALIZE(COUNTS, ...)                                                             \
  TILESIM_SCRATCH_FORMS(                                                                                  \
      (bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG),         \
      WelfordFinalize,                                                                                    \
      (const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,                    \
       const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance __VA_ARGS__),         \
      (const WelfordFinalizePara& para),                                                                  \
      static_assert(!config.isCorrection, "tilesim does not have WelfordFinalize with isCorrection yet"); \
      simulator::Run(simulator::WelfordFinalizeCall{outputMean, outputVariance, inputMean, inputVariance, \
                                                    COUNTS, scratch, para.rnLength, para.abLength,        \
                                                    para.headCount, para.headCountLength, para.tailCount, \
                                                    para.abRec, para.rRec, where});)
TILESIM_WELFORD_FINALIZE(counts, , const LocalTensor<int32_t>& counts)
TILESIM_WELFORD_FINALIZE({})
#undef TILESIM_WELFORD_FINALIZE

// [n, c, hw]: mean and variance of each of n * g groups of channels; gamma and beta of each channel.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false), GroupNorm,
                      (const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                       const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                       const LocalTensor<T>& gamma, const LocalTensor<T>& beta),
                      (const std::type_identity_t<T> epsilon, const tiling::GroupNormTiling& tiling),
                      simulator::Run(simulator::GroupNormCall{
                          tiling.n, tiling.c, tiling.hw, tiling.hwAlignSize, tiling.g, output, outputMean,
                          outputVariance, inputX, gamma, beta, simulator::AsFloat(epsilon), scratch, where});)

// [b, s, h]: mean and variance over b, of each of s * h; gamma and beta of each of b.
TILESIM_SCRATCH_FORMS((class T, bool isReuseSource = false, bool isBasicBlock = false), BatchNorm,
                      (const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                       const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                       const LocalTensor<T>& gamm, const LocalTensor<T>& beta),
                      (const std::type_identity_t<T> epsilon, const tiling::BatchNormTiling& tiling),
                      simulator::Run(simulator::BatchNormCall{
                          tiling.originalBLength, tiling.meanVarSize, output, outputMean, outputVariance,
                          inputX, gamm, beta, simulator::AsFloat(epsilon), scratch, where});)

}  // namespace AscendC

// MatmulConfig, how the Matmul object is to work, and the functions that make one. The names, the order of
// the members and the defaults are those of the public interface.
#pragma once

#include <cstdint>

#include "lib/matmul/matmul_types.h"

struct MatmulConfig {
  bool doNorm = false, doBasicBlock = false, doMultiDataLoad = false;
  uint32_t basicM = 0, basicN = 0, basicK = 0;
  bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
  uint32_t doMTE2Preload = 0;
  uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
  uint32_t stepM = 0, stepN = 0;
  uint32_t baseMN = 0, singleCoreMN = 0;
  bool enUnitFlag = true;
  bool isPerTensor = false;
  bool hasAntiQuantOffset = false;
  bool doIBShareNorm = false;
  bool doSpecialMDL = false;
  bool enableInit = true;
  AscendC::BatchMode batchMode = AscendC::BatchMode::NONE;
  bool enableEnd = true;
  bool enableGetTensorC = true;
  bool enableSetOrgShape = true;
  bool enableSetBias = true;
  bool enableSetTail = true;
  bool enableQuantVector = true;
  bool enableSetDefineData = true;
  uint8_t iterateMode = 0xFF;  // the bits of IterateMode that are used
  bool enableReuse = true;
  bool enableUBReuse = false;
  bool enableL1CacheUB = false;
  bool intraBlockPartSum = false;
  AscendC::IterateOrder iterateOrder = AscendC::IterateOrder::UNDEF;
  AscendC::ScheduleType scheduleType = AscendC::ScheduleType::INNER_PRODUCT;
  bool enableDoubleCache = false;
  bool isBiasBatch = true;
  bool enableStaticPadZeros = false;
  bool isPartialOutput = false;
  bool enableMixDualMaster = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool isCO1Shared = false;
  uint32_t sharedCO1BufferSize = 64 * 1024;
  AscendC::BatchOutMode bmmOutMode = AscendC::BatchOutMode::SINGLE_BATCH;
  bool enableL1BankConflictOptimise = false;
  bool enableRelu = false;
  uint8_t decompMode = 0;
};

enum class MatmulConfigMode { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

struct MatmulShapeParams {
  uint32_t singleCoreM, singleCoreN, singleCoreK;
  uint32_t basicM, basicN, basicK;
};
struct MatmulQuantParams {
  bool isPerTensor;
  bool hasAntiQuantOffset;
};
struct MatmulBatchParams {
  bool isNBatch;
  AscendC::BatchMode batchMode;
  bool isBiasBatch = true;
  AscendC::BatchOutMode bmmOutMode = AscendC::BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
  bool intrinsicsCheck, enVecND2NZ, enableDoubleCache, enableL1CacheUB;
  uint32_t doMTE2Preload;
  AscendC::IterateOrder iterateOrder;
  AscendC::ScheduleType scheduleType;
  bool enableReuse = true;
  bool enableUBReuse = false;
  bool isPartialOutput = false;
  bool isA2B2Shared = false;
  bool isEnableChannelSplit = false;
  bool enableKdimReorderLoad = false;
  bool enableL1BankConflictOptimise = false;
  bool enableRelu = false;
  uint8_t decompMode = 0;
};
struct MatmulBiasParams {
  bool enableSetBias;
};

namespace AscendC::simulator {

constexpr void Take(MatmulConfig& config, const MatmulShapeParams& params) {
  config.singleCoreM = params.singleCoreM;
  config.singleCoreN = params.singleCoreN;
  config.singleCoreK = params.singleCoreK;
  config.singleCoreMN = params.singleCoreM * params.singleCoreN;
  config.basicM = params.basicM;
  config.basicN = params.basicN;
  config.basicK = params.basicK;
  config.baseMN = params.basicM * params.basicN;
}
constexpr void Take(MatmulConfig& config, const MatmulQuantParams& params) {
  config.isPerTensor = params.isPerTensor;
  config.hasAntiQuantOffset = params.hasAntiQuantOffset;
}
constexpr void Take(MatmulConfig& config, const MatmulBatchParams& params) {
  config.isNBatch = params.isNBatch;
  config.batchMode = params.batchMode;
  config.isBiasBatch = params.isBiasBatch;
  config.bmmOutMode = params.bmmOutMode;
}
constexpr void Take(MatmulConfig& config, const MatmulFuncParams& params) {
  config.intrinsicsCheck = params.intrinsicsCheck;
  config.enVecND2NZ = params.enVecND2NZ;
  config.enableDoubleCache = params.enableDoubleCache;
  config.enableL1CacheUB = params.enableL1CacheUB;
  config.doMTE2Preload = params.doMTE2Preload;
  config.iterateOrder = params.iterateOrder;
  config.scheduleType = params.scheduleType;
  config.enableReuse = params.enableReuse;
  config.enableUBReuse = params.enableUBReuse;
  config.isPartialOutput = params.isPartialOutput;
  config.isA2B2Shared = params.isA2B2Shared;
  config.isEnableChannelSplit = params.isEnableChannelSplit;
  config.enableKdimReorderLoad = params.enableKdimReorderLoad;
  config.enableL1BankConflictOptimise = params.enableL1BankConflictOptimise;
  config.enableRelu = params.enableRelu;
  config.decompMode = params.decompMode;
}
constexpr void Take(MatmulConfig& config, const MatmulBiasParams& params) {
  config.enableSetBias = params.enableSetBias;
}

}  // namespace AscendC::simulator

constexpr MatmulConfig GetNormalConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const AscendC::BatchMode bmmMode = AscendC::BatchMode::BATCH_LESS_THAN_L1, const bool isMsgReuse = true,
    const AscendC::IterateOrder iterateOrder = AscendC::IterateOrder::UNDEF,
    const AscendC::ScheduleType scheduleType = AscendC::ScheduleType::INNER_PRODUCT,
    const bool enUnitFlag = true, const bool enableMixDualMaster = false,
    const AscendC::BatchOutMode bmmOutMode = AscendC::BatchOutMode::SINGLE_BATCH) {
  return {.doNorm = true,
          .intrinsicsCheck = intrinsicsLimit,
          .isNBatch = batchLoop,
          .enVecND2NZ = isVecND2NZ,
          .enUnitFlag = enUnitFlag,
          .batchMode = bmmMode,
          .enableReuse = isMsgReuse,
          .iterateOrder = iterateOrder,
          .scheduleType = scheduleType,
          .enableMixDualMaster = enableMixDualMaster,
          .bmmOutMode = bmmOutMode};
}
constexpr MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                    const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false,
                                    const bool isPerTensor = false, const bool hasAntiQuantOffset = false,
                                    const bool enUnitFlag = false, const bool isMsgReuse = true,
                                    const bool enableUBReuse = true, const bool enableL1CacheUB = false,
                                    const bool enableMixDualMaster = false,
                                    const bool enableKdimReorderLoad = false,
                                    const bool enableL1BankConflictOptimise = false) {
  return {.doMultiDataLoad = true,
          .intrinsicsCheck = intrinsicsLimit,
          .isNBatch = batchLoop,
          .enVecND2NZ = isVecND2NZ,
          .doMTE2Preload = doMTE2Preload,
          .enUnitFlag = enUnitFlag,
          .isPerTensor = isPerTensor,
          .hasAntiQuantOffset = hasAntiQuantOffset,
          .enableReuse = isMsgReuse,
          .enableUBReuse = enableUBReuse,
          .enableL1CacheUB = enableL1CacheUB,
          .enableMixDualMaster = enableMixDualMaster,
          .enableKdimReorderLoad = enableKdimReorderLoad,
          .enableL1BankConflictOptimise = enableL1BankConflictOptimise};
}
constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                           const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false,
                                           const bool isPerTensor = false,
                                           const bool hasAntiQuantOffset = false) {
  MatmulConfig config =
      GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
  config.doMultiDataLoad = false;
  config.doSpecialMDL = true;
  return config;
}
constexpr MatmulConfig GetIBShareNormConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const AscendC::BatchMode bmmMode = AscendC::BatchMode::BATCH_LESS_THAN_L1,
    const bool isDoubleCache = false, const bool enUnitFlag = true) {
  return {.intrinsicsCheck = intrinsicsLimit,
          .isNBatch = batchLoop,
          .enVecND2NZ = isVecND2NZ,
          .enUnitFlag = enUnitFlag,
          .doIBShareNorm = true,
          .batchMode = bmmMode,
          .enableDoubleCache = isDoubleCache};
}
constexpr MatmulConfig GetBasicConfig(
    const uint32_t basicM, const uint32_t basicN, const uint32_t basicK, const bool intrinsicsLimit = false,
    const bool batchLoop = false, const AscendC::BatchMode bmmMode = AscendC::BatchMode::BATCH_LESS_THAN_L1) {
  return {.doBasicBlock = true,
          .basicM = basicM,
          .basicN = basicN,
          .basicK = basicK,
          .intrinsicsCheck = intrinsicsLimit,
          .isNBatch = batchLoop,
          .baseMN = basicM * basicN,
          .batchMode = bmmMode};
}
constexpr MatmulConfig GetSpecialBasicConfig(
    const uint32_t basicM, const uint32_t basicN, const uint32_t basicK, const uint32_t singleCoreM,
    const uint32_t singleCoreN, const uint32_t singleCoreK, const uint32_t stepM, const uint32_t stepN,
    const bool intrinsicsLimit = false, const bool batchLoop = false,
    const AscendC::BatchMode bmmMode = AscendC::BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
  config.doBasicBlock = false;
  config.doSpecialBasicBlock = true;
  config.singleCoreM = singleCoreM;
  config.singleCoreN = singleCoreN;
  config.singleCoreK = singleCoreK;
  config.singleCoreMN = singleCoreM * singleCoreN;
  config.stepM = stepM;
  config.stepN = stepN;
  return config;
}
// A configuration of the mode, with what each of the arguments says: MatmulShapeParams, MatmulQuantParams,
// MatmulBatchParams, MatmulFuncParams, MatmulBiasParams, in any order.
template <MatmulConfigMode configMode, class... ArgTypes>
constexpr MatmulConfig GetMMConfig(ArgTypes&&... args) {
  MatmulConfig config = configMode == MatmulConfigMode::CONFIG_NORM         ? GetNormalConfig()
                        : configMode == MatmulConfigMode::CONFIG_MDL        ? GetMDLConfig()
                        : configMode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                                                                            : GetIBShareNormConfig();
  (AscendC::simulator::Take(config, args), ...);
  return config;
}

inline constexpr MatmulConfig CFG_NORM = GetNormalConfig();
inline constexpr MatmulConfig CFG_MDL = GetMDLConfig();
inline constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);
inline constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

namespace AscendC {
using ::CFG_IBSHARE_NORM, ::CFG_MDL, ::CFG_NORM, ::GetBasicConfig, ::GetIBShareNormConfig, ::GetMDLConfig,
    ::GetMMConfig, ::GetNormalConfig, ::GetSpecialBasicConfig, ::GetSpecialMDLConfig, ::MatmulBatchParams,
    ::MatmulBiasParams, ::MatmulConfig, ::MatmulConfigMode, ::MatmulFuncParams, ::MatmulQuantParams,
    ::MatmulShapeParams, ::MM_CFG_BB;
}  // namespace AscendC

// The fields of the tilings of the functions that normalise, for the structs that kernels see and the classes
// that hosts fill. Names and order are those of the documented API.
#pragma once

// clang-format off
// The source [b, s, h], of whose last axis the original part counts.
#define TILESIM_NORM_SHAPE_FIELDS(FIELD) \
  FIELD(uint32_t, bLength) FIELD(uint32_t, sLength) FIELD(uint32_t, hLength) \
  FIELD(uint32_t, originalHLength)
// Places in the scratch.
#define TILESIM_NORM_PLACE_FIELDS(FIELD) \
  FIELD(uint32_t, firstTmpStartPos) FIELD(uint32_t, secondTmpStartPos) FIELD(uint32_t, thirdTmpStartPos)
#define TILESIM_NORM_SCRATCH_FIELDS(FIELD) \
  FIELD(uint32_t, varianceTmpTensorPos) FIELD(uint32_t, varianceTmpTensorSize) FIELD(uint32_t, tmpBufSize) \
  FIELD(uint32_t, oneTmpSize) TILESIM_NORM_PLACE_FIELDS(FIELD) FIELD(uint32_t, loopRound) \
  FIELD(uint32_t, inputRoundSize) FIELD(uint32_t, inputTailSize) FIELD(uint32_t, inputTailPos) \
  FIELD(uint32_t, meanVarRoundSize) FIELD(uint32_t, meanVarTailSize) FIELD(uint32_t, meanVarTailPos)
// The sizes of the tensors, places in the scratch, and the parts of a call.
#define TILESIM_NORM_PARTS_FIELDS(FIELD) \
  FIELD(uint32_t, inputXSize) FIELD(uint32_t, meanVarSize) FIELD(uint32_t, numberOfTmpBuf) \
  FIELD(uint32_t, meanTmpTensorPos) FIELD(uint32_t, meanTmpTensorSize) TILESIM_NORM_SCRATCH_FIELDS(FIELD) \
  FIELD(uint32_t, bshCurLength) FIELD(uint32_t, bsCurLength)

#define TILESIM_LAYER_NORM_TILING_FIELDS(FIELD) \
  TILESIM_NORM_SHAPE_FIELDS(FIELD) TILESIM_NORM_PARTS_FIELDS(FIELD) FIELD(float, lastDimValueBack)
// The same of [a, r].
#define TILESIM_LAYER_NORM_SEPARATE_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, aLength) FIELD(uint32_t, rLength) FIELD(uint32_t, halfAddRepeatTimes) \
  FIELD(uint32_t, rHeadLength) FIELD(float, k2Rec) FIELD(float, k2RRec) FIELD(uint32_t, inputXSize) \
  FIELD(uint32_t, meanVarSize) FIELD(uint32_t, numberOfTmpBuf) TILESIM_NORM_SCRATCH_FIELDS(FIELD) \
  FIELD(uint32_t, arCurLength) FIELD(uint32_t, aCurLength) FIELD(float, rValueBack)
#define TILESIM_RMS_NORM_TILING_FIELDS(FIELD) \
  TILESIM_NORM_SHAPE_FIELDS(FIELD) FIELD(float, reciprocalOfHLength) FIELD(uint32_t, mainBshLength) \
  FIELD(uint32_t, mainBsLength) FIELD(uint32_t, mainBsLengthAlign) FIELD(uint32_t, loopRound) \
  FIELD(uint32_t, inputTailPos) FIELD(uint32_t, tailBshLength) FIELD(uint32_t, tailBsLength)
#define TILESIM_LAYER_NORM_GRAD_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, stackBufferSize) TILESIM_NORM_SHAPE_FIELDS(FIELD) FIELD(uint32_t, oneCalSize) \
  FIELD(uint32_t, nohCalSize) FIELD(uint32_t, loopNum) FIELD(uint32_t, tailSize) \
  FIELD(uint32_t, nohTailSize) FIELD(uint32_t, tmpTensorBSHPos) FIELD(uint32_t, tmpTensorBSHSize) \
  FIELD(uint32_t, pdVarTensorPos) FIELD(uint32_t, pdVarTensorSize) FIELD(uint32_t, pdMeanTensorPos) \
  FIELD(uint32_t, pdMeanTensorSize) FIELD(uint32_t, x1TensorPos) FIELD(uint32_t, x1TensorSize) \
  FIELD(uint32_t, x2TensorPos) FIELD(uint32_t, x2TensorSize) FIELD(uint32_t, x3TensorPos) \
  FIELD(uint32_t, x3TensorSize) FIELD(uint32_t, tmpTensorPos) FIELD(uint32_t, tmpTensorSize) \
  FIELD(uint32_t, tmpTensor1Pos) FIELD(uint32_t, tmpTensor1Size) FIELD(uint32_t, tmpTensor2Pos) \
  FIELD(uint32_t, tmpTensor2Size) FIELD(uint32_t, lastDimValueBack) FIELD(uint32_t, lastDimValueBackMulTwo)
#define TILESIM_LAYER_NORM_GRAD_BETA_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, stackBufferSize) TILESIM_NORM_SHAPE_FIELDS(FIELD) FIELD(uint32_t, bshLength) \
  FIELD(uint32_t, bsLength) FIELD(uint32_t, oneCalSize) FIELD(uint32_t, numberOfTmpBuf) \
  FIELD(uint32_t, loopRound) FIELD(uint32_t, inputTailSize) FIELD(uint32_t, inputTailPos) \
  FIELD(uint32_t, bsTailSize) FIELD(uint32_t, bshCurLength) FIELD(uint32_t, bsCurLength) \
  FIELD(uint32_t, gammaTempTensorPos) FIELD(uint32_t, betaTempTensorPos) \
  FIELD(uint32_t, inputDyTmpTensorPos) FIELD(uint32_t, resForGammaTmpTensorPos) FIELD(uint32_t, reserved)
// The source [n, c, hw] in g groups of d channels each, its last axis padded.
#define TILESIM_GROUP_NORM_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, n) FIELD(uint32_t, c) FIELD(uint32_t, hw) FIELD(uint32_t, g) FIELD(uint32_t, d) \
  FIELD(uint32_t, hwAlignSize) FIELD(uint32_t, dhwAlignSize) TILESIM_NORM_PARTS_FIELDS(FIELD) \
  FIELD(float, factor) FIELD(bool, smallShape)
// The source [b, s h].
#define TILESIM_BATCH_NORM_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, originalBLength) FIELD(uint32_t, meanVarSize) FIELD(uint32_t, meanTmpTensorPos) \
  FIELD(uint32_t, varianceTmpTensorPos) FIELD(uint32_t, tmpBufSize) FIELD(uint32_t, oneTmpSize) \
  TILESIM_NORM_PLACE_FIELDS(FIELD) FIELD(uint32_t, loopRound) FIELD(uint32_t, inputTailSize) \
  FIELD(uint32_t, inputTailPos) FIELD(uint32_t, meanVarTailSize) FIELD(uint32_t, meanVarTailPos) \
  FIELD(uint32_t, bshCurLength) FIELD(uint32_t, shCurLength) FIELD(float, firstDimValueBack) \
  FIELD(uint32_t, castHalfRepStride) FIELD(uint32_t, shCurLengthBlockNum) \
  FIELD(uint32_t, castHalfOutRepStride)
// clang-format on

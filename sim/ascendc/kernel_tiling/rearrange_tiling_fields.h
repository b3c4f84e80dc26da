// The fields of the tilings of TopK, the transpositions, Pad and UnPad, for the structs that kernels see and
// the classes that hosts fill.
#pragma once

// clang-format off
#define TILESIM_TOPK_TILING_FIELDS(FIELD) \
  FIELD(int32_t, tmpLocalSize) FIELD(int32_t, allDataSize) FIELD(int32_t, innerDataSize) \
  FIELD(uint32_t, sortRepeat) FIELD(int32_t, mrgSortRepeat) FIELD(int32_t, kAlignFourBytes) \
  FIELD(int32_t, kAlignTwoBytes) FIELD(int32_t, maskOffset) FIELD(int32_t, maskVreducev2FourBytes) \
  FIELD(int32_t, maskVreducev2TwoBytes) FIELD(int32_t, mrgSortSrc1offset) FIELD(int32_t, mrgSortSrc2offset) \
  FIELD(int32_t, mrgSortSrc3offset) FIELD(int32_t, mrgSortTwoQueueSrc1Offset) \
  FIELD(int32_t, mrgFourQueueTailPara1) FIELD(int32_t, mrgFourQueueTailPara2) FIELD(int32_t, srcIndexOffset) \
  FIELD(uint32_t, copyUbToUbBlockCount) FIELD(int32_t, topkMrgSrc1MaskSizeOffset) \
  FIELD(int32_t, topkNSmallSrcIndexOffset) FIELD(uint32_t, vreduceValMask0) FIELD(uint32_t, vreduceValMask1) \
  FIELD(uint32_t, vreduceIdxMask0) FIELD(uint32_t, vreduceIdxMask1) FIELD(uint16_t, vreducehalfValMask0) \
  FIELD(uint16_t, vreducehalfValMask1) FIELD(uint16_t, vreducehalfValMask2) \
  FIELD(uint16_t, vreducehalfValMask3) FIELD(uint16_t, vreducehalfValMask4) \
  FIELD(uint16_t, vreducehalfValMask5) FIELD(uint16_t, vreducehalfValMask6) \
  FIELD(uint16_t, vreducehalfValMask7)
#define TILESIM_CONFUSION_TRANSPOSE_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, param0) FIELD(uint32_t, param1) FIELD(uint32_t, param2) FIELD(uint32_t, param3) \
  FIELD(uint32_t, param4) FIELD(uint32_t, param5) FIELD(uint32_t, param6) FIELD(uint32_t, param7) \
  FIELD(uint32_t, param8) FIELD(uint32_t, param9) FIELD(uint32_t, param10) FIELD(uint32_t, param11) \
  FIELD(uint32_t, param12) FIELD(uint32_t, param13) FIELD(uint32_t, param14) FIELD(uint32_t, param15) \
  FIELD(uint32_t, param16) FIELD(uint32_t, param17)
#define TILESIM_PAD_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, srcHeight) FIELD(uint32_t, srcWidth) FIELD(uint32_t, srcOriWidth) \
  FIELD(uint32_t, widthWithoutLastBlock) FIELD(uint32_t, blocksPerRow) FIELD(uint32_t, heightTiles) \
  FIELD(uint32_t, heightFractal) FIELD(uint32_t, mainLoopCount) FIELD(uint32_t, tailHeight)
#define TILESIM_UNPAD_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, srcHeight) FIELD(uint32_t, srcWidth)
// clang-format on

// The fields of the tilings of the softmax family, for the struct that kernels see and the class that hosts
// fill. Names and order are those of the documented API.
#pragma once

// clang-format off
// Rows and columns of the source and of the results, and of the parts that a call works on at a time.
#define TILESIM_SOFTMAX_TILING_FIELDS(FIELD) \
  FIELD(uint32_t, srcM) FIELD(uint32_t, srcK) FIELD(uint32_t, srcSize) \
  FIELD(uint32_t, outMaxM) FIELD(uint32_t, outMaxK) FIELD(uint32_t, outMaxSize) \
  FIELD(uint32_t, splitM) FIELD(uint32_t, splitK) FIELD(uint32_t, splitSize) \
  FIELD(uint32_t, reduceM) FIELD(uint32_t, reduceK) FIELD(uint32_t, reduceSize) \
  FIELD(uint32_t, rangeM) FIELD(uint32_t, tailM) FIELD(uint32_t, tailSplitSize) \
  FIELD(uint32_t, tailReduceSize)
// clang-format on

#pragma once
// Tiling data of the Matmul object as kernels receive it. Field names, order and byte layout are those of the
// documented API, to the letter. Counts are elements where nothing else is said. The struct knows nothing of
// planning or legality.
#include <cstddef>
#include <cstdint>

// The fields in their order, each an int32_t, for the struct below and for the host's class of the same
// bytes:
//   usedCoreNum                cores that take part
//   M, N, Ka, Kb               the whole problem
//   singleCoreM, N, K          the part of one core
//   baseM, baseN, baseK        the block of one Mmad
//   depthA1, depthB1           base blocks of A and of B that L1 holds
//   stepM, stepN, stepKa, ...  base blocks of one L1 buffer along M, N, and along K of A and of B
//   isBias                     1: a bias is added
//   transLength                bytes of UB scratch
//   iterateOrder               0: all of M of one column of blocks first; 1: all of N of one row
//   shareL1Size, ...           bytes of each memory that the tiling takes
//   dbL0A, dbL0B, dbL0C        buffers: 1 or 2
//   ALayoutInfoB ...           the axes of batches; BatchNum: products of one IterateBatch
//   mxTypePara                 of other parts; shareMode, batchM to singleBatchN, ...CacheUB are reserved
// clang-format off
#define TILESIM_CUBE_TILING_FIELDS(FIELD) \
  FIELD(usedCoreNum) \
  FIELD(M) FIELD(N) FIELD(Ka) FIELD(Kb) \
  FIELD(singleCoreM) FIELD(singleCoreN) FIELD(singleCoreK) \
  FIELD(baseM) FIELD(baseN) FIELD(baseK) \
  FIELD(depthA1) FIELD(depthB1) FIELD(stepM) FIELD(stepN) \
  FIELD(isBias) FIELD(transLength) FIELD(iterateOrder) \
  FIELD(shareMode) FIELD(shareL1Size) FIELD(shareL0CSize) FIELD(shareUbSize) \
  FIELD(batchM) FIELD(batchN) FIELD(singleBatchM) FIELD(singleBatchN) \
  FIELD(stepKa) FIELD(stepKb) \
  FIELD(depthAL1CacheUB) FIELD(depthBL1CacheUB) \
  FIELD(dbL0A) FIELD(dbL0B) FIELD(dbL0C) \
  FIELD(ALayoutInfoB) FIELD(ALayoutInfoS) FIELD(ALayoutInfoN) FIELD(ALayoutInfoG) FIELD(ALayoutInfoD) \
  FIELD(BLayoutInfoB) FIELD(BLayoutInfoS) FIELD(BLayoutInfoN) FIELD(BLayoutInfoG) FIELD(BLayoutInfoD) \
  FIELD(CLayoutInfoB) FIELD(CLayoutInfoS1) FIELD(CLayoutInfoN) FIELD(CLayoutInfoG) FIELD(CLayoutInfoS2) \
  FIELD(BatchNum) FIELD(mxTypePara)
// clang-format on

namespace AscendC::tiling {

struct TCubeTiling {
#define TILESIM_CUBE_TILING_FIELD(NAME) int32_t NAME = 0;
  TILESIM_CUBE_TILING_FIELDS(TILESIM_CUBE_TILING_FIELD)
#undef TILESIM_CUBE_TILING_FIELD
};

static_assert(sizeof(TCubeTiling) == 200);
static_assert(offsetof(TCubeTiling, isBias) == 15 * 4);
static_assert(offsetof(TCubeTiling, stepKa) == 26 * 4);
static_assert(offsetof(TCubeTiling, ALayoutInfoB) == 33 * 4);
static_assert(offsetof(TCubeTiling, mxTypePara) == 49 * 4);

}  // namespace AscendC::tiling

using AscendC::tiling::TCubeTiling;

#pragma once
// Tiling data of the Matmul object as kernels receive it. Field names, order and byte layout are those of the
// documented API, to the letter. Counts are elements where nothing else is said. The struct knows nothing of
// planning or legality.
#include <cstddef>
#include <cstdint>

// The fields in their order, for the struct below and for what the host's class of it sets:
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
  FIELD(int32_t, usedCoreNum) \
  FIELD(int32_t, M) FIELD(int32_t, N) FIELD(int32_t, Ka) FIELD(int32_t, Kb) \
  FIELD(int32_t, singleCoreM) FIELD(int32_t, singleCoreN) FIELD(int32_t, singleCoreK) \
  FIELD(int32_t, baseM) FIELD(int32_t, baseN) FIELD(int32_t, baseK) \
  FIELD(int32_t, depthA1) FIELD(int32_t, depthB1) FIELD(int32_t, stepM) FIELD(int32_t, stepN) \
  FIELD(int32_t, isBias) FIELD(int32_t, transLength) FIELD(int32_t, iterateOrder) \
  FIELD(int32_t, shareMode) FIELD(int32_t, shareL1Size) FIELD(int32_t, shareL0CSize) FIELD(int32_t, shareUbSize) \
  FIELD(int32_t, batchM) FIELD(int32_t, batchN) FIELD(int32_t, singleBatchM) FIELD(int32_t, singleBatchN) \
  FIELD(int32_t, stepKa) FIELD(int32_t, stepKb) \
  FIELD(int32_t, depthAL1CacheUB) FIELD(int32_t, depthBL1CacheUB) \
  FIELD(int32_t, dbL0A) FIELD(int32_t, dbL0B) FIELD(int32_t, dbL0C) \
  FIELD(int32_t, ALayoutInfoB) FIELD(int32_t, ALayoutInfoS) FIELD(int32_t, ALayoutInfoN) FIELD(int32_t, ALayoutInfoG) FIELD(int32_t, ALayoutInfoD) \
  FIELD(int32_t, BLayoutInfoB) FIELD(int32_t, BLayoutInfoS) FIELD(int32_t, BLayoutInfoN) FIELD(int32_t, BLayoutInfoG) FIELD(int32_t, BLayoutInfoD) \
  FIELD(int32_t, CLayoutInfoB) FIELD(int32_t, CLayoutInfoS1) FIELD(int32_t, CLayoutInfoN) FIELD(int32_t, CLayoutInfoG) FIELD(int32_t, CLayoutInfoS2) \
  FIELD(int32_t, BatchNum) FIELD(int32_t, mxTypePara)
// clang-format on

namespace AscendC::tiling {

struct TCubeTiling {
#define TILESIM_CUBE_TILING_FIELD(TYPE, NAME) TYPE NAME = 0;
  TILESIM_CUBE_TILING_FIELDS(TILESIM_CUBE_TILING_FIELD)
#undef TILESIM_CUBE_TILING_FIELD
};
// Calls visit(name, field) for each field.
template <class Visit>
void VisitTilingFields(TCubeTiling& tiling, const Visit& visit) {
#define TILESIM_CUBE_TILING_FIELD(TYPE, NAME) visit(#NAME, tiling.NAME);
  TILESIM_CUBE_TILING_FIELDS(TILESIM_CUBE_TILING_FIELD)
#undef TILESIM_CUBE_TILING_FIELD
}

static_assert(sizeof(TCubeTiling) == 200);
static_assert(offsetof(TCubeTiling, isBias) == 15 * 4);
static_assert(offsetof(TCubeTiling, stepKa) == 26 * 4);
static_assert(offsetof(TCubeTiling, ALayoutInfoB) == 33 * 4);
static_assert(offsetof(TCubeTiling, mxTypePara) == 49 * 4);

}  // namespace AscendC::tiling

using AscendC::tiling::TCubeTiling;

#pragma once
// Tiling data of the Matmul object as kernels receive it. Field names, order and byte layout are those of the
// documented API, to the letter. Counts are elements where nothing else is said. The struct knows nothing of
// planning or legality.
#include <cstddef>
#include <cstdint>

namespace AscendC::tiling {

#pragma pack(push, 8)

struct TCubeTiling {
  int32_t usedCoreNum = 0;  // cores that take part
  // the whole problem
  int32_t M = 0;
  int32_t N = 0;
  int32_t Ka = 0;
  int32_t Kb = 0;
  // the part of one core
  int32_t singleCoreM = 0;
  int32_t singleCoreN = 0;
  int32_t singleCoreK = 0;
  // the block of one Mmad
  int32_t baseM = 0;
  int32_t baseN = 0;
  int32_t baseK = 0;
  // base blocks of A and of B that L1 holds, and of one L1 buffer along M and N
  int32_t depthA1 = 0;
  int32_t depthB1 = 0;
  int32_t stepM = 0;
  int32_t stepN = 0;
  int32_t isBias = 0;
  int32_t transLength = 0;   // bytes of UB scratch
  int32_t iterateOrder = 0;  // 0: all of M of one column of blocks first; 1: all of N of one row
  // reserved; bytes of the memories that the tiling may take
  int32_t shareMode = 0;
  int32_t shareL1Size = 0;
  int32_t shareL0CSize = 0;
  int32_t shareUbSize = 0;
  // reserved
  int32_t batchM = 0;
  int32_t batchN = 0;
  int32_t singleBatchM = 0;
  int32_t singleBatchN = 0;
  // base blocks of one L1 buffer along K
  int32_t stepKa = 0;
  int32_t stepKb = 0;
  // reserved
  int32_t depthAL1CacheUB = 0;
  int32_t depthBL1CacheUB = 0;
  // buffers: 1 or 2
  int32_t dbL0A = 0;
  int32_t dbL0B = 0;
  int32_t dbL0C = 0;
  // the axes of batches
  int32_t ALayoutInfoB = 0;
  int32_t ALayoutInfoS = 0;
  int32_t ALayoutInfoN = 0;
  int32_t ALayoutInfoG = 0;
  int32_t ALayoutInfoD = 0;
  int32_t BLayoutInfoB = 0;
  int32_t BLayoutInfoS = 0;
  int32_t BLayoutInfoN = 0;
  int32_t BLayoutInfoG = 0;
  int32_t BLayoutInfoD = 0;
  int32_t CLayoutInfoB = 0;
  int32_t CLayoutInfoS1 = 0;
  int32_t CLayoutInfoN = 0;
  int32_t CLayoutInfoG = 0;
  int32_t CLayoutInfoS2 = 0;
  int32_t BatchNum = 0;
  int32_t mxTypePara = 0;  // of other parts
};

#pragma pack(pop)

static_assert(sizeof(TCubeTiling) == 200);
static_assert(offsetof(TCubeTiling, isBias) == 15 * 4);
static_assert(offsetof(TCubeTiling, stepKa) == 26 * 4);
static_assert(offsetof(TCubeTiling, ALayoutInfoB) == 33 * 4);
static_assert(offsetof(TCubeTiling, mxTypePara) == 49 * 4);

}  // namespace AscendC::tiling

using AscendC::tiling::TCubeTiling;

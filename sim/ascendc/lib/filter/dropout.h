// DropOut: of each row of srcLastAxis elements those stay that the mask has, divided by keepProb; the others
// are 0. half, float.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

struct DropOutShapeInfo {
  uint32_t firstAxis = 0;     // rows
  uint32_t srcLastAxis = 0;   // elements of a row of src and dst
  uint32_t maskLastAxis = 0;  // bytes of a row of the mask
};

namespace simulator {

struct DropOutCall {
  LibraryOperand dst;
  LibraryOperand src;
  LocalTensor<uint8_t> mask;
  const LocalTensor<uint8_t>* scratch;
  float keep_prob;
  DropOutShapeInfo shape;
  uint32_t mode;
  SourceLine where;
};
void RunDropOut(const DropOutCall& call);

}  // namespace simulator

// dropOutMode: 1 and 2, a byte an element, rows of the mask as long as those of src, and longer; 3 and 4, a
// bit an element, rows as long, and longer; 0: 1, 2 or 3 as the lengths of rows say, else 4.
TILESIM_SCRATCH_FORMS((class T, bool isInitBitMode = false, uint32_t dropOutMode = 0), DropOut,
                      (const LocalTensor<T>& dst, const LocalTensor<T>& src,
                       const LocalTensor<uint8_t>& mask),
                      (const float keepProb, const DropOutShapeInfo& info),
                      static_assert(dropOutMode <= 4, "DropOut: dropOutMode is 0 to 4");
                      simulator::RunDropOut({dst, src, mask, scratch, keepProb, info, dropOutMode, where});)

}  // namespace AscendC

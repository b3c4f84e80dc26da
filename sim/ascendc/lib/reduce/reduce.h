// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceAny and ReduceAll over an axis, and Sum and
// Mean of rows; pipe V. On a cube core all do nothing.
//
// src: srcShape[0] rows of srcShape[1] columns. AR: over the columns, dst has a number for each row, one
// behind the other; RA: over the rows, dst has one for each column. Rows begin at multiples of 32 bytes:
// srcInnerPad says so of columns that do not fill data blocks. Sums and products are made in fp32. AR: of
// each row 64 lanes one by one, then these. RA: row by row; of fp32 without padding each n-th row, then
// halves of these n, where n is the largest power of two of rows that 512 elements, the matrix and the
// scratch have. ReduceAny and ReduceAll give 1 or 0: is any, are all elements not 0? isReuseSource changes
// nothing here.
#pragma once

#include <type_traits>

#include "sim/ascendc/absent.h"
#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

namespace Pattern::Reduce {
struct AR {};
struct RA {};
}  // namespace Pattern::Reduce

// The first `n` of each of `outter` rows that are `inner` elements apart.
struct SumParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};
struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};

namespace simulator {

using tilesim::library::Reduction;

struct ReductionCall {
  const char* name;
  Reduction op;
  bool over_rows;
  LibraryOperand dst;
  LibraryOperand src;
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given
  uint32_t rows;
  uint32_t columns;
  uint32_t width;  // elements from row to row
  SourceLine where;
};
void Run(const ReductionCall& call);
// Elements of a row that is padded to whole data blocks.
uint32_t PaddedWidth(uint32_t type_bytes, uint32_t columns);

template <class T, class pattern>
void RunReduction(const char* name, Reduction op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                  const LocalTensor<uint8_t>* scratch, const uint32_t shape[], bool inner_pad,
                  SourceLine where) {
  constexpr bool kOverRows = std::is_same_v<pattern, Pattern::Reduce::RA>;
  static_assert(kOverRows || std::is_same_v<pattern, Pattern::Reduce::AR>,
                "reductions take Pattern::Reduce::AR or Pattern::Reduce::RA");
  Run(ReductionCall{name, op, kOverRows, dst, src, scratch, shape[0], shape[1],
                    inner_pad ? PaddedWidth(sizeof(T), shape[1]) : shape[1], where});
}

// Types that the documents name for a call.
template <class T>
concept ReducedBits = std::is_same_v<T, uint8_t> || std::is_same_v<T, float>;
template <class T>
concept ReducedNumbers = std::is_same_v<T, half> || std::is_same_v<T, float>;

}  // namespace simulator

#define TILESIM_REDUCTION(NAME, KIND, TYPES)                                                                \
  TILESIM_SCRATCH_FORMS(                                                                                    \
      (class T, class pattern, bool isReuseSource = false), NAME,                                           \
      (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor),                                   \
      (const uint32_t srcShape[], bool srcInnerPad),                                                        \
      static_assert(simulator::TYPES<T>, #NAME " with a pattern does not take this type on this part");     \
      simulator::RunReduction<T, pattern>(#NAME, simulator::Reduction::KIND, dstTensor, srcTensor, scratch, \
                                          srcShape, srcInnerPad, where);)

TILESIM_REDUCTION(ReduceSum, kSum, ReducedNumbers)
TILESIM_REDUCTION(ReduceMean, kMean, ReducedNumbers)
TILESIM_REDUCTION(ReduceMax, kMax, ReducedNumbers)
TILESIM_REDUCTION(ReduceMin, kMin, ReducedNumbers)
TILESIM_REDUCTION(ReduceProd, kProd, ReducedNumbers)
TILESIM_REDUCTION(ReduceAny, kAny, ReducedBits)
TILESIM_REDUCTION(ReduceAll, kAll, ReducedBits)
#undef TILESIM_REDUCTION

#define TILESIM_ROW_SUM(TEMPLATE, NAME, KIND, PARAMS)                                                       \
  TILESIM_SCRATCH_FORMS(TEMPLATE, NAME, (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor), \
                        (const PARAMS& params),                                                             \
                        static_assert(reduceDim == -1, #NAME " goes over the last axis: reduceDim -1");     \
                        simulator::Run(simulator::ReductionCall{                                            \
                            #NAME, simulator::Reduction::KIND, false, dstTensor, srcTensor, scratch,        \
                            params.outter, params.n, params.inner, where});)
TILESIM_ROW_SUM((class T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false), Sum,
                kSum, SumParams)
// accType: of sums on the device; here they are fp32 in any case.
TILESIM_ROW_SUM((class T, class accType = T, bool isReuseSource = false, bool isBasicBlock = false,
                 int32_t reduceDim = -1),
                Mean, kMean, MeanParams)
#undef TILESIM_ROW_SUM

template <class T, class... Arguments>
void ReduceXorSum(const LocalTensor<T>&, const Arguments&...) {
  static_assert(simulator::kHere<T>, "tilesim does not have ReduceXorSum yet; use Xor, Cast and ReduceSum");
}

}  // namespace AscendC

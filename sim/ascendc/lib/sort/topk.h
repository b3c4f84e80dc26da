// TopK: of each of `outter` rows of half or float its k largest or least elements, in their order, and their
// places; pipe V. On a cube core it does nothing.
//
// Of equal elements the one in front comes first. A row has `inner` elements, a multiple of 32 up to 4096, of
// which the first n count. TOPK_NORMAL: results of a row begin at multiples of 32 bytes. TOPK_NSMALL: inner
// is 32, and results of rows lie one behind the other. isInitIndex: srcIndex has the elements' places, of one
// row for all (TOPK_NORMAL) or of each row; else they are counted from 0. isHasfinish: rows whose `finish` is
// true get place n in all k.
#pragma once

#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/sort/topk_mode.h"

namespace AscendC {

struct TopKInfo {
  int32_t outter = 1;
  int32_t inner;
  int32_t n;
};

namespace simulator {

struct TopKCall {
  LibraryOperand dst;
  LocalTensor<int32_t> places;
  LibraryOperand src;
  LocalTensor<int32_t> src_places;
  LocalTensor<bool> finish;
  const LocalTensor<uint8_t>* scratch;  // nullptr: none is given
  uint32_t k;
  TopKInfo shape;
  bool largest;
  bool has_places;
  bool has_finish;
  bool small;
  SourceLine where;
};
void Run(const TopKCall& call);

}  // namespace simulator

TILESIM_SCRATCH_FORMS((class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
                       TopKMode topkMode = TopKMode::TOPK_NORMAL),
                      TopK,
                      (const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                       const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                       const LocalTensor<bool>& finishLocal),
                      (const int32_t k, const tiling::TopkTiling& /*tiling*/, const TopKInfo& topKInfo,
                       const bool isLargest = true),
                      simulator::Run(simulator::TopKCall{
                          dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal, scratch,
                          static_cast<uint32_t>(k), topKInfo, isLargest, isInitIndex, isHasfinish,
                          topkMode == TopKMode::TOPK_NSMALL, where});)

}  // namespace AscendC

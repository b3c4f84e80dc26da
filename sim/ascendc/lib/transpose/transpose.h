// Transpose and ConfusionTranspose with a tiling, Pad, UnPad, CumSum and Broadcast; pipe V. On a cube core
// all do nothing.
#pragma once

#include <array>
#include <type_traits>

#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/transpose/rearrange_call.h"

namespace AscendC {

struct PadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};
struct UnPadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};

// Of TransData.
struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};
template <class U, class S>
struct TransDataParams {
  const U srcLayout;
  const S dstLayout;
};

// Of parts that add in several orders; here each element is added to the sum of those before it.
enum class CumSumAlgorithm : uint8_t {
  CUMSUM_ALGORITHM_INVALID,
  CUMSUM_ALGORITHM_LINEBYLINE,
  CUMSUM_ALGORITHM_SKLANSKY
};
struct CumSumConfig {
  bool isLastAxis = true;
  bool isReuseSource = false;
  bool outputLastRow = false;
  CumSumAlgorithm algorithm = CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE;
};
inline constexpr CumSumConfig defaultCumSumConfig = {};
struct CumSumInfo {
  uint32_t outter = 0;
  uint32_t inner = 0;
};

// Layouts, of elements of 2 and 4 bytes; NZ has the last axis in chunks of 16 columns, each with all of the
// axis before it. The host's shape is [b, a1, a2, a3] for 0213, [b, n, s, h / n] for 012, [height, width] for
// ND2ND_ONLY; its last two axes are multiples of 16, the height one of 32 bytes.
//   NZ2ND_0213, NZ2NZ_0213: [b, a1, a2, a3] in NZ becomes [b, a2, a1, a3] in ND or NZ
//   ..._012_WITH_N: [b, n, s, h / n] in NZ becomes [b, s, h]; ..._012_WITHOUT_N: [b, s, h] in NZ becomes [b,
//   n, s, h / n] ND2ND_ONLY: [height, width] becomes [width, height]
//
// Of the tiling's words param0 is the type, param1 to param4 are the extents. Without a type it is not
// filled, or for another one.
#define TILESIM_TRANSPOSE(NAME)                                                                          \
  TILESIM_SCRATCH_FORMS(                                                                                 \
      (class T), NAME, (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor),               \
      (TransposeType transposeType, const tiling::ConfusionTransposeTiling& tiling),                     \
      const bool filled = tiling.param0 == static_cast<uint32_t>(transposeType);                         \
      const std::array<uint32_t, 4> extents = {filled ? tiling.param1 : 0, tiling.param2, tiling.param3, \
                                               tiling.param4};                                           \
      simulator::Run(simulator::TransposeCall{dstTensor, srcTensor, scratch, transposeType,              \
                                              static_cast<TransposeType>(tiling.param0), extents, where});)
TILESIM_TRANSPOSE(Transpose)
TILESIM_TRANSPOSE(ConfusionTranspose)  // the earlier name
#undef TILESIM_TRANSPOSE
template <const auto& config, class T, class U, class S>
void TransData(const LocalTensor<T>&, const LocalTensor<T>&, const TransDataParams<U, S>&) {
  static_assert(simulator::kHere<T, U, S>,
                "tilesim does not model TransData yet; use TransDataTo5HD, or Transpose with a tiling");
}
template <const auto& config, class T, class U, class S>
void TransData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&,
               const TransDataParams<U, S>& params) {
  TransData<config>(dst, src, params);
}

// Each row of srcHeight x srcOriWidth elements of 2 or 4 bytes, srcWidth apart, between so many numbers; rows
// of dst are whole blocks of 32 bytes, those of src need not be.
TILESIM_SCRATCH_FORMS(
    (class T), Pad,
    (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const PadParams& padParams),
    (const tiling::PadTiling& tiling),
    simulator::Run(simulator::PadCall{dstTensor, srcTensor, scratch, tiling.srcHeight, tiling.srcWidth,
                                      tiling.srcOriWidth, padParams.leftPad, padParams.rightPad,
                                      padParams.padValue, where});)
// The opposite: what is left of the rows lies one behind the other. leftPad is whole blocks of 32 bytes. The
// scratch is not used.
TILESIM_SCRATCH_FORMS(
    (class T), UnPad,
    (const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const UnPadParams& unPadParams),
    (const tiling::UnPadTiling& tiling),
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "UnPad takes elements of 2 and 4 bytes");
    simulator::Run(simulator::UnPadCall{dstTensor, srcTensor, tiling.srcHeight, tiling.srcWidth,
                                        unPadParams.leftPad, unPadParams.rightPad, where});)

// Of outter x inner elements of half or float the sums up to each, along the rows or (isLastAxis false) down
// the columns, in fp32. outputLastRow: the last row of dst once more. inner is whole blocks of 32 bytes.
TILESIM_SCRATCH_FORMS(
    (class T, const CumSumConfig& config = defaultCumSumConfig), CumSum,
    (const LocalTensor<T>& dstTensor, const LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor),
    (const CumSumInfo& cumSumInfo),
    simulator::Run(simulator::CumSumCall{dstTensor, lastRowTensor, srcTensor, scratch, cumSumInfo.outter,
                                         cumSumInfo.inner, config.isLastAxis, config.outputLastRow, where});)

namespace simulator {

template <int32_t dim, int32_t axis>
void RunBroadcast(const LibraryOperand& dst, const LibraryOperand& src, const uint32_t dstShape[],
                  const uint32_t srcShape[], const LocalTensor<uint8_t>* scratch, SourceLine where) {
  static_assert(dim == 1 || dim == 2, "Broadcast has 1 or 2 axes");
  static_assert(axis == 0 || axis == 1, "Broadcast goes along axis 0 or 1");
  constexpr bool kOfRows = dim == 1 || axis == 1;
  const uint32_t rows = dim == 1 ? 1 : dstShape[0];
  const uint32_t other = dim == 1 ? 1 : srcShape[1 - axis];
  if (const LibraryCall library("Broadcast", where); tilesim::Core* const core = library.core()) {
    core->Require(srcShape[dim == 1 ? 0 : axis] == 1 && (dim == 1 || other == dstShape[1 - axis]),
                  tilesim::FaultKind::kMisuse, "srcShape", "is no shape that becomes dstShape along axis ",
                  axis, ": that axis is 1, the other as in dst");
  }
  Run(BroadcastCall{dst, src, scratch, rows, dstShape[dim - 1], kOfRows, where});
}

}  // namespace simulator

// dst has src's elements along axis 0 ([1, n] becomes [m, n]) or 1 ([m, 1] becomes [m, n]); of one axis, [1]
// becomes [n]. Of several rows the last axis of dst is whole blocks of 32 bytes.
#define TILESIM_BROADCAST(NAME)                                                                      \
  TILESIM_SCRATCH_FORMS(                                                                             \
      (class T, int32_t dim, int32_t axis, bool isReuseSource = false), NAME,                        \
      (const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim], \
       const uint32_t srcShape[dim]),                                                                \
      (), simulator::RunBroadcast<dim, axis>(dstLocal, srcLocal, dstShape, srcShape, scratch, where);)
TILESIM_BROADCAST(Broadcast)
TILESIM_BROADCAST(BroadCast)  // the earlier name
#undef TILESIM_BROADCAST

}  // namespace AscendC

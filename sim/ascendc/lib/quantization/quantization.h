// Quantisation: AscendQuant to int8_t, AscendDequant from int32_t, AscendAntiQuant from int8_t and int4b_t.
#pragma once

#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC {

struct AscendQuantConfig {
  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

// SINGLE_ROW: one row whose length is a multiple of calCount is as many rows of calCount elements.
enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
// Of m rows of n elements the first calCount of each.
struct DequantParams {
  uint32_t m;
  uint32_t n;
  uint32_t calCount;
};
// 0: as the sizes of the tensors say.
struct AntiQuantShapeInfo {
  uint32_t offsetHeight = 0;
  uint32_t offsetWidth = 0;
  uint32_t scaleHeight = 0;
  uint32_t scaleWidth = 0;
};

namespace simulator {

// Tensors of rows, and for each column a scale and an offset; or the same numbers for all.
struct QuantCall {
  LibraryOperand dst;
  LibraryOperand src;
  LibraryOperand scale;
  LibraryOperand offset;
  uint32_t rows;
  uint32_t columns;
  const LocalTensor<uint8_t>* scratch;
  SourceLine where;
};
// Of `count` elements, whole rows of call.columns; `offsets`: the number of offsets of a row.
void RunQuant(QuantCall call, uint32_t count, uint32_t offsets);
// `count`: elements of a row that are taken.
void RunDequant(QuantCall call, uint32_t count, bool single_row);
// All of src: k rows, with `transposed` k columns. `groups`: scales and offsets of a column, one for so many
// rows one behind the other, 0: as many as the scale holds; with `transposed` they are those of a row.
void RunAntiQuant(QuantCall call, uint32_t k, uint32_t groups, bool transposed);

template <class P>
inline constexpr bool kIsNumber = std::is_constructible_v<float, P>;
// A scale or an offset: a number, or a tensor with one for each column.
template <class P, class T>
concept QuantParameter = std::is_same_v<P, LocalTensor<T>> || kIsNumber<P>;
template <class P>
LibraryOperand OperandOf(const P& parameter) {
  if constexpr (kIsNumber<P>) {
    return LibraryOperand::Number<float>(static_cast<float>(parameter));
  } else {
    return parameter;
  }
}
template <class P>
uint32_t ColumnsOf(const P& scale, uint32_t all) {
  if constexpr (kIsNumber<P>) {
    return all;
  } else {
    return scale.GetSize();
  }
}

}  // namespace simulator

// dst = src * scale + offset, to the nearest whole number, of two the even one, saturating; src: half, float.
// The scale and the offset are numbers, or tensors with one for each of scaleCount columns, which offsetCount
// is, too; calCount elements, a multiple of that, are taken.
#define TILESIM_QUANT_FORM(SCRATCH, COUNTS, COLUMNS, OFFSETS, COUNT, ...)                                    \
  template <class T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG, \
            simulator::QuantParameter<T> S, simulator::QuantParameter<T> O>                                  \
  void AscendQuant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, __VA_ARGS__ const S& scale,    \
                   const O& offset TILESIM_EXPAND COUNTS, SourceLine where = SourceLine::Here()) {           \
    const uint32_t columns = COLUMNS;                                                                        \
    simulator::RunQuant(                                                                                     \
        {dst, src, simulator::OperandOf(scale), simulator::OperandOf(offset), 0, columns, SCRATCH, where},   \
        COUNT, OFFSETS);                                                                                     \
  }
#define TILESIM_QUANT(SCRATCH, ...)                                                                        \
  TILESIM_QUANT_FORM(SCRATCH, (), simulator::ColumnsOf(scale, src.GetSize()), columns, src.GetSize(),      \
                     __VA_ARGS__)                                                                          \
  TILESIM_QUANT_FORM(SCRATCH, (, const uint32_t calCount), simulator::ColumnsOf(scale, calCount), columns, \
                     calCount, __VA_ARGS__)                                                                \
  TILESIM_QUANT_FORM(SCRATCH, (, const uint32_t scaleCount, const uint32_t calCount), scaleCount, columns, \
                     calCount, __VA_ARGS__)                                                                \
  TILESIM_QUANT_FORM(SCRATCH,                                                                              \
                     (, const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount),   \
                     scaleCount, offsetCount, calCount, __VA_ARGS__)
#define TILESIM_EXPAND(...) __VA_ARGS__
TILESIM_QUANT(&sharedTmpBuffer, const LocalTensor<uint8_t>& sharedTmpBuffer, )
TILESIM_QUANT(nullptr, )
#undef TILESIM_QUANT
#undef TILESIM_QUANT_FORM
#undef TILESIM_EXPAND

// dst = src * deqScale, one for each of calCount columns; rows of dst begin at multiples of 32 bytes, those
// of src, too. dst: half with uint64_t scales (fp32 in the low bits), float and bfloat16_t with float and
// bfloat16_t ones. With a count, or without, of one row: as many rows of the scale.
template <class D, class S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& deqScale,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, DequantParams params,
                   SourceLine where = SourceLine::Here()) {
  simulator::RunDequant(
      {dst, src, deqScale, {}, params.m, params.n, simulator::Given(sharedTmpBuffer), where}, params.calCount,
      mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW);
}
template <class D, class S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& deqScale,
                   DequantParams params, SourceLine where = SourceLine::Here()) {
  AscendDequant<D, S, mode>(dst, src, deqScale, simulator::kNoScratch, params, where);
}
template <class D, class S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& deqScale,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
                   SourceLine where = SourceLine::Here()) {
  AscendDequant(dst, src, deqScale, sharedTmpBuffer, DequantParams{1, src.GetSize(), calCount}, where);
}
template <class D, class S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& deqScale,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, SourceLine where = SourceLine::Here()) {
  AscendDequant(dst, src, deqScale, sharedTmpBuffer, deqScale.GetSize(), where);
}
template <class D, class S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& deqScale,
                   const uint32_t calCount, SourceLine where = SourceLine::Here()) {
  AscendDequant(dst, src, deqScale, DequantParams{1, src.GetSize(), calCount}, where);
}
template <class D, class S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& deqScale,
                   SourceLine where = SourceLine::Here()) {
  AscendDequant(dst, src, deqScale, deqScale.GetSize(), where);
}
// One scale for all: float, bfloat16_t.
template <class D, class S, bool isPureDqParams = false,
          DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
requires simulator::kIsNumber<S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const S deqScale,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, DequantParams params,
                   SourceLine where = SourceLine::Here()) {
  simulator::RunDequant({dst,
                         src,
                         simulator::OperandOf(deqScale),
                         {},
                         params.m,
                         params.n,
                         simulator::Given(sharedTmpBuffer),
                         where},
                        params.calCount, mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW);
}
template <class D, class S, bool isPureDqParams = false,
          DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
requires simulator::kIsNumber<S>
void AscendDequant(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const S deqScale,
                   DequantParams params, SourceLine where = SourceLine::Here()) {
  AscendDequant<D, S, isPureDqParams, mode>(dst, src, deqScale, simulator::kNoScratch, params, where);
}

// dst = scale * (src + offset); src: int8_t, int4b_t; dst: half, bfloat16_t. src has k rows and a scale for
// each column, with isTranspose k columns and a scale for each row; or one scale for all. More scales than
// columns: one row of them for each group of rows.
#define TILESIM_ANTI_QUANT(SCRATCH, ...)                                                                   \
  template <class I, class D, bool isTranspose>                                                            \
  void AscendAntiQuant(const LocalTensor<D>& dst, const LocalTensor<I>& src, const LocalTensor<D>& offset, \
                       const LocalTensor<D>& scale, __VA_ARGS__ const uint32_t k,                          \
                       const AntiQuantShapeInfo& shapeInfo = {}, SourceLine where = SourceLine::Here()) {  \
    simulator::AntiQuant<isTranspose>(dst, src, scale, offset, SCRATCH, k, shapeInfo.scaleHeight, where);  \
  }                                                                                                        \
  template <class I, class D, bool isTranspose>                                                            \
  void AscendAntiQuant(const LocalTensor<D>& dst, const LocalTensor<I>& src, const LocalTensor<D>& scale,  \
                       __VA_ARGS__ const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},             \
                       SourceLine where = SourceLine::Here()) {                                            \
    simulator::AntiQuant<isTranspose>(dst, src, scale, 0.0F, SCRATCH, k, shapeInfo.scaleHeight, where);    \
  }                                                                                                        \
  template <class I, class D, bool isTranspose>                                                            \
  void AscendAntiQuant(const LocalTensor<D>& dst, const LocalTensor<I>& src,                               \
                       const std::type_identity_t<D> offset, const std::type_identity_t<D> scale,          \
                       __VA_ARGS__ const uint32_t /*k*/, const AntiQuantShapeInfo& = {},                   \
                       SourceLine where = SourceLine::Here()) {                                            \
    simulator::AntiQuant<false>(dst, src, scale, offset, SCRATCH, 1, 1, where);                            \
  }

namespace simulator {

template <bool kTransposed, class D, class I, class Scale, class Offset>
void AntiQuant(const LocalTensor<D>& dst, const LocalTensor<I>& src, const Scale& scale, const Offset& offset,
               const LocalTensor<uint8_t>* scratch, uint32_t k, uint32_t height, SourceLine where) {
  RunAntiQuant({dst, src, OperandOf(scale), OperandOf(offset), 0, 0, scratch, where}, k, height, kTransposed);
}

}  // namespace simulator

TILESIM_ANTI_QUANT(&sharedTmpBuffer, const LocalTensor<uint8_t>& sharedTmpBuffer, )
TILESIM_ANTI_QUANT(nullptr, )
#undef TILESIM_ANTI_QUANT

}  // namespace AscendC

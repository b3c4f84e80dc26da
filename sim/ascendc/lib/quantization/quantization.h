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
concept QuantNumber = std::is_constructible_v<float, P>;
// A scale or an offset: a number, or a tensor with one for each column.
template <class P, class T>
concept QuantParameter = std::is_same_v<P, LocalTensor<T>> || QuantNumber<P>;
template <class P>
LibraryOperand OperandOf(const P& parameter) {
  if constexpr (QuantNumber<P>) {
    return LibraryOperand::Number<float>(static_cast<float>(parameter));
  } else {
    return parameter;
  }
}
template <class P>
uint32_t ColumnsOf(const P& scale, uint32_t all) {
  if constexpr (QuantNumber<P>) {
    return all;
  } else {
    return scale.GetSize();
  }
}

}  // namespace simulator

// dst = src * scale + offset, to the nearest whole number, of two the even one, saturating; src: half, float.
// The scale and the offset are numbers, or tensors with one for each of scaleCount columns, which offsetCount
// is, too; calCount elements, a multiple of that, are taken.
#define TILESIM_QUANT(COUNTS, COLUMNS, OFFSETS, COUNT)                                                       \
  TILESIM_SCRATCH_FORMS(                                                                                     \
      (class T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG,      \
       simulator::QuantParameter<T> S, simulator::QuantParameter<T> O),                                      \
      AscendQuant, (const LocalTensor<int8_t>& dst, const LocalTensor<T>& src),                              \
      (const S& scale, const O& offset TILESIM_BARE COUNTS), const uint32_t columns = COLUMNS;               \
      simulator::RunQuant(                                                                                   \
          {dst, src, simulator::OperandOf(scale), simulator::OperandOf(offset), 0, columns, scratch, where}, \
          COUNT, OFFSETS);)
TILESIM_QUANT((), simulator::ColumnsOf(scale, src.GetSize()), columns, src.GetSize())
TILESIM_QUANT((, const uint32_t calCount), simulator::ColumnsOf(scale, calCount), columns, calCount)
TILESIM_QUANT((, const uint32_t scaleCount, const uint32_t calCount), scaleCount, columns, calCount)
TILESIM_QUANT((, const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount), scaleCount,
              offsetCount, calCount)
#undef TILESIM_QUANT

// dst = src * deqScale, one for each of calCount columns; rows of dst begin at multiples of 32 bytes, those
// of src, too. dst: half with uint64_t scales (fp32 in the low bits), float and bfloat16_t with float and
// bfloat16_t ones. With a count, or without, of one row: as many rows of the scale.
#define TILESIM_DEQUANT(TEMPLATE, SCALE, BEHIND, MODE, ...)                                                  \
  TILESIM_SCRATCH_FORMS(                                                                                     \
      TEMPLATE, AscendDequant, (const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, SCALE deqScale), \
      BEHIND, const DequantParams of = __VA_ARGS__;                                                          \
      simulator::RunDequant({dst, src, simulator::OperandOf(deqScale), {}, of.m, of.n, scratch, where},      \
                            of.calCount, MODE == DeQuantMode::DEQUANT_WITH_SINGLE_ROW);)
TILESIM_DEQUANT((class D, class S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW),
                const LocalTensor<S>&, (DequantParams params), mode, params)
TILESIM_DEQUANT((class D, class S), const LocalTensor<S>&, (const uint32_t calCount),
                DeQuantMode::DEQUANT_WITH_SINGLE_ROW, {1, src.GetSize(), calCount})
TILESIM_DEQUANT((class D, class S), const LocalTensor<S>&, (), DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
                {1, src.GetSize(), deqScale.GetSize()})
// One scale for all: float, bfloat16_t.
TILESIM_DEQUANT((class D, simulator::QuantNumber S, bool isPureDqParams = false,
                 DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW),
                const S, (DequantParams params), mode, params)
#undef TILESIM_DEQUANT

// dst = scale * (src + offset); src: int8_t, int4b_t; dst: half, bfloat16_t. src has k rows and a scale for
// each column, with isTranspose k columns and a scale for each row; or one scale for all. More scales than
// columns: one row of them for each group of rows.
TILESIM_SCRATCH_FORMS((class I, class D, bool isTranspose), AscendAntiQuant,
                      (const LocalTensor<D>& dst, const LocalTensor<I>& src, const LocalTensor<D>& offset,
                       const LocalTensor<D>& scale),
                      (const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}),
                      simulator::RunAntiQuant({dst, src, simulator::OperandOf(scale),
                                               simulator::OperandOf(offset), 0, 0, scratch, where},
                                              k, shapeInfo.scaleHeight, isTranspose);)
TILESIM_SCRATCH_FORMS((class I, class D, bool isTranspose), AscendAntiQuant,
                      (const LocalTensor<D>& dst, const LocalTensor<I>& src, const LocalTensor<D>& scale),
                      (const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}),
                      simulator::RunAntiQuant({dst, src, simulator::OperandOf(scale),
                                               simulator::OperandOf(0.0F), 0, 0, scratch, where},
                                              k, shapeInfo.scaleHeight, isTranspose);)
TILESIM_SCRATCH_FORMS((class I, class D, bool isTranspose), AscendAntiQuant,
                      (const LocalTensor<D>& dst, const LocalTensor<I>& src,
                       const std::type_identity_t<D> offset, const std::type_identity_t<D> scale),
                      (const uint32_t /*k*/, const AntiQuantShapeInfo& = {}),
                      simulator::RunAntiQuant({dst, src, simulator::OperandOf(scale),
                                               simulator::OperandOf(offset), 0, 0, scratch, where},
                                              1, 1, false);)

}  // namespace AscendC

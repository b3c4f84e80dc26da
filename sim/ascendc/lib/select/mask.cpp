// What goes by a mask of bytes or wider elements: DropOut, and Select with such a mask.
#include "sim/ascendc/lib/filter/dropout.h"
#include "sim/ascendc/lib/formulas.h"
#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/select/selectwithbytesmask.h"

namespace AscendC::simulator {

namespace {

using enum tilesim::isa::VectorType;

// Bits of the comparison of a mask's elements with 0; `node` is overwritten.
void CompareWithZero(const VectorSteps& v, const CompareBits& bits, const FloatNode& node,
                     const LibraryOperand& mask, uint32_t first, CMPMODE mode) {
  const LocalTensor<half> halves = node.ReinterpretCast<half>();
  switch (mask.type) {
    case kUint8:
      v.Cast(halves, PieceOf<uint8_t>(mask, first), RoundMode::CAST_NONE);
      break;
    case kInt8:
      v.Cast(halves, PieceOf<int8_t>(mask, first), RoundMode::CAST_NONE);
      break;
    case kInt16:
    case kUint16:  // not 0 in either reading
      v.Cast(halves, PieceOf<int16_t>(mask, first), RoundMode::CAST_RINT);
      break;
    default:
      v.Cast(node, PieceOf<int32_t>(mask, first), RoundMode::CAST_RINT);
      return v.Compares(bits, node, mode, 0.0F);
  }
  v.Compares(bits, halves, mode, half(0.0F));
}

template <class T>
void SelectPiece(const VectorSteps& v, const MaskSelectCall& call, const CompareBits& bits, uint32_t at) {
  v.Select(PieceOf<T>(call.dst, at), bits, PieceOf<T>(call.src, at), T(static_cast<float>(call.scalar)));
}

enum DropOutMode : uint32_t { kAuto, kBytes, kLongBytes, kBits, kLongBits };

DropOutMode ModeOf(const DropOutCall& call) {
  const uint32_t row = call.shape.srcLastAxis;
  const uint32_t mask = call.shape.maskLastAxis;
  return call.mode != kAuto ? static_cast<DropOutMode>(call.mode)
         : row < mask       ? kLongBytes
         : row == mask      ? kBytes
         : row == mask * 8  ? kBits
                            : kLongBits;
}

}  // namespace

void RunMaskSelect(const MaskSelectCall& call) {
  const LibraryCall library("Select", call.where);
  tilesim::Core* const core = library.core();
  const uint32_t rows = call.shape.firstAxis;
  const uint32_t columns = call.shape.srcLastAxis;
  const uint32_t mask_columns = call.shape.maskLastAxis;
  if (core == nullptr || rows == 0 || columns == 0) {
    return;
  }
  tilesim::isa::RequireType(*core, call.dst.type, {kFp16, kFp32});
  tilesim::isa::RequireType(*core, call.mask.type, {kUint8, kInt8, kUint16, kInt16, kUint32, kInt32});
  tilesim::isa::RequireRange(*core, "maskLastAxis", mask_columns, columns, UINT32_MAX,
                             "a row of the mask is not shorter than one of src");
  const uint64_t all = uint64_t{rows} * columns;
  Scratch scratch(*core, call.scratch,
                  CallTensors()
                      .Result("dst", call.dst, all)
                      .Source("src", call.src, all)
                      .Source("mask", call.mask, uint64_t{rows} * mask_columns));
  const LiveNodes t =
      NodesIn(scratch, tilesim::library::kSelectWithBytesMask, "SelectWithBytesMask", columns);
  const CMPMODE mode = call.src_where_zero ? CMPMODE::EQ : CMPMODE::NE;
  for (uint32_t row = 0; row < rows; ++row) {
    ForPieces(columns, t.elements(), [&](uint32_t first, uint32_t elements) {
      const VectorSteps v(*core, elements, call.where);
      CompareWithZero(v, t.Bits(1), t[0], call.mask, row * mask_columns + first, mode);
      const uint32_t at = row * columns + first;
      call.dst.type == kFp16 ? SelectPiece<half>(v, call, t.Bits(1), at)
                             : SelectPiece<float>(v, call, t.Bits(1), at);
    });
  }
}

void RunDropOut(const DropOutCall& call) {
  const LibraryCall library("DropOut", call.where);
  tilesim::Core* const core = library.core();
  const uint32_t rows = call.shape.firstAxis;
  const uint32_t columns = call.shape.srcLastAxis;
  const uint32_t mask_bytes = call.shape.maskLastAxis;
  if (core == nullptr || rows == 0 || columns == 0) {
    return;
  }
  tilesim::isa::RequireType(*core, call.dst.type, {kFp16, kFp32});
  core->Require(call.keep_prob > 0 && call.keep_prob <= 1, tilesim::FaultKind::kMisuse, "keepProb", "is ",
                call.keep_prob, ", it must be above 0 and at most 1");
  const auto row_bytes = columns * static_cast<uint32_t>(tilesim::isa::ElementBits(call.dst.type) / 8);
  core->Require(rows == 1 || row_bytes % ONE_BLK_SIZE == 0, tilesim::FaultKind::kAlignment, "srcLastAxis",
                "is ", columns, ", rows of ", row_bytes,
                " bytes, allowed are multiples of 32 bytes; pad the rows");
  const DropOutMode mode = ModeOf(call);
  const bool bits = mode == kBits || mode == kLongBits;
  tilesim::isa::RequireRange(*core, "maskLastAxis", mask_bytes, bits ? (columns + 7) / 8 : columns,
                             UINT32_MAX,
                             "a row of the mask has a bit or a byte for each element of one of src");
  const uint64_t all = uint64_t{rows} * columns;
  Scratch scratch(*core, call.scratch,
                  CallTensors()
                      .Result("dst", call.dst, all)
                      .Source("src", call.src, all)
                      .Source("mask", call.mask, uint64_t{rows} * mask_bytes));
  // Where the mask's rows, as those of src, stand one behind the other, all are one.
  const bool is_one_row = uint64_t{mask_bytes} * (bits ? 8 : 1) == columns;
  const uint32_t length = is_one_row ? rows * columns : columns;
  const LiveNodes t = NodesIn(scratch, tilesim::library::kDropOut, "DropOut", length);
  for (uint32_t row = 0; row < (is_one_row ? 1 : rows); ++row) {
    ForPieces(length, t.elements(), [&](uint32_t first, uint32_t elements) {
      const VectorSteps v(*core, elements, call.where);
      const uint32_t at = row * length + first;
      if (!bits) {
        CompareWithZero(v, t.Bits(2), t[1], call.mask, row * mask_bytes + first, CMPMODE::NE);
      }
      LoadNode(v, t, 0, call.src, at);
      v.Muls(t[0], t[0], 1.0F / call.keep_prob);
      CompareBits stays = t.Bits(2);
      if (bits) {
        stays.bits = call.mask[row * mask_bytes + first / 8];
      }
      v.Select(t[0], stays, t[0], 0.0F);
      StoreNode(v, call.dst, at, t, 0);
    });
  }
}

}  // namespace AscendC::simulator

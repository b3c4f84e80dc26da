#include "sim/ascendc/lib/quantization/quantization.h"

#include "sim/ascendc/lib/formulas.h"
#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/vector_gather.h"

namespace AscendC::simulator {

namespace {

using tilesim::library::ScratchNeed;
using enum tilesim::isa::VectorType;

bool IsTensor(const LibraryOperand& operand) { return operand.is == LibraryOperand::kTensor; }

// x = x * parameter or x + parameter: a number, or the node that holds a tensor's.
void Scale(const VectorSteps& v, const FloatNode& x, const LibraryOperand& parameter, const FloatNode& node) {
  IsTensor(parameter) ? v.Mul(x, x, node) : v.Muls(x, x, static_cast<float>(parameter.value));
}
void Shift(const VectorSteps& v, const FloatNode& x, const LibraryOperand& parameter, const FloatNode& node) {
  IsTensor(parameter) ? v.Add(x, x, node) : v.Adds(x, x, static_cast<float>(parameter.value));
}
void LoadParameter(const VectorSteps& v, const LiveNodes& t, uint32_t node, const LibraryOperand& parameter,
                   uint32_t first) {
  if (IsTensor(parameter)) {
    LoadNode(v, t, node, parameter, first);
  }
}

uint32_t ElementsOf(const LibraryOperand& tensor) {
  return tensor.bytes.GetSize() * 8 / static_cast<uint32_t>(tilesim::isa::ElementBits(tensor.type));
}

// How many rows of `columns` elements the elements are; refused where some are left over, or are none.
uint32_t WholeRows(tilesim::Core& core, const char* name, uint32_t elements, uint32_t columns) {
  core.Require(columns > 0 && elements > 0 && elements % columns == 0, tilesim::FaultKind::kMisuse, name,
               "is ", elements, " elements, in rows of ", columns,
               ": it must be a positive multiple of that; give whole rows, or a scale of fewer columns");
  return elements / columns;
}

// The low words of 64-bit numbers: of such scales the fp32.
void LowWords(const VectorSteps& v, const LocalTensor<uint32_t>& dst, const LocalTensor<uint32_t>& pairs) {
  uint64_t kept = 0;
  GatherMask(dst, pairs, uint8_t{1}, true, 2 * v.count(), GatherMaskParams(1, 1, 0, 0), kept, v.where());
  ResetMask(v.where());
  v.Wait();
}

// dst and src, of a type of 8 or 4 bits, as fp16 on the way.
void LoadNarrow(const VectorSteps& v, const LiveNodes& t, const LibraryOperand& src, uint32_t first) {
  const LocalTensor<half> narrow = t[1].ReinterpretCast<half>();
  if (src.type == kInt4) {
    v.Cast(narrow, src.bytes.ReinterpretCast<int4b_t>()[first], RoundMode::CAST_NONE);
  } else {
    v.Cast(narrow, PieceOf<int8_t>(src, first), RoundMode::CAST_NONE);
  }
  v.Cast(t[0], narrow, RoundMode::CAST_NONE);
}

}  // namespace

void RunQuant(QuantCall call, uint32_t count, uint32_t offsets) {
  const LibraryCall library("AscendQuant", call.where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return;
  }
  core->Require(offsets == call.columns, tilesim::FaultKind::kMisuse, "offsetCount", "is ", offsets,
                ", scaleCount is ", call.columns, "; give as many offsets as scales");
  call.rows = WholeRows(*core, "calCount", count, call.columns);
  tilesim::isa::RequireType(*core, call.src.type, {kFp16, kFp32});
  Scratch scratch(*core, call.scratch,
                  CallTensors()
                      .Result("dst", call.dst, count)
                      .Source("src", call.src, count)
                      .Source("scale", call.scale, call.columns)
                      .Source("offset", call.offset, call.columns));
  const LiveNodes t = NodesIn(scratch, tilesim::library::kAscendQuant, "AscendQuant", call.columns);
  ForPieces(call.columns, t.elements(), [&](uint32_t first, uint32_t elements) {
    const VectorSteps v(*core, elements, call.where);
    LoadParameter(v, t, 1, call.scale, first);
    LoadParameter(v, t, 2, call.offset, first);
    for (uint32_t row = 0; row < call.rows; ++row) {
      const uint32_t at = row * call.columns + first;
      LoadNode(v, t, 0, call.src, at);
      Scale(v, t[0], call.scale, t[1]);
      Shift(v, t[0], call.offset, t[2]);
      v.Cast(t[0], t[0], RoundMode::CAST_RINT);
      v.Cast(t[3].ReinterpretCast<half>(), t[0], RoundMode::CAST_NONE);  // exact where int8_t is
      v.Cast(PieceOf<int8_t>(call.dst, at), t[3].ReinterpretCast<half>(), RoundMode::CAST_RINT);
    }
  });
}

void RunDequant(QuantCall call, uint32_t count, bool single_row) {
  const LibraryCall library("AscendDequant", call.where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return;
  }
  core->Require(call.rows > 0, tilesim::FaultKind::kMisuse, "m", "is 0 rows; give at least one");
  tilesim::isa::RequireRange(*core, "calCount", count, 1, call.columns, "it is at most n");
  if (single_row && call.rows == 1 && call.columns % count == 0) {
    call.rows = call.columns / count;
    call.columns = count;
  }
  tilesim::isa::RequireType(*core, call.dst.type, {kFp16, kBf16, kFp32});
  tilesim::isa::RequireType(*core, call.scale.type, {kUint64, kBf16, kFp32});
  const uint32_t block = ONE_BLK_SIZE * 8 / static_cast<uint32_t>(tilesim::isa::ElementBits(call.dst.type));
  const uint32_t dst_columns = AlignUp(call.columns, block);
  const uint64_t before_last = call.rows - 1;
  Scratch scratch(*core, call.scratch,
                  CallTensors()
                      .Result("dst", call.dst, before_last * dst_columns + count)
                      .Source("src", call.src, before_last * call.columns + count)
                      .Source("scale", call.scale, count)
                      .Source("offset", call.offset, count));
  const LiveNodes t = NodesIn(scratch, tilesim::library::kAscendDequant, "AscendDequant", count);
  ForPieces(count, t.elements(), [&](uint32_t first, uint32_t elements) {
    const VectorSteps v(*core, elements, call.where);
    if (call.scale.type == kUint64) {
      LowWords(v, t.Uint(1), PieceOf<uint32_t>(call.scale, 2 * first));
    } else {
      LoadParameter(v, t, 1, call.scale, first);
    }
    for (uint32_t row = 0; row < call.rows; ++row) {
      v.Cast(t[0], PieceOf<int32_t>(call.src, row * call.columns + first), RoundMode::CAST_RINT);
      Scale(v, t[0], call.scale, t[1]);
      StoreNode(v, call.dst, row * dst_columns + first, t, 0);
    }
  });
}

namespace {

// Rows whose scale and offset are numbers of their own: element `row` of a tensor, spread over a data block.
class RowParameters {
 public:
  RowParameters(const QuantCall& call, const LiveNodes& t) : call_(call), t_(t) {}

  // Makes ready those of `row`; rows are asked for in order from 0.
  void Go(tilesim::Core& core, uint32_t row) {
    if (row % kGroup == 0) {  // fp16 and bf16 can be read from every 16th on
      const uint32_t left = call_.rows - row;
      const VectorSteps v(core, left < kGroup ? left : kGroup, call_.where);
      LoadParameter(v, t_, 2, call_.scale, row);
      LoadParameter(v, t_, 3, call_.offset, row);
    }
    if (row % kSpread == 0) {
      Spread(core, 2, row);
      if (IsTensor(call_.offset)) {
        Spread(core, 3, row);
      }
    }
    row_ = row;
  }
  // x = (x + offset) * scale
  void Apply(const VectorSteps& v, const FloatNode& x) const {
    WriteMaskMode(v.core(), true);
    WriteMask(v.core(), 0, v.count());
    if (IsTensor(call_.offset)) {
      Add<float, false>(x, x, Block(5), MASK_PLACEHOLDER, 1, kOneBlock, v.where());
      v.Wait();
    }
    Mul<float, false>(x, x, Block(4), MASK_PLACEHOLDER, 1, kOneBlock, v.where());
    WriteMaskMode(v.core(), false);
    WriteMask(v.core(), ~uint64_t{0}, ~uint64_t{0});
    v.Wait();
  }

 private:
  static constexpr uint32_t kGroup = 16;
  static constexpr uint32_t kSpread = 8;
  inline static const BinaryRepeatParams kOneBlock{1, 1, 0, 8, 8, 0};

  void Spread(tilesim::Core& core, uint32_t node, uint32_t row) {
    Brcb(t_[node + 2], t_[node][row % kGroup], 1, BrcbRepeatParams(1, 8), call_.where);
    core.Barrier(tilesim::Pipe::kV, call_.where);
  }
  FloatNode Block(uint32_t node) const { return t_[node][row_ % kSpread * 8]; }

  const QuantCall& call_;
  const LiveNodes& t_;
  uint32_t row_ = 0;
};

}  // namespace

void RunAntiQuant(QuantCall call, uint32_t k, uint32_t groups, bool transposed) {
  const LibraryCall library("AscendAntiQuant", call.where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return;
  }
  tilesim::isa::RequireType(*core, call.src.type, {kInt4, kInt8});
  tilesim::isa::RequireType(*core, call.dst.type, {kFp16, kBf16});
  const uint32_t all = ElementsOf(call.src);
  core->Require(k > 0 && all > 0 && all % k == 0, tilesim::FaultKind::kMisuse, "k", "is ", k,
                transposed ? " columns" : " rows", ", src holds ", all,
                " elements, which must be a positive multiple; give a src of whole rows");
  call.rows = transposed ? all / k : k;
  call.columns = all / call.rows;
  if (groups == 0 || transposed) {
    groups = transposed || !IsTensor(call.scale) ? 1 : ElementsOf(call.scale) / call.columns;
  }
  core->Require(groups > 0 && call.rows % groups == 0, tilesim::FaultKind::kMisuse, "shapeInfo", "has ",
                groups, " rows of scales for ", call.rows, " rows, which must be a multiple");
  const auto parameters = IsTensor(call.scale) ? ElementsOf(call.scale) : 0;
  Scratch scratch(*core, call.scratch,
                  CallTensors()
                      .Result("dst", call.dst, all)
                      .Source("src", call.src, all)
                      .Source("scale", call.scale, parameters)
                      .Source("offset", call.offset, parameters));
  const LiveNodes t = NodesIn(scratch, tilesim::library::kAscendAntiQuant, "AscendAntiQuant", call.columns);
  ForPieces(call.columns, t.elements(), [&](uint32_t first, uint32_t elements) {
    const VectorSteps v(*core, elements, call.where);
    RowParameters of_row(call, t);
    for (uint32_t row = 0; row < call.rows; ++row) {
      const uint32_t at = row * call.columns + first;
      if (!transposed && row % (call.rows / groups) == 0) {
        const uint32_t group = row / (call.rows / groups);
        LoadParameter(v, t, 2, call.scale, group * call.columns + first);
        LoadParameter(v, t, 3, call.offset, group * call.columns + first);
      }
      LoadNarrow(v, t, call.src, at);
      if (transposed) {
        of_row.Go(*core, row);
        of_row.Apply(v, t[0]);
      } else {
        Shift(v, t[0], call.offset, t[3]);
        Scale(v, t[0], call.scale, t[2]);
      }
      StoreNode(v, call.dst, at, t, 0);
    }
  });
}

}  // namespace AscendC::simulator

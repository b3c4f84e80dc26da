#include "sim/ascendc/lib/activation/softmax.h"

#include <utility>

#include "sim/ascendc/lib/rows.h"
#include "sim/ascendc/local_copy.h"

namespace AscendC::simulator {

namespace {

using tilesim::isa::VectorType;

struct FormNames {
  const char* call;
  const char* host_function;
};
// In the order of Softmax.
constexpr FormNames kForms[] = {
    {"SoftMax", "GetSoftMaxMinTmpSize"},           {"SimpleSoftMax", "GetSoftMaxMinTmpSize"},
    {"SoftmaxFlash", "GetSoftMaxFlashMinTmpSize"}, {"SoftmaxFlashV2", "GetSoftMaxFlashV2MinTmpSize"},
    {"LogSoftMax", "GetLogSoftMaxMinTmpSize"},
};

void CheckShape(tilesim::Core& core, const SoftMaxShapeInfo& shape, bool nz, uint32_t type_bytes,
                uint32_t tiled_columns) {
  using tilesim::FaultKind;
  const uint32_t unit = nz ? 16 : ONE_BLK_SIZE / type_bytes;
  core.Require(shape.srcM > 0 && shape.srcK > 0, FaultKind::kMisuse, "softmaxShapeInfo", "is ", shape.srcM,
               " x ", shape.srcK, "; fill it, or give src a ShapeInfo");
  core.Require(shape.srcK % unit == 0, FaultKind::kAlignment, "softmaxShapeInfo", "srcK is ", shape.srcK,
               ", allowed are multiples of ", unit, "; pad the rows, and say in oriSrcK what they hold");
  core.Require(shape.oriSrcK > 0 && shape.oriSrcK <= shape.srcK, FaultKind::kMisuse, "softmaxShapeInfo",
               "oriSrcK is ", shape.oriSrcK, ", allowed 1..srcK, ", shape.srcK);
  core.Require(shape.oriSrcM <= shape.srcM, FaultKind::kMisuse, "softmaxShapeInfo", "oriSrcM is ",
               shape.oriSrcM, ", allowed up to srcM, ", shape.srcM);
  core.Require(!nz || shape.srcM % 16 == 0, FaultKind::kAlignment, "softmaxShapeInfo", "srcM is ", shape.srcM,
               ", allowed in NZ are multiples of 16");
  core.Require(tiled_columns != 0, FaultKind::kMisuse, "tiling",
               "has srcK 0: nobody has filled it; the host's ...TilingFunc does");
}

// What the steps of a piece of rows work on: the tensor's own elements of float, copies in fp32 of half.
struct Piece {
  RowPlace tensor;   // in the tensors, from its first row on
  RowPlace scratch;  // in a copy
  uint32_t first_element;
  uint32_t first_row;
};
Piece PieceAt(const SoftMaxShapeInfo& shape, bool nz, uint32_t row, uint32_t rows) {
  if (nz) {
    return {RowPlace::Nz(rows, shape.oriSrcK, shape.srcK, shape.srcM),
            RowPlace::Nz(rows, shape.oriSrcK, shape.srcK, rows), row * 16, row};
  }
  const RowPlace place = RowPlace::Nd(rows, shape.oriSrcK, shape.srcK);
  return {place, place, row * shape.srcK, row};
}

// Numbers of rows as they stand in blocks of 32 bytes of `U`, and in spreads of 32 / sizeof(T) of fp32.
template <class T>
class Spreads {
 public:
  static constexpr uint32_t kWidth = ONE_BLK_SIZE / sizeof(T);

  explicit Spreads(const RowSteps& steps) : steps_(steps) {}

  template <class U>
  void Store(const LocalTensor<U>& dst, const Floats& spread, uint32_t rows) const {
    if constexpr (std::is_same_v<U, half>) {
      steps_.On(rows * kWidth).Cast(dst, spread, RoundMode::CAST_RINT);
    } else {
      MoveBlocks(dst, spread, rows, kWidth / 8 - 1, 0);
    }
  }
  template <class U>
  void Load(const Floats& spread, const LocalTensor<U>& src, uint32_t rows) const {
    if constexpr (std::is_same_v<U, half>) {
      steps_.On(rows * kWidth).Cast(spread, src, RoundMode::CAST_NONE);
    } else {
      for (uint32_t block = 0; block < kWidth / 8; ++block) {
        MoveBlocks(spread[block * 8], src, rows, 0, kWidth / 8 - 1);
      }
    }
  }

 private:
  void MoveBlocks(const Floats& dst, const Floats& src, uint32_t rows, uint32_t src_gap,
                  uint32_t dst_gap) const {
    constexpr uint32_t kMost = 4095;  // blocks of an instruction
    for (uint32_t row = 0; row < rows; row += kMost) {
      const auto count = static_cast<uint16_t>(std::min(kMost, rows - row));
      DataCopy(dst[row * 8 * (1 + dst_gap)], src[row * 8 * (1 + src_gap)],
               DataCopyParams(count, 1, static_cast<uint16_t>(src_gap), static_cast<uint16_t>(dst_gap)),
               steps_.where());
    }
    steps_.Wait();
  }

  const RowSteps& steps_;
};

// T: of the data; U: of sum and max.
template <class T, class U>
class SoftmaxRun {
 public:
  SoftmaxRun(const RowSteps& steps, const SoftmaxCall& call, RowScratch& scratch)
      : call_(call), steps_(steps), spreads_(steps_), piece_(scratch.rows()) {
    const uint32_t eights = scratch.whole_eights();
    const uint32_t copy = scratch.rows() * call.shape.srcK;
    partial_ = scratch.Take(scratch.rows() * 64);
    numbers_ = scratch.Take(eights);
    scratch.Take(eights * kWidth, max_, sum_);
    if (Flash()) {
      scratch.Take(eights * kWidth, exp_max_, before_);
    }
    if (std::is_same_v<T, half>) {
      copy_ = scratch.Take(copy);
    }
    if (call.form == Softmax::kLog) {
      exponentials_ = scratch.Take(copy);
    }
  }

  void Run() const {
    ForPieces(call_.shape.srcM, piece_, [&](uint32_t row, uint32_t rows) { Rows(row, rows); });
  }

 private:
  static constexpr uint32_t kWidth = Spreads<T>::kWidth;

  void Rows(uint32_t row, uint32_t rows) const {
    const Piece piece = PieceAt(call_.shape, call_.nz, row, rows);
    RowPlace place = piece.tensor;
    const LocalTensor<T> src = As<T>(call_.src)[piece.first_element];
    const LocalTensor<T> dst = As<T>(call_.dst)[piece.first_element];
    const Floats x = AsFloats(steps_, src, copy_, piece.scratch, place);
    const Floats y = Result(dst);
    if (call_.form == Softmax::kSimple) {
      Load(max_, call_.max, piece);
      Load(sum_, call_.sum, piece);
      Exponentials(y, x, place);
    } else {
      Most(x, place, piece);
      const bool apart = call_.form == Softmax::kLog;
      const Floats exponentials = apart ? exponentials_ : y;
      const RowPlace where = apart ? piece.scratch : place;
      if (apart) {
        CopyRuns(exponentials, piece.scratch, x, place);
      }
      Exponentials(exponentials, apart ? exponentials : x, where);
      Sum(exponentials, where, piece);
      Store(piece);
    }
    if (call_.form == Softmax::kLog) {
      OnSpread(piece).Ln(sum_, sum_);
      steps_.ByRow(RowOp::kSub, y, x, max_, kWidth, place);
      steps_.ByRow(RowOp::kSub, y, y, sum_, kWidth, place);
    } else if (call_.form != Softmax::kFlashV2) {
      steps_.ByRow(RowOp::kDiv, y, y, sum_, kWidth, place);
    }
    FromFloats(steps_, dst, piece.tensor, y, place);
  }
  [[nodiscard]] bool Flash() const {
    return call_.form == Softmax::kFlash || call_.form == Softmax::kFlashV2;
  }
  Floats Result(const LocalTensor<T>& dst) const {
    if constexpr (std::is_same_v<T, float>) {
      return dst;
    } else {
      return copy_;
    }
  }
  VectorSteps OnSpread(const Piece& piece) const { return steps_.On(piece.tensor.rows * kWidth); }
  void Load(const Floats& spread, const LibraryOperand& src, const Piece& piece) const {
    spreads_.Load(spread, As<U>(src)[piece.first_row * (ONE_BLK_SIZE / sizeof(U))], piece.tensor.rows);
  }

  void Most(const Floats& x, const RowPlace& place, const Piece& piece) const {
    steps_.Reduce(RowOp::kMax, numbers_, x, partial_, place);
    steps_.Spread(max_, numbers_, place.rows, kWidth);
    if (call_.is_update) {
      const VectorSteps v = OnSpread(piece);
      Load(before_, call_.in_max, piece);
      v.Max(max_, max_, before_);
      v.Sub(exp_max_, before_, max_).Exp();
    }
  }
  void Exponentials(const Floats& dst, const Floats& x, const RowPlace& place) const {
    steps_.ByRow(RowOp::kSub, dst, x, max_, kWidth, place);
    steps_.Through(place, [&](const VectorSteps& v, uint32_t at) { v.Exp(dst[at], dst[at]); });
  }
  void Sum(const Floats& exponentials, const RowPlace& place, const Piece& piece) const {
    steps_.Reduce(RowOp::kAdd, numbers_, exponentials, partial_, place);
    steps_.Spread(sum_, numbers_, place.rows, kWidth);
    if (call_.is_update) {
      const VectorSteps v = OnSpread(piece);
      Load(before_, call_.in_sum, piece);
      v.Mul(before_, before_, exp_max_);
      v.Add(sum_, sum_, before_);
      if (call_.form == Softmax::kFlash) {
        v.Div(exp_max_, before_, sum_);
      }
    }
  }
  void CopyRuns(const Floats& dst, const RowPlace& to, const Floats& src, const RowPlace& from) const {
    for (uint32_t run = 0; run < from.runs(); ++run) {
      steps_.On(from.run_length()).Muls(dst[to.RunAt(run)], src[from.RunAt(run)], 1.0F);
    }
  }
  void Store(const Piece& piece) const {
    const uint32_t at = piece.first_row * (ONE_BLK_SIZE / sizeof(U));
    if (call_.max.given()) {
      spreads_.Store(As<U>(call_.max)[at], max_, piece.tensor.rows);
      spreads_.Store(As<U>(call_.sum)[at], sum_, piece.tensor.rows);
    }
    if (call_.is_update) {
      spreads_.Store(As<T>(call_.exp_max)[piece.first_row * kWidth], exp_max_, piece.tensor.rows);
    }
  }

  const SoftmaxCall& call_;
  RowSteps steps_;
  Spreads<T> spreads_;
  uint32_t piece_;  // rows
  Floats partial_, numbers_, max_, sum_, exp_max_, before_, copy_, exponentials_;
};

// The sum of grad * src of each row, or what is made of it.
template <class T>
void GradOfSoftmax(const SoftmaxGradCall& call, const RowSteps& steps, RowScratch& scratch) {
  constexpr uint32_t kWidth = Spreads<T>::kWidth;
  const Spreads<T> spreads(steps);
  const uint32_t copy = scratch.rows() * call.shape.srcK;
  const Floats partial = scratch.Take(scratch.rows() * 64);
  const Floats numbers = scratch.Take(scratch.whole_eights());
  const Floats front = scratch.Take(scratch.whole_eights() * kWidth);
  const Floats products = scratch.Take(copy);
  Floats grad_copy, src_copy;
  if (std::is_same_v<T, half>) {
    scratch.Take(copy, grad_copy, src_copy);
  }
  ForPieces(call.shape.srcM, scratch.rows(), [&](uint32_t row, uint32_t rows) {
    const Piece piece = PieceAt(call.shape, call.nz, row, rows);
    RowPlace place = piece.tensor;
    RowPlace same = piece.tensor;
    const Floats grad =
        AsFloats(steps, As<T>(call.grad)[piece.first_element], grad_copy, piece.scratch, same);
    const Floats src = AsFloats(steps, As<T>(call.src)[piece.first_element], src_copy, piece.scratch, place);
    for (uint32_t run = 0; run < place.runs(); ++run) {
      const uint32_t at = place.RunAt(run);
      steps.On(place.run_length()).Mul(products[piece.scratch.RunAt(run)], grad[at], src[at]);
    }
    steps.Reduce(RowOp::kAdd, numbers, products, partial, piece.scratch);
    steps.Spread(front, numbers, rows, kWidth);
    if (call.is_front) {
      return spreads.Store(As<T>(call.dst)[row * kWidth], front, rows);
    }
    const LocalTensor<T> dst = As<T>(call.dst)[piece.first_element];
    Floats result = products;
    if constexpr (std::is_same_v<T, float>) {
      result = dst;
    }
    steps.ByRow(RowOp::kSub, result, grad, front, kWidth, place);
    steps.Through(place, [&](const VectorSteps& v, uint32_t at) { v.Mul(result[at], result[at], src[at]); });
    FromFloats(steps, dst, piece.tensor, result, place);
  });
}

// Of a tensor that has a block of 32 bytes for each row.
uint64_t BlocksOf(const SoftMaxShapeInfo& shape, const LibraryOperand& operand) {
  return uint64_t{shape.srcM} * ONE_BLK_SIZE * 8 /
         static_cast<uint64_t>(tilesim::isa::ElementBits(operand.type));
}
CallTensors TensorsOf(const SoftmaxCall& call) {
  const uint64_t elements = uint64_t{call.shape.srcM} * call.shape.srcK;
  const bool given = call.form == Softmax::kSimple;
  CallTensors tensors;
  tensors.Result("dst", call.dst, elements).Source("src", call.src, elements);
  for (const auto& [name, operand] : {std::pair{"sum", call.sum}, {"max", call.max}}) {
    given ? tensors.Source(name, operand, BlocksOf(call.shape, operand))
          : tensors.Result(name, operand, BlocksOf(call.shape, operand));
  }
  if (call.is_update) {
    tensors.Result("expMax", call.exp_max, BlocksOf(call.shape, call.exp_max))
        .Source("inExpSum", call.in_sum, BlocksOf(call.shape, call.in_sum))
        .Source("inMax", call.in_max, BlocksOf(call.shape, call.in_max));
  }
  return tensors;
}
CallTensors TensorsOf(const SoftmaxGradCall& call) {
  const uint64_t elements = uint64_t{call.shape.srcM} * call.shape.srcK;
  return CallTensors()
      .Result("dst", call.dst, call.is_front ? BlocksOf(call.shape, call.dst) : elements)
      .Source("grad", call.grad, elements)
      .Source("src", call.src, elements);
}

template <class Call, class Work>
void RunChecked(const Call& call, const char* name, const char* host_function,
                const tilesim::library::RowNeed& need, Work work) {
  const auto check = [&](tilesim::Core& core) {
    RequireHalfOrFloat(call.src)(core);
    CheckShape(core, call.shape, call.nz, BytesOf(call.src), call.tiled_columns);
  };
  RunOnRows(call, name, TensorsOf(call), need, call.shape.srcM, work, check, host_function);
}

}  // namespace

void Run(const SoftmaxCall& call) {
  const FormNames& names = kForms[static_cast<size_t>(call.form)];
  const uint32_t bytes = BytesOf(call.src);
  RunChecked(call, names.call, names.host_function,
             tilesim::library::SoftmaxNeed(call.form, bytes, call.shape.srcK),
             [&](const RowSteps& steps, RowScratch& scratch) {
               if (bytes == 4) {
                 SoftmaxRun<float, float>(steps, call, scratch).Run();
               } else if (!call.sum.given() || call.sum.type == VectorType::kFp16) {
                 SoftmaxRun<half, half>(steps, call, scratch).Run();
               } else {
                 SoftmaxRun<half, float>(steps, call, scratch).Run();
               }
             });
}

void Run(const SoftmaxGradCall& call) {
  RunChecked(call, call.name, "GetSoftMaxGradMinTmpSize",
             tilesim::library::SoftmaxGradNeed(BytesOf(call.src), call.shape.srcK),
             [&](const RowSteps& steps, RowScratch& scratch) {
               WithTypeOf(call.src, [&]<class T>(T) { GradOfSoftmax<T>(call, steps, scratch); });
             });
}

}  // namespace AscendC::simulator

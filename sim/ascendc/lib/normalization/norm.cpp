// LayerNorm, RmsNorm, DeepNorm, Normalize, and the gradients of LayerNorm.
#include "sim/ascendc/lib/normalization/norm_rows.h"

namespace AscendC::simulator {

namespace {

// T: of the data; U: of the weights.
template <class T, class U>
class NormRun {
 public:
  NormRun(const RowSteps& steps, const NormCall& call, RowScratch& scratch)
      : call_(call), shape_(call.shape), steps_(steps) {
    const uint32_t eights = scratch.whole_eights();
    gamma_ = WeightsOf<U>(steps_, call.gamma, scratch, shape_);
    beta_ = WeightsOf<U>(steps_, call.beta, scratch, shape_);
    if (call.form == NormForm::kGiven) {
      GivenNumbers(scratch);
    }
    partial_ = scratch.Take(scratch.rows() * 64);
    scratch.Take(scratch.rows() * shape_.width, x_, work_);
    scratch.Take(eights, numbers_, ones_, stored_);
    spread_ = scratch.Take(eights * 8);
  }

  void Rows(uint32_t row, uint32_t rows) const {
    const RowPlace place = RowPlace::Nd(rows, shape_.columns, shape_.width);
    const uint32_t at = row * shape_.width;
    const VectorSteps v = steps_.On(rows * shape_.width);
    const float share = 1.0F / static_cast<float>(shape_.columns);
    CopyIn<T>(v, x_, call_.src, at);
    if (call_.gx.given()) {
      v.Muls(x_, x_, call_.alpha);
      CopyIn<T>(v, work_, call_.gx, at);
      v.Add(x_, x_, work_);
    }
    if (call_.form == NormForm::kGiven) {
      steps_.ByRow(RowOp::kSub, x_, x_, all_means_[row * 8], 8, place);
      steps_.ByRow(RowOp::kMul, x_, x_, all_rstds_[row * 8], 8, place);
    } else {
      if (call_.form == NormForm::kLayer) {
        steps_.Reduce(RowOp::kAdd, numbers_, x_, partial_, place);
        steps_.On(rows).Muls(numbers_, numbers_, share);
        Store(call_.mean, row, rows);
        steps_.Spread(spread_, numbers_, rows, 8);
        steps_.ByRow(RowOp::kSub, x_, x_, spread_, 8, place);
      }
      v.Mul(work_, x_, x_);
      steps_.Reduce(RowOp::kAdd, numbers_, work_, partial_, place);
      steps_.On(rows).Muls(numbers_, numbers_, share);
      Store(call_.variance, row, rows);
      steps_.Rsqrt(numbers_, ones_, call_.epsilon, rows);
      Store(call_.rstd, row, rows);
      steps_.Spread(spread_, numbers_, rows, 8);
      steps_.ByRow(RowOp::kMul, x_, x_, spread_, 8, place);
    }
    if (call_.gamma.given()) {
      steps_.ByColumn(RowOp::kMul, x_, x_, gamma_, place);
    }
    if (call_.beta.given()) {
      steps_.ByColumn(RowOp::kAdd, x_, x_, beta_, place);
    }
    CopyOut<T>(v, call_.dst, at, x_);
  }

 private:
  // numbers_ to the rows' places in a result, whatever its type.
  void Store(const LibraryOperand& dst, uint32_t row, uint32_t rows) const {
    if (dst.given()) {
      StoreNumbers(steps_, dst, row, numbers_, stored_, spread_, rows);
    }
  }
  void GivenNumbers(RowScratch& scratch) {
    const uint32_t all = (shape_.rows + 15) / 16 * 16;
    Floats numbers, rstds, ones;
    scratch.Take(all, numbers, rstds, ones);
    scratch.Take(all * 8, all_means_, all_rstds_);
    const VectorSteps v = steps_.On(shape_.rows);
    v.Muls(numbers, As<float>(call_.mean), 1.0F);
    v.Muls(rstds, As<float>(call_.variance), 1.0F);
    steps_.Rsqrt(rstds, ones, call_.epsilon, shape_.rows);
    if (call_.rstd.given()) {
      v.Muls(As<float>(call_.rstd), rstds, 1.0F);
    }
    steps_.Spread(all_means_, numbers, shape_.rows, 8);
    steps_.Spread(all_rstds_, rstds, shape_.rows, 8);
  }

  const NormCall& call_;
  const NormShape& shape_;
  RowSteps steps_;
  Floats gamma_, beta_, partial_, x_, work_, numbers_, ones_, stored_, spread_, all_means_, all_rstds_;
};

// With s = 1 / sqrt(variance + epsilon), g = dy * gamma and d = x - mean, of each row of k columns:
//   pd_var = -s^3 / 2 * sum(g d), pd_mean = -s * sum(g) - 2 / k * pd_var * sum(d),
//   pd_x = g s + 2 / k * pd_var * d + pd_mean / k, res_for_gamma = d s.
template <class T>
class LayerNormGradRun {
 public:
  LayerNormGradRun(const RowSteps& steps, const LayerNormGradCall& call, RowScratch& scratch)
      : call_(call), shape_(call.shape), steps_(steps) {
    const uint32_t all = (shape_.rows + 15) / 16 * 16;
    const VectorSteps v = steps_.On(shape_.rows);
    gamma_ = WeightsOf<T>(steps_, call.gamma, scratch, shape_);
    Floats means, rstds, ones;
    scratch.Take(all, means, rstds, ones);
    scratch.Take(all * 8, means_, rstds_);
    CopyIn<T>(v, means, call.mean, 0);
    CopyIn<T>(v, rstds, call.variance, 0);
    steps_.Rsqrt(rstds, ones, call.epsilon, shape_.rows);
    steps_.Spread(means_, means, shape_.rows, 8);
    steps_.Spread(rstds_, rstds, shape_.rows, 8);
    partial_ = scratch.Take(scratch.rows() * 64);
    scratch.Take(scratch.rows() * shape_.width, g_, d_, work_);
    numbers_ = scratch.Take(scratch.whole_eights());
    scratch.Take(scratch.whole_eights() * 8, pd_var_, pd_mean_, sum_);
  }

  void Rows(uint32_t row, uint32_t rows) const {
    const RowPlace place = RowPlace::Nd(rows, shape_.columns, shape_.width);
    const uint32_t at = row * shape_.width;
    const VectorSteps v = steps_.On(rows * shape_.width);
    const VectorSteps on_spread = steps_.On(rows * 8);
    const Floats s = rstds_[row * 8];
    const float share = 1.0F / static_cast<float>(shape_.columns);
    CopyIn<T>(v, g_, call_.dy, at);
    steps_.ByColumn(RowOp::kMul, g_, g_, gamma_, place);
    CopyIn<T>(v, d_, call_.x, at);
    steps_.ByRow(RowOp::kSub, d_, d_, means_[row * 8], 8, place);
    v.Mul(work_, g_, d_);
    Sum(pd_var_, work_, place);
    on_spread.Mul(pd_var_, pd_var_, s).Mul(s).Mul(s).Muls(-0.5F);
    Sum(pd_mean_, g_, place);
    on_spread.Mul(pd_mean_, pd_mean_, s);
    Sum(sum_, d_, place);
    on_spread.Mul(sum_, sum_, pd_var_).Muls(2 * share);
    on_spread.Add(pd_mean_, pd_mean_, sum_).Muls(-share);
    on_spread.Muls(pd_var_, pd_var_, 2 * share);
    steps_.ByRow(RowOp::kMul, work_, d_, s, 8, place);
    CopyOut<T>(v, call_.res_for_gamma, at, work_);
    steps_.ByRow(RowOp::kMul, g_, g_, s, 8, place);
    steps_.ByRow(RowOp::kMul, d_, d_, pd_var_, 8, place);
    v.Add(g_, g_, d_);
    steps_.ByRow(RowOp::kAdd, g_, g_, pd_mean_, 8, place);
    CopyOut<T>(v, call_.pd_x, at, g_);
  }

 private:
  void Sum(const Floats& spread, const Floats& src, const RowPlace& place) const {
    steps_.Reduce(RowOp::kAdd, numbers_, src, partial_, place);
    steps_.Spread(spread, numbers_, place.rows, 8);
  }

  const LayerNormGradCall& call_;
  const NormShape& shape_;
  RowSteps steps_;
  Floats gamma_, means_, rstds_, partial_, g_, d_, work_, numbers_, pd_var_, pd_mean_, sum_;
};

template <class T>
class LayerNormGradBetaRun {
 public:
  LayerNormGradBetaRun(const RowSteps& steps, const LayerNormGradBetaCall& call, RowScratch& scratch)
      : call_(call), steps_(steps) {
    scratch.Take(call.shape.width, gamma_, beta_);
    scratch.Take(scratch.rows() * call.shape.width, dy_, res_);
    steps_.On(call.shape.width).Duplicate(gamma_, 0.0F);
    steps_.On(call.shape.width).Duplicate(beta_, 0.0F);
  }
  void Rows(uint32_t row, uint32_t rows) const {
    const NormShape& shape = call_.shape;
    const RowPlace place = RowPlace::Nd(rows, shape.columns, shape.width);
    const VectorSteps v = steps_.On(rows * shape.width);
    CopyIn<T>(v, dy_, call_.dy, row * shape.width);
    CopyIn<T>(v, res_, call_.res_for_gamma, row * shape.width);
    steps_.ReduceColumns(RowOp::kAdd, beta_, dy_, place);
    v.Mul(res_, res_, dy_);
    steps_.ReduceColumns(RowOp::kAdd, gamma_, res_, place);
    if (row + rows == shape.rows) {
      CopyOut<T>(steps_.On(shape.width), call_.pd_gamma, 0, gamma_);
      CopyOut<T>(steps_.On(shape.width), call_.pd_beta, 0, beta_);
    }
  }

 private:
  const LayerNormGradBetaCall& call_;
  RowSteps steps_;
  Floats gamma_, beta_, dy_, res_;
};

uint64_t ElementsOf(const NormShape& shape) { return uint64_t{shape.rows} * shape.width; }
CallTensors TensorsOf(const NormCall& call) {
  const NormShape& shape = call.shape;
  CallTensors tensors;
  tensors.Result("dst", call.dst, ElementsOf(shape))
      .Source("src", call.src, ElementsOf(shape))
      .Source("gx", call.gx, ElementsOf(shape))
      .Source("gamma", call.gamma, shape.width)
      .Source("beta", call.beta, shape.width)
      .Result("rstd", call.rstd, shape.rows);
  if (call.form == NormForm::kGiven) {
    return tensors.Source("mean", call.mean, shape.rows).Source("variance", call.variance, shape.rows);
  }
  tensors.Result("mean", call.mean, shape.rows);
  // Kernels that want neither may give one tensor for both.
  const bool for_both = call.mean.given() && call.variance.given() &&
                        call.mean.bytes.GetPhyAddr() == call.variance.bytes.GetPhyAddr();
  return for_both ? tensors : tensors.Result("variance", call.variance, shape.rows);
}
CallTensors TensorsOf(const LayerNormGradCall& call) {
  const NormShape& shape = call.shape;
  return CallTensors()
      .Result("pdX", call.pd_x, ElementsOf(shape))
      .Result("resForGamma", call.res_for_gamma, ElementsOf(shape))
      .Source("dy", call.dy, ElementsOf(shape))
      .Source("x", call.x, ElementsOf(shape))
      .Source("variance", call.variance, shape.rows)
      .Source("mean", call.mean, shape.rows)
      .Source("gamma", call.gamma, shape.width);
}
CallTensors TensorsOf(const LayerNormGradBetaCall& call) {
  const NormShape& shape = call.shape;
  return CallTensors()
      .Result("pdGamma", call.pd_gamma, shape.width)
      .Result("pdBeta", call.pd_beta, shape.width)
      .Source("resForGamma", call.res_for_gamma, ElementsOf(shape))
      .Source("dy", call.dy, ElementsOf(shape));
}

// Of a call whose `data` is of half or float.
template <class Call, class Work>
void RunNorm(const Call& call, const char* name, const LibraryOperand& data,
             const tilesim::library::RowNeed& need, Work work) {
  const auto check = [&](tilesim::Core& core) {
    RequireHalfOrFloat(data)(core);
    CheckNormShape(core, call.shape, BytesOf(data));
  };
  RunOnRows(call, name, TensorsOf(call), need, call.shape.rows, work, check);
}
template <template <class> class R, class Call>
void RunNormOf(const Call& call, const char* name, const LibraryOperand& data,
               const tilesim::library::RowNeed& need) {
  RunNorm(call, name, data, need, [&](const RowSteps& steps, RowScratch& scratch) {
    WithTypeOf(data, [&]<class T>(T) { RunPieces<R<T>>(steps, call, call.shape.rows, scratch); });
  });
}

}  // namespace

void Run(const NormCall& call) {
  const auto need = tilesim::library::NormNeed(BytesOf(call.src), call.shape.rows, call.shape.width,
                                               call.form == NormForm::kGiven);
  RunNorm(call, call.name, call.src, need, [&](const RowSteps& steps, RowScratch& scratch) {
    const LibraryOperand& weights = call.gamma.given() ? call.gamma : call.beta;
    if (BytesOf(call.src) == 4) {
      RunPieces<NormRun<float, float>>(steps, call, call.shape.rows, scratch);
    } else if (weights.given() && weights.type == VectorType::kFp16) {
      RunPieces<NormRun<half, half>>(steps, call, call.shape.rows, scratch);
    } else {
      RunPieces<NormRun<half, float>>(steps, call, call.shape.rows, scratch);
    }
  });
}

void Run(const LayerNormGradCall& call) {
  RunNormOf<LayerNormGradRun>(
      call, "LayerNormGrad", call.x,
      tilesim::library::LayerNormGradNeed(BytesOf(call.x), call.shape.rows, call.shape.width));
}

void Run(const LayerNormGradBetaCall& call) {
  RunNormOf<LayerNormGradBetaRun>(
      call, "LayerNormGradBeta", call.dy,
      tilesim::library::LayerNormGradBetaNeed(BytesOf(call.dy), call.shape.width));
}

}  // namespace AscendC::simulator

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
void GradOfLayerNorm(const LayerNormGradCall& call, const RowSteps& steps, RowScratch& scratch) {
  const NormShape& shape = call.shape;
  const uint32_t all = (shape.rows + 15) / 16 * 16;
  const VectorSteps on_rows = steps.On(shape.rows);
  const float share = 1.0F / static_cast<float>(shape.columns);
  const Floats gamma = WeightsOf<T>(steps, call.gamma, scratch, shape);
  Floats means, rstds, ones, all_means, all_rstds, g, d, work, pd_var, pd_mean, sums;
  scratch.Take(all, means, rstds, ones);
  scratch.Take(all * 8, all_means, all_rstds);
  CopyIn<T>(on_rows, means, call.mean, 0);
  CopyIn<T>(on_rows, rstds, call.variance, 0);
  steps.Rsqrt(rstds, ones, call.epsilon, shape.rows);
  steps.Spread(all_means, means, shape.rows, 8);
  steps.Spread(all_rstds, rstds, shape.rows, 8);
  const Floats partial = scratch.Take(scratch.rows() * 64);
  scratch.Take(scratch.rows() * shape.width, g, d, work);
  const Floats numbers = scratch.Take(scratch.whole_eights());
  scratch.Take(scratch.whole_eights() * 8, pd_var, pd_mean, sums);
  const auto sum = [&](const Floats& spread, const Floats& src, const RowPlace& place) {
    steps.Reduce(RowOp::kAdd, numbers, src, partial, place);
    steps.Spread(spread, numbers, place.rows, 8);
  };
  ForPieces(shape.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
    const RowPlace place = RowPlace::Nd(rows, shape.columns, shape.width);
    const uint32_t at = row * shape.width;
    const VectorSteps v = steps.On(rows * shape.width);
    const VectorSteps on_spread = steps.On(rows * 8);
    const Floats s = all_rstds[row * 8];
    CopyIn<T>(v, g, call.dy, at);
    steps.ByColumn(RowOp::kMul, g, g, gamma, place);
    CopyIn<T>(v, d, call.x, at);
    steps.ByRow(RowOp::kSub, d, d, all_means[row * 8], 8, place);
    v.Mul(work, g, d);
    sum(pd_var, work, place);
    on_spread.Mul(pd_var, pd_var, s).Mul(s).Mul(s).Muls(-0.5F);
    sum(pd_mean, g, place);
    on_spread.Mul(pd_mean, pd_mean, s);
    sum(sums, d, place);
    on_spread.Mul(sums, sums, pd_var).Muls(2 * share);
    on_spread.Add(pd_mean, pd_mean, sums).Muls(-share);
    on_spread.Muls(pd_var, pd_var, 2 * share);
    steps.ByRow(RowOp::kMul, work, d, s, 8, place);
    CopyOut<T>(v, call.res_for_gamma, at, work);
    steps.ByRow(RowOp::kMul, g, g, s, 8, place);
    steps.ByRow(RowOp::kMul, d, d, pd_var, 8, place);
    v.Add(g, g, d);
    steps.ByRow(RowOp::kAdd, g, g, pd_mean, 8, place);
    CopyOut<T>(v, call.pd_x, at, g);
  });
}

template <class T>
void GradOfWeights(const LayerNormGradBetaCall& call, const RowSteps& steps, RowScratch& scratch) {
  const NormShape& shape = call.shape;
  const VectorSteps on_row = steps.On(shape.width);
  Floats gamma, beta, dy, res;
  scratch.Take(shape.width, gamma, beta);
  scratch.Take(scratch.rows() * shape.width, dy, res);
  on_row.Duplicate(gamma, 0.0F);
  on_row.Duplicate(beta, 0.0F);
  ForPieces(shape.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
    const RowPlace place = RowPlace::Nd(rows, shape.columns, shape.width);
    const VectorSteps v = steps.On(rows * shape.width);
    CopyIn<T>(v, dy, call.dy, row * shape.width);
    CopyIn<T>(v, res, call.res_for_gamma, row * shape.width);
    steps.ReduceColumns(RowOp::kAdd, beta, dy, place);
    v.Mul(res, res, dy);
    steps.ReduceColumns(RowOp::kAdd, gamma, res, place);
  });
  CopyOut<T>(on_row, call.pd_gamma, 0, gamma);
  CopyOut<T>(on_row, call.pd_beta, 0, beta);
}

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
  RunNorm(call, "LayerNormGrad", call.x,
          tilesim::library::LayerNormGradNeed(BytesOf(call.x), call.shape.rows, call.shape.width),
          [&](const RowSteps& steps, RowScratch& scratch) {
            WithTypeOf(call.x, [&]<class T>(T) { GradOfLayerNorm<T>(call, steps, scratch); });
          });
}

void Run(const LayerNormGradBetaCall& call) {
  RunNorm(call, "LayerNormGradBeta", call.dy,
          tilesim::library::LayerNormGradBetaNeed(BytesOf(call.dy), call.shape.width),
          [&](const RowSteps& steps, RowScratch& scratch) {
            WithTypeOf(call.dy, [&]<class T>(T) { GradOfWeights<T>(call, steps, scratch); });
          });
}

}  // namespace AscendC::simulator

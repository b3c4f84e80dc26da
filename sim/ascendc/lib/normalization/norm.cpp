// LayerNorm, RmsNorm, DeepNorm, Normalize, and the gradients of LayerNorm.
#include "sim/ascendc/lib/normalization/norm_rows.h"

namespace AscendC::simulator {

namespace {

// T: of the data; U: of the weights.
template <class T, class U>
void NormRows(const NormCall& call, const RowSteps& steps, RowScratch& scratch) {
  const NormShape& shape = call.shape;
  const uint32_t eights = scratch.whole_eights();
  const float share = 1.0F / static_cast<float>(shape.columns);
  const Floats gamma = WeightsOf<U>(steps, call.gamma, scratch, shape);
  const Floats beta = WeightsOf<U>(steps, call.beta, scratch, shape);
  Floats all_means, all_rstds, x, work, numbers, ones, stored;
  if (call.form == NormForm::kGiven) {
    const uint32_t all = (shape.rows + 15) / 16 * 16;
    Floats means, rstds, spare;
    scratch.Take(all, means, rstds, spare);
    scratch.Take(all * 8, all_means, all_rstds);
    const VectorSteps v = steps.On(shape.rows);
    v.Muls(means, As<float>(call.mean), 1.0F);
    v.Muls(rstds, As<float>(call.variance), 1.0F);
    steps.Rsqrt(rstds, spare, call.epsilon, shape.rows);
    if (call.rstd.given()) {
      v.Muls(As<float>(call.rstd), rstds, 1.0F);
    }
    steps.Spread(all_means, means, shape.rows, 8);
    steps.Spread(all_rstds, rstds, shape.rows, 8);
  }
  const Floats partial = scratch.Take(scratch.rows() * 64);
  scratch.Take(scratch.rows() * shape.width, x, work);
  scratch.Take(eights, numbers, ones, stored);
  const Floats spread = scratch.Take(eights * 8);
  ForPieces(shape.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
    const RowPlace place = RowPlace::Nd(rows, shape.columns, shape.width);
    const uint32_t at = row * shape.width;
    const VectorSteps v = steps.On(rows * shape.width);
    // numbers = the sums of the rows' values, divided; to the rows' places in a result, whatever its type.
    const auto mean_of = [&](const Floats& values) {
      steps.Reduce(RowOp::kAdd, numbers, values, partial, place);
      steps.On(rows).Muls(numbers, numbers, share);
    };
    const auto store = [&](const LibraryOperand& dst) {
      if (dst.given()) {
        StoreNumbers(steps, dst, row, numbers, stored, spread, rows);
      }
    };
    CopyIn<T>(v, x, call.src, at);
    if (call.gx.given()) {
      v.Muls(x, x, call.alpha);
      CopyIn<T>(v, work, call.gx, at);
      v.Add(x, x, work);
    }
    if (call.form == NormForm::kGiven) {
      steps.ByRow(RowOp::kSub, x, x, all_means[row * 8], 8, place);
      steps.ByRow(RowOp::kMul, x, x, all_rstds[row * 8], 8, place);
    } else {
      if (call.form == NormForm::kLayer) {
        mean_of(x);
        store(call.mean);
        steps.Spread(spread, numbers, rows, 8);
        steps.ByRow(RowOp::kSub, x, x, spread, 8, place);
      }
      v.Mul(work, x, x);
      mean_of(work);
      store(call.variance);
      steps.Rsqrt(numbers, ones, call.epsilon, rows);
      store(call.rstd);
      steps.Spread(spread, numbers, rows, 8);
      steps.ByRow(RowOp::kMul, x, x, spread, 8, place);
    }
    if (call.gamma.given()) {
      steps.ByColumn(RowOp::kMul, x, x, gamma, place);
    }
    if (call.beta.given()) {
      steps.ByColumn(RowOp::kAdd, x, x, beta, place);
    }
    CopyOut<T>(v, call.dst, at, x);
  });
}

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
      NormRows<float, float>(call, steps, scratch);
    } else if (weights.given() && weights.type == VectorType::kFp16) {
      NormRows<half, half>(call, steps, scratch);
    } else {
      NormRows<half, float>(call, steps, scratch);
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

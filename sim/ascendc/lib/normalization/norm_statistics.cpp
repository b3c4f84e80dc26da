// WelfordUpdate, WelfordFinalize, GroupNorm and BatchNorm.
#include "sim/ascendc/lib/normalization/norm_rows.h"

namespace AscendC::simulator {

void CheckNormShape(tilesim::Core& core, const NormShape& shape, uint32_t type_bytes) {
  using tilesim::FaultKind;
  const uint32_t unit = ONE_BLK_SIZE / type_bytes;
  core.Require(shape.rows > 0 && shape.columns > 0 && shape.columns <= shape.width, FaultKind::kMisuse,
               "tiling", "is of ", shape.rows, " rows with ", shape.columns, " of ", shape.width,
               " elements; the host's Get...TilingInfo fills it");
  core.Require(shape.width % unit == 0, FaultKind::kAlignment, "tiling", "has rows of ", shape.width,
               " elements, allowed are multiples of ", unit, "; pad the last axis to 32 bytes");
}

namespace {

template <class T>
void UpdateWelford(const WelfordUpdateCall& call, const RowSteps& steps, RowScratch& scratch) {
  const uint32_t piece = scratch.rows() * kFloatLanes;
  Floats delta, moved, mean;
  scratch.Take(piece, delta, moved, mean);
  const auto at = [](const LibraryOperand& operand, uint32_t first) { return As<float>(operand)[first]; };
  ForPieces(call.length, piece, [&](uint32_t first, uint32_t elements) {
    const Floats new_mean = at(call.out_mean, first);
    const Floats new_variance = at(call.out_variance, first);
    const uint32_t left = call.computed > first ? call.computed - first : 0;
    const VectorSteps v = steps.On(std::min(left, elements));
    if (left > 0) {
      CopyIn<T>(v, delta, call.x, first);
      v.Sub(delta, delta, at(call.in_mean, first));
      v.Muls(moved, delta, call.reciprocal);
      v.Add(mean, moved, at(call.in_mean, first));
      v.Sub(moved, delta, moved).Mul(delta);  // x - the new mean, times x - the old one
    }
    if (!call.in_place && left < elements) {
      steps.On(elements).Muls(new_mean, at(call.in_mean, first), 1.0F);
      steps.On(elements).Muls(new_variance, at(call.in_variance, first), 1.0F);
    }
    if (left > 0) {
      v.Add(new_variance, at(call.in_variance, first), moved);
      v.Muls(new_mean, mean, 1.0F);
    }
  });
}

// With weights w of the parts: mean = sum(w mean_i) / all, variance = (sum(m_i) + sum(w (mean_i - mean)^2)) /
// all.
void FinalizeWelford(const WelfordFinalizeCall& call, const RowSteps& steps, RowScratch& scratch) {
  const uint32_t width = (call.length + 7) / 8 * 8;
  const RowPlace place = RowPlace::Nd(1, call.length, width);
  const VectorSteps v = steps.On(call.length);
  const VectorSteps one = steps.On(1);
  const Floats partial = scratch.Take(kFloatLanes);
  Floats weights, work, mean, variance, sum;
  scratch.Take(width, weights, work);
  scratch.Take(8, mean, variance, sum);
  const Floats spread = scratch.Take(64);
  const bool alike = !call.counts.given() && (call.tail_count == 0 || call.head_length == call.length);
  if (call.counts.given()) {
    v.Cast(weights, As<int32_t>(call.counts), RoundMode::CAST_RINT);
  } else {
    v.Duplicate(weights, static_cast<float>(alike ? call.rows : call.tail_count));
    if (!alike && call.head_length > 0) {
      steps.On(call.head_length).Duplicate(weights, static_cast<float>(call.head_count));
    }
  }
  if (alike) {
    steps.Reduce(RowOp::kAdd, mean, As<float>(call.in_mean), partial, place);
    one.Muls(mean, mean, call.length_reciprocal);
  } else {
    v.Mul(work, weights, As<float>(call.in_mean));
    steps.Reduce(RowOp::kAdd, mean, work, partial, place);
    one.Muls(mean, mean, call.all_reciprocal);
  }
  steps.Spread(spread, mean, 1, 8);
  v.Muls(work, As<float>(call.in_mean), 1.0F);
  steps.ByRow(RowOp::kSub, work, work, spread, 8, place);
  v.Mul(work, work, work).Mul(weights);
  steps.Reduce(RowOp::kAdd, variance, work, partial, place);
  steps.Reduce(RowOp::kAdd, sum, As<float>(call.in_variance), partial, place);
  one.Add(variance, variance, sum);
  one.Muls(As<float>(call.out_variance), variance, call.all_reciprocal);
  one.Muls(As<float>(call.out_mean), mean, 1.0F);
}

// Numbers of all rows of weights, each over a data block.
template <class T>
Floats SpreadWeights(const RowSteps& steps, const LibraryOperand& weights, RowScratch& scratch,
                     uint32_t rows) {
  const uint32_t all = (rows + 15) / 16 * 16;
  const Floats numbers = scratch.Take(all);
  const Floats spread = scratch.Take(all * 8);
  CopyIn<T>(steps.On(rows), numbers, weights, 0);
  steps.Spread(spread, numbers, rows, 8);
  return spread;
}

template <class T>
void NormGroups(const GroupNormCall& call, const RowSteps& steps, RowScratch& scratch) {
  const uint32_t channels = call.c / call.groups;
  const uint32_t padded = (channels + 7) / 8 * 8;
  const Floats gamma = SpreadWeights<T>(steps, call.gamma, scratch, call.c);
  const Floats beta = SpreadWeights<T>(steps, call.beta, scratch, call.c);
  const RowPlace place = RowPlace::Nd(channels, call.hw, call.width);
  const Floats partial = scratch.Take(channels * kFloatLanes);
  Floats x, work, sums_partial, number, other, spread;
  scratch.Take(channels * call.width, x, work);
  const Floats sums = scratch.Take(padded);
  scratch.Take(kFloatLanes, sums_partial, number, other, spread);
  const VectorSteps v = steps.On(channels * call.width);
  const float share = 1.0F / static_cast<float>(channels * call.hw);
  const auto mean_of = [&](const Floats& values) {
    steps.Reduce(RowOp::kAdd, sums, values, partial, place);
    steps.Reduce(RowOp::kAdd, number, sums, sums_partial, RowPlace::Nd(1, channels, padded));
    steps.On(1).Muls(number, number, share);
  };
  for (uint32_t group = 0; group < call.n * call.groups; ++group) {
    const uint32_t at = group * channels * call.width;
    const uint32_t channel = group % call.groups * channels;
    CopyIn<T>(v, x, call.src, at);
    mean_of(x);
    StoreNumbers(steps, call.mean, group, number, other, spread, 1);
    steps.Spread(spread, number, 1, 8);
    steps.ByRow(RowOp::kSub, x, x, spread, 0, place);
    v.Mul(work, x, x);
    mean_of(work);
    StoreNumbers(steps, call.variance, group, number, other, spread, 1);
    steps.Rsqrt(number, other, call.epsilon, 1);
    steps.Spread(spread, number, 1, 8);
    steps.ByRow(RowOp::kMul, x, x, spread, 0, place);
    steps.ByRow(RowOp::kMul, x, x, gamma[channel * 8], 8, place);
    steps.ByRow(RowOp::kAdd, x, x, beta[channel * 8], 8, place);
    CopyOut<T>(v, call.dst, at, x);
  }
}

template <class T>
void NormBatches(const BatchNormCall& call, const RowSteps& steps, RowScratch& scratch) {
  const uint32_t columns = call.columns;
  const Floats gamma = SpreadWeights<T>(steps, call.gamma, scratch, call.batches);
  const Floats beta = SpreadWeights<T>(steps, call.beta, scratch, call.batches);
  Floats mean, variance, ones;
  scratch.Take(columns, mean, variance, ones);
  const Floats x = scratch.Take(scratch.rows() * columns);
  const VectorSteps over = steps.On(columns);
  const float share = 1.0F / static_cast<float>(call.batches);
  const auto each = [&](auto work) {
    ForPieces(call.batches, scratch.rows(), [&](uint32_t row, uint32_t rows) {
      CopyIn<T>(steps.On(rows * columns), x, call.src, row * columns);
      work(RowPlace::Nd(rows, columns, columns), row);
    });
  };
  over.Duplicate(mean, 0.0F);
  over.Duplicate(variance, 0.0F);
  each([&](const RowPlace& place, uint32_t) { steps.ReduceColumns(RowOp::kAdd, mean, x, place); });
  over.Muls(mean, mean, share);
  each([&](const RowPlace& place, uint32_t) {
    steps.ByColumn(RowOp::kSub, x, x, mean, place);
    steps.On(place.rows * columns).Mul(x, x, x);
    steps.ReduceColumns(RowOp::kAdd, variance, x, place);
  });
  over.Muls(variance, variance, share);
  CopyOut<T>(over, call.mean, 0, mean);
  CopyOut<T>(over, call.variance, 0, variance);
  steps.Rsqrt(variance, ones, call.epsilon, columns);
  each([&](const RowPlace& place, uint32_t row) {
    steps.ByColumn(RowOp::kSub, x, x, mean, place);
    steps.ByColumn(RowOp::kMul, x, x, variance, place);
    steps.ByRow(RowOp::kMul, x, x, gamma[row * 8], 8, place);
    steps.ByRow(RowOp::kAdd, x, x, beta[row * 8], 8, place);
    CopyOut<T>(steps.On(place.rows * columns), call.dst, row * columns, x);
  });
}

}  // namespace

void Run(const WelfordUpdateCall& call) {
  RunOnRows(
      call, "WelfordUpdate",
      CallTensors()
          .Result("outputMean", call.out_mean, call.length)
          .Result("outputVariance", call.out_variance, call.length)
          .Source("inputMean", call.in_mean, call.length)
          .Source("inputVariance", call.in_variance, call.length)
          .Source("inputX", call.x, call.computed),
      tilesim::library::WelfordUpdateNeed(), (call.length + kFloatLanes - 1) / kFloatLanes,
      [&](const RowSteps& steps, RowScratch& scratch) {
        steps.core().Require(call.rows == 1, tilesim::FaultKind::kMisuse, "rnLength", "is ", call.rows,
                             ", allowed is 1; make a call for each row");
        steps.core().Require(call.computed <= call.length, tilesim::FaultKind::kMisuse, "abComputeLength",
                             "is ", call.computed, ", allowed up to abLength, ", call.length);
        WithTypeOf(call.x, [&]<class T>(T) { UpdateWelford<T>(call, steps, scratch); });
      },
      RequireHalfOrFloat(call.x));
}

void Run(const WelfordFinalizeCall& call) {
  RunOnRows(
      call, "WelfordFinalize",
      CallTensors()
          .Result("outputMean", call.out_mean, 1)
          .Result("outputVariance", call.out_variance, 1)
          .Source("inputMean", call.in_mean, call.length)
          .Source("inputVariance", call.in_variance, call.length)
          .Source("counts", call.counts, call.length),
      tilesim::library::WelfordFinalizeNeed(call.length), 1,
      [&](const RowSteps& steps, RowScratch& scratch) {
        steps.core().Require(call.length > 0 && call.head_length <= call.length, tilesim::FaultKind::kMisuse,
                             "abLength", "is ", call.length, ", headCountLength ", call.head_length);
        FinalizeWelford(call, steps, scratch);
      },
      RequireHalfOrFloat(call.in_mean));
}

void Run(const GroupNormCall& call) {
  const uint32_t bytes = BytesOf(call.src);
  const uint32_t groups = call.groups == 0 ? 1 : call.groups;
  RunOnRows(
      call, "GroupNorm",
      CallTensors()
          .Result("output", call.dst, uint64_t{call.n} * call.c * call.width)
          .Result("outputMean", call.mean, uint64_t{call.n} * call.groups)
          .Result("outputVariance", call.variance, uint64_t{call.n} * call.groups)
          .Source("inputX", call.src, uint64_t{call.n} * call.c * call.width)
          .Source("gamma", call.gamma, call.c)
          .Source("beta", call.beta, call.c),
      tilesim::library::GroupNormNeed(bytes, call.c, call.c / groups, call.width), 1,
      [&](const RowSteps& steps, RowScratch& scratch) {
        CheckNormShape(steps.core(), {call.n * call.c, call.hw, call.width}, bytes);
        steps.core().Require(call.groups > 0 && call.c % groups == 0, tilesim::FaultKind::kMisuse, "tiling",
                             "has ", call.c, " channels in ", call.groups, " groups, which have to be alike");
        WithTypeOf(call.src, [&]<class T>(T) { NormGroups<T>(call, steps, scratch); });
      },
      RequireHalfOrFloat(call.src));
}

void Run(const BatchNormCall& call) {
  const uint32_t bytes = BytesOf(call.src);
  RunOnRows(
      call, "BatchNorm",
      CallTensors()
          .Result("output", call.dst, uint64_t{call.batches} * call.columns)
          .Result("outputMean", call.mean, call.columns)
          .Result("outputVariance", call.variance, call.columns)
          .Source("inputX", call.src, uint64_t{call.batches} * call.columns)
          .Source("gamma", call.gamma, call.batches)
          .Source("beta", call.beta, call.batches),
      tilesim::library::BatchNormNeed(bytes, call.batches, call.columns), call.batches,
      [&](const RowSteps& steps, RowScratch& scratch) {
        CheckNormShape(steps.core(), {call.batches, call.columns, call.columns}, bytes);
        WithTypeOf(call.src, [&]<class T>(T) { NormBatches<T>(call, steps, scratch); });
      },
      RequireHalfOrFloat(call.src));
}

}  // namespace AscendC::simulator

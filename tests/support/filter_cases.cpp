#include "tests/support/filter_cases.h"

#include <algorithm>
#include <cmath>

#include "formats/units.h"

namespace tilesim::testing {

Conv3dProblem MakeProblem(DType dtype, int64_t batch, int64_t cin, Extents3 in, int64_t cout, Extents3 kernel,
                          int64_t groups) {
  Conv3dProblem problem;
  problem.dtype = dtype;
  problem.batch = batch;
  problem.cin = cin;
  problem.cout = cout;
  problem.groups = groups;
  problem.in = in;
  problem.kernel = kernel;
  problem.pad = {(kernel.d - 1) / 2, (kernel.d - 1) / 2, (kernel.h - 1) / 2,
                 (kernel.h - 1) / 2, (kernel.w - 1) / 2, (kernel.w - 1) / 2};
  problem.out = ForwardExtents(problem);
  return problem;
}

FilterPlan MakePlan(const Conv3dProblem& problem, const HandTiling& hand, const SocConfig& soc) {
  const FilterProblem filter = ToFilterProblem(problem);
  const FilterExtents extents = ExtentsOf(filter);
  FilterTiling tiling;
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  SetProblemFields(filter, t);
  const auto c0 = static_cast<uint32_t>(extents.c0);
  t.group = static_cast<uint32_t>(extents.real_groups);
  t.cin1G = static_cast<uint32_t>(extents.cin1_g);
  t.cout1G = static_cast<uint32_t>(extents.cout_g / extents.c0);
  t.channelSize = c0;
  t.m0 = t.n0 = 16;
  t.k0 = c0;
  t.al0Pbuffer = t.bl0Pbuffer = hand.l0_buffers;
  t.cl0Pbuffer = hand.c_buffers;
  t.al1Pbuffer = hand.a1_buffers;
  t.bl1Pbuffer = hand.b1_buffers;
  t.baseM = hand.base_m;
  t.baseN = hand.base_n;
  t.baseK = hand.base_k;
  t.stepM = hand.step_m;
  t.stepN = hand.step_n;
  t.stepKa = hand.step_ka;
  t.stepKb = hand.step_kb;
  t.iterateOrder = hand.order;
  t.hf32Flag = problem.hf32 ? 1 : 0;
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
  t.singleCoreCout = hand.single_m != 0 ? hand.single_m : static_cast<uint32_t>(extents.cout_g);
  t.singleCoreHo = hand.single_ho != 0 ? hand.single_ho : t.ho;
  t.singleCoreCin = hand.single_cin != 0 ? hand.single_cin : t.cin1G * c0;
  // rows and lines that a step of B can need, at most
  const uint32_t rows_out = std::min<uint32_t>(t.ho, (t.stepKb * t.baseK + t.wo - 2) / t.wo + 1);
  const uint32_t rows_in =
      std::min<uint32_t>(t.hi, (rows_out - 1) * t.strideH + (t.hk - 1) * t.dilationH + 1);
  const uint32_t lines =
      std::min<uint32_t>(t.cin1G, (t.stepN * t.baseN / c0 + t.hk * t.wk - 2) / (t.hk * t.wk) + 1);
  t.bl1Bound = rows_in * t.wi * lines * c0;
  tiling.data.params.totalL1Size = static_cast<uint32_t>(soc.l1_bytes);
  tiling.data.basicBlockTiling = {.singleCoreM = t.singleCoreCout,
                                  .singleCoreN = static_cast<uint32_t>(t.singleCoreCin) * t.hk * t.wk,
                                  .singleCoreK = t.singleCoreHo * t.wo};
  FilterSplit& split = tiling.split;
  split.strategy = FilterStrategy::kBasicBlockMK;
  split.batch_dim = problem.batch * problem.out.d;
  split.group_dim = extents.real_groups;
  split.dk_dim = problem.kernel.d;
  split.m_dim = CeilDiv(extents.cout_g, static_cast<int64_t>(t.singleCoreCout));
  split.k_dim = CeilDiv(problem.out.h, static_cast<int64_t>(t.singleCoreHo));
  split.n_dim = CeilDiv(extents.cin1_g * extents.c0, static_cast<int64_t>(t.singleCoreCin));
  if (split.n_dim > 1) {
    split.strategy = split.k_dim > 1 ? FilterStrategy::kBasicBlockNK : FilterStrategy::kBasicBlockMN;
  }
  split.used_cores = hand.cores;
  split.groups = problem.groups;
  split.merged_groups = extents.merged;
  return {.tiling = tiling, .legal = true, .planner = "by hand", .reasons = {}};
}

std::vector<FilterCase> SynchronisationCases() {
  const Conv3dProblem small = MakeProblem(DType::kFp16, 1, 32, {2, 6, 8}, 32, {1, 3, 3});
  const Conv3dProblem wide = MakeProblem(DType::kBf16, 1, 16, {1, 8, 16}, 64, {1, 3, 3});
  const Conv3dProblem single = MakeProblem(DType::kFp32, 1, 16, {1, 6, 10}, 32, {3, 3, 3});
  return {
      {"double buffers, N fast", small, {.step_ka = 2, .step_kb = 1, .cores = 2}},
      {"double buffers, M fast", small, {.step_ka = 1, .step_kb = 2, .order = 1, .cores = 2}},
      {"single buffers",
       small,
       {.l0_buffers = 1, .c_buffers = 1, .a1_buffers = 1, .b1_buffers = 1, .cores = 2}},
      {"all of K in L1", small, {.step_m = 2, .step_n = 2, .step_ka = 3, .step_kb = 3}},
      {"large blocks", wide, {.base_m = 64, .base_n = 64, .base_k = 32, .c_buffers = 1, .cores = 3}},
      {"fp32", single, {.base_m = 32, .base_n = 32, .base_k = 16, .step_ka = 2, .step_kb = 2, .cores = 3}},
      {"rows split over cores", wide, {.base_m = 32, .base_n = 48, .base_k = 16, .single_ho = 2, .cores = 4}},
  };
}

FilterInputs MakeInputs(const Conv3dProblem& problem, uint64_t seed, bool whole) {
  FilterInputs inputs{Tensor(problem.dtype, problem.XLayout()), Tensor(problem.dtype, problem.DyLayout())};
  const double range = whole ? 4.0 : 1.0;
  FillRandom(inputs.x, seed, -range, range);
  FillRandom(inputs.dy, seed + 1, -range, range);
  if (whole) {
    const auto make_whole = [&](Tensor& tensor) {
      const auto each = [](auto elements) {
        for (auto& element : elements) {
          element = std::nearbyint(static_cast<float>(element));
        }
      };
      problem.dtype == DType::kFp16   ? each(tensor.As<Half>())
      : problem.dtype == DType::kBf16 ? each(tensor.As<BFloat16>())
                                      : each(tensor.As<float>());
    };
    make_whole(inputs.x);
    make_whole(inputs.dy);
  }
  return inputs;
}

}  // namespace tilesim::testing

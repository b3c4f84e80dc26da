#include "ops/matmul/matmul_operator.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "ops/harness/comparison.h"
#include "ops/matmul/matmul_kernel.h"
#include "ops/matmul/matmul_reference.h"
#include "ops/plans/plan_cost.h"
#include "ops/plans/plan_of_op.h"
#include "ops/plans/space_tilings.h"
#include "sim/isa/cost.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_op_planner.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/matmul_api/matmul_request.h"

namespace tilesim {
namespace {

Plan AsPlan(MatmulPlan plan) {
  const bool planned = plan.tiling.data.baseM != 0 || plan.legal;
  return {std::move(plan), planned};
}

// As the tiling class answers that programs of the Matmul object ask. Cores share K where C may be added to.
MatmulPlan PlanByApi(const MatmulProblem& p, const SocConfig& soc, int64_t cores) {
  using matmul_tiling::CubeFormat;
  using matmul_tiling::DataType;
  const auto type = [](DType dtype) {
    return dtype == DType::kFp16   ? DataType::DT_FLOAT16
           : dtype == DType::kBf16 ? DataType::DT_BF16
                                   : DataType::DT_FLOAT;
  };
  MatmulApiRequest request;
  request.a = {true, AscendC::TPosition::GM, CubeFormat::ND, type(p.dtype), p.transpose_a};
  request.b = {true, AscendC::TPosition::GM, CubeFormat::ND, type(p.dtype), p.transpose_b};
  request.c = {true, AscendC::TPosition::GM, CubeFormat::ND, type(p.out), false};
  request.shape = {p.m, p.n, p.k};
  request.hf32 = p.hf32;
  request.splits_k = p.out == DType::kFp32;
  request.cores = cores;
  const MatmulApiPlan api = PlanMatmulApi(request, soc);
  MatmulPlan plan;
  if (api.reasons.empty()) {
    plan = CheckMatmulTiling(p, MatmulTilingOf(api.tiling), soc, cores);
    plan.why = Explained(ToMatmulShape(p), plan.tiling, CoreMemoryOf(soc));
  }
  plan.planner = "api";
  for (std::string& sentence : SentencesOf(api.reasons)) {
    plan.reasons.push_back(std::move(sentence));
  }
  return plan;
}

}  // namespace

MatmulShape ToMatmulShape(const MatmulProblem& p) {
  return {.dtype = p.dtype,
          .out = p.out,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .transpose_a = p.transpose_a,
          .transpose_b = p.transpose_b,
          .hf32 = p.hf32};
}

MatmulPlan CheckMatmulTiling(const MatmulProblem& problem, const MatmulTiling& tiling, const SocConfig& soc,
                             int64_t cores) {
  const MatmulShape shape = ToMatmulShape(problem);
  MatmulPlan plan;
  plan.tiling = tiling;
  plan.planner = "given";
  plan.reasons = SentencesOf(WhyNot(tiling, shape, CoreMemoryOf(soc), cores));
  plan.legal = plan.reasons.empty();
  return plan;
}

std::vector<OperatorTensor> MatmulOperator::Inputs() const {
  return {{"a", problem_.dtype, problem_.ALayout(), problem_.ALayout()},
          {"b", problem_.dtype, problem_.BLayout(), problem_.BLayout()}};
}

std::vector<OperatorTensor> MatmulOperator::Outputs() const {
  return {{"c", problem_.out, problem_.CLayout(), problem_.CLayout()}};
}

Plan MatmulOperator::MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const {
  if (planner == PlannerKind::kApi) {
    return AsPlan(PlanByApi(problem_, soc, cores));
  }
  const CostModel<MatmulTiling> cost = Remembering(CostModelOf<MatmulTiling>(*this, soc));
  return AsPlan(PlanOfOp(PlanMatmulOp(ToMatmulShape(problem_), soc, cores, cost)));
}

Plan MatmulOperator::GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                               int64_t cores) const {
  const MatmulTiling tiling = ParseMatmulTiling(json, where);
  Plan plan = AsPlan(CheckMatmulTiling(problem_, tiling, soc, cores));
  if (plan.legal) {
    plan.why = Explained(ToMatmulShape(problem_), tiling, CoreMemoryOf(soc));
  }
  return plan;
}

std::unique_ptr<TunableTilings> MatmulOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<SpaceTilings<MatmulTiling>>(
      AllTilingsOf(ToMatmulShape(problem_), soc, cores, LeastWork(soc).gm_read_bytes),
      [problem = problem_, &soc, cores](const MatmulTiling& tiling) {
        return Plan(CheckMatmulTiling(problem, tiling, soc, cores), true);
      },
      [type = problem_.dtype](const MatmulTiling& tiling) { return MatmulBytesOf(tiling.data, type).l1; });
}

void MatmulOperator::Kernel(const Plan& plan, std::span<uint8_t* const> gm) const {
  const auto& tiling = std::get<MatmulTiling>(plan.tiling);
  const MatmulShape shape = ToMatmulShape(problem_);
  const bool fp32_out = problem_.out == DType::kFp32;
  switch (problem_.dtype) {
    case DType::kFp16:
      return fp32_out ? MatmulKernel<half, float>().Process(gm[0], gm[1], gm[2], tiling, shape)
                      : MatmulKernel<half, half>().Process(gm[0], gm[1], gm[2], tiling, shape);
    case DType::kBf16:
      return fp32_out ? MatmulKernel<bfloat16_t, float>().Process(gm[0], gm[1], gm[2], tiling, shape)
                      : MatmulKernel<bfloat16_t, bfloat16_t>().Process(gm[0], gm[1], gm[2], tiling, shape);
    default:
      return MatmulKernel<float, float>().Process(gm[0], gm[1], gm[2], tiling, shape);
  }
}

std::vector<Truth> MatmulOperator::Reference(std::span<const Tensor> inputs, int threads) const {
  MatmulReference reference = ReferenceMatmul(problem_, inputs[0], inputs[1], threads);
  std::vector<Truth> truths(1);
  truths[0].values = std::move(reference.c);
  truths[0].absdot = std::move(reference.absdot);
  truths[0].products = static_cast<double>(problem_.k);
  return truths;
}

// A chain is what one task adds up in L0C.
Rule MatmulOperator::RuleOf(const Plan& plan, const Truth& truth) const {
  const MatmulTilingData& data = std::get<MatmulTiling>(plan.tiling).data;
  const double chain = std::min(truth.products, static_cast<double>(data.singleCoreK));
  return RuleOfChains(chain, std::ceil(truth.products / std::max(chain, 1.0)), truth.products);
}

Work MatmulOperator::LeastWork(const SocConfig& soc) const {
  const MatmulProblem& p = problem_;
  const int64_t fractals = isa::MmadCost(soc, p.dtype, p.hf32, p.m, p.n, p.k).busy_cycles;
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  return {.cube_cycles = fractals - soc.mmad_issue_cycles,
          .gm_read_bytes = (p.m * p.k + p.k * p.n) * element_bytes,
          .gm_write_bytes = p.m * p.n * static_cast<int64_t>(SizeOf(p.out)),
          .fixpipe_writes = true};
}

}  // namespace tilesim

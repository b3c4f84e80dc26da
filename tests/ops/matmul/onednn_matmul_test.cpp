// oneDNN's fp32 matrix product against the direct loop and against the operator on the simulated part.
#include <gtest/gtest.h>

#include <algorithm>
#include <dnnl.hpp>
#include <iostream>
#include <unordered_map>

#include "formats/compare.h"
#include "ops/matmul/matmul_reference.h"
#include "tests/ops/matmul/random_matmul.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using dnnl::memory;

memory::desc Described(int64_t rows, int64_t columns, bool transposed) {
  const memory::dims strides =
      transposed ? memory::dims{1, rows} : memory::dims{columns, 1};  // of (rows, columns)
  return {{rows, columns}, memory::data_type::f32, strides};
}

std::vector<double> OneDnnMatmul(const MatmulProblem& p, const Tensor& a, const Tensor& b) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto given = [&](const Tensor& tensor, const memory::desc& description) {
    memory values(description, engine);
    std::ranges::copy(tensor.As<float>(), static_cast<float*>(values.get_data_handle()));
    return values;
  };
  const memory::desc of_a = Described(p.m, p.k, p.transpose_a);
  const memory::desc of_b = Described(p.k, p.n, p.transpose_b);
  const memory::desc of_c = Described(p.m, p.n, false);
  const dnnl::matmul::primitive_desc product(dnnl::matmul::desc(of_a, of_b, of_c), engine);
  memory c(of_c, engine);
  dnnl::stream stream(engine);
  dnnl::matmul(product).execute(
      stream, {{DNNL_ARG_SRC, given(a, of_a)}, {DNNL_ARG_WEIGHTS, given(b, of_b)}, {DNNL_ARG_DST, c}});
  stream.wait();
  const auto* const values = static_cast<const float*>(c.get_data_handle());
  return {values, values + p.m * p.n};
}

TEST(OneDnnMatmul, AgreesWithTheLoopAndTheTileProgram) {
  const uint32_t kSeed = 41 + static_cast<uint32_t>(TestTurn());
  std::cout << "seed " << kSeed << "\n";
  testing::MatmulPicker pick(kSeed);
  const SocConfig soc = LoadSoc("ascend910b2");
  for (int trial = 0; trial < Repetitions(100); ++trial) {
    MatmulProblem p = testing::RandomMatmul(pick);
    p.dtype = p.out = DType::kFp32;
    p.hf32 = false;
    const std::string what = Say("trial ", trial, ", ", testing::Description(p));
    const std::vector<Tensor> inputs = testing::MatmulInputs(p, static_cast<uint64_t>(trial), false);
    const std::vector<double> expected = OneDnnMatmul(p, inputs[0], inputs[1]);
    const MatmulReference reference = ReferenceMatmul(p, inputs[0], inputs[1], 2);
    Tensor loop(DType::kFp32, p.CLayout());
    std::ranges::transform(reference.c, loop.As<float>().begin(),
                           [](double value) { return static_cast<float>(value); });
    const auto expect_within = [&](const Tensor& result, std::string_view of) {
      const Comparison comparison =
          Compare(result, expected, reference.absdot, 2 * static_cast<double>(p.k), Rule::kAnyOrder);
      EXPECT_TRUE(comparison.equal) << what << ", " << of << ": "
                                    << Text(comparison.first.value_or(Mismatch{}), result.layout());
    };
    expect_within(loop, "the loop");
    const Plan plan = testing::PlanOf(p, testing::RandomMatmulTiling(pick, p, soc), soc);
    expect_within(RunOperator(MatmulOperator(p), plan, soc, inputs, {.threads = 2}).outputs.front(),
                  "the tile program");
  }
}

}  // namespace
}  // namespace tilesim

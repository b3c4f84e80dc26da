// Single shapes of the input gradient's object API against the direct loops, with strides by zeros between
// the pixels of the gradient in L1 and by phases.
#include <array>
#include <cstring>
#include <random>

#include "formats/compare.h"
#include "gtest/gtest.h"
#include "lib/conv_backprop/conv3d_bp_input_api.h"
#include "ops/conv3d_backprop/device_layout.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "ops/device_tensor.h"
#include "tests/support/input_cases.h"

namespace {

using ConvCommonApi::ConvFormat;

template <class T, const ConvBackpropApi::Conv3dConfig& config, ConvFormat format>
using GradInputWith = ConvBackpropApi::Conv3DBackpropInputWith<
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, T>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::ND, int32_t>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, T>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, format, T>, config>;

// dx of the whole problem on one core, a single shape for each plane, `times` times stored or added.
template <class T, const ConvBackpropApi::Conv3dConfig& config, ConvFormat format>
tilesim::LaunchResult RunShapes(const tilesim::Conv3dProblem& problem, const TConv3DBackpropInputTiling& t,
                                tilesim::Tensor& dy, tilesim::Tensor& filter, tilesim::Tensor& dx,
                                uint8_t atomic, int times) {
  tilesim::LaunchOptions options{.threads = 1};
  const auto add = [&](const char* name, tilesim::Tensor& tensor) {
    options.gm.Add({.name = name,
                    .address = reinterpret_cast<uint64_t>(tensor.data()),
                    .size_bytes = tensor.size_bytes()});
  };
  add("dy", dy);
  add("filter", filter);
  add("dx", dx);
  return tilesim::Launch(tilesim::LoadSoc("ascend910b2"), options, [&] {
    AscendC::GlobalTensor<T> tensors[3];
    tensors[0].SetGlobalBuffer(reinterpret_cast<T*>(dy.data()));
    tensors[1].SetGlobalBuffer(reinterpret_cast<T*>(filter.data()));
    tensors[2].SetGlobalBuffer(reinterpret_cast<T*>(dx.data()));
    const int32_t start = -static_cast<int32_t>(t.backpropPadUp);
    const int32_t first_row =
        start > 0 ? (start + static_cast<int32_t>(t.strideH) - 1) / static_cast<int32_t>(t.strideH) : 0;
    GradInputWith<T, config, format> grad_input;
    const bool blocked = format == ConvFormat::NDC1HWC0;
    const uint64_t channels = blocked ? t.cin1 * t.c0 : t.cin;
    grad_input.Init(&t);
    for (int time = 0; time < times; ++time) {
      for (uint64_t n = 0; n < t.batch; ++n) {
        grad_input.SetWeight(tensors[1]);
        grad_input.SetGradOutput(
            tensors[0][(n * t.dout * t.cout1 * t.ho + static_cast<uint64_t>(first_row)) * t.wo * t.c0]);
        for (uint32_t d = 0; d < t.di; ++d) {
          grad_input.SetSingleShape(uint64_t{t.hi} * t.wi, uint64_t{t.dk} * t.cout1 * t.hk * t.wk * t.c0,
                                    t.cin1 * t.c0);
          grad_input.SetStartPosition(d, start);
          grad_input.ctx.isFirstIter_ = true;
          while (grad_input.Iterate()) {
            grad_input.GetTensorC(tensors[2][n * t.di * channels * t.hi * t.wi], atomic);
          }
        }
      }
    }
    grad_input.End();
    EXPECT_EQ(problem.in.h, t.hi);
  });
}

template <const ConvBackpropApi::Conv3dConfig& config, ConvFormat format = ConvFormat::NDC1HWC0>
void ExpectExact(const tilesim::Conv3dProblem& problem, const tilesim::testing::HandInputTiling& hand,
                 const std::string& what) {
  using tilesim::DType;
  tilesim::testing::InputInputs inputs = tilesim::testing::MakeInputInputs(problem, 11, true);
  const tilesim::InputReference reference =
      tilesim::ReferenceInputGradient(problem, inputs.dy, inputs.filter);
  const tilesim::InputTiling tiling = tilesim::testing::MakeInputPlan(problem, hand).tiling;
  tilesim::Tensor dy = tilesim::ToDevice(std::move(inputs.dy), tilesim::DeviceDyLayout(problem));
  tilesim::Tensor filter = tilesim::ToDevice(std::move(inputs.filter), tilesim::DeviceFilterLayout(problem));
  tilesim::Tensor dx(problem.dtype,
                     format == ConvFormat::NCDHW ? problem.XLayout() : tilesim::DeviceXLayout(problem));
  std::memset(dx.data(), 0xFF, dx.size_bytes());
  const auto run = [&]<class T>(T) {
    return RunShapes<T, config, format>(problem, tiling.data.conv3DDxTiling, dy, filter, dx, 0, 1);
  };
  tilesim::LaunchResult result;
  if (problem.dtype == DType::kFp16) {
    result = run(half());
  } else if (problem.dtype == DType::kBf16) {
    result = run(bfloat16_t());
  } else if constexpr (format == ConvFormat::NDC1HWC0) {
    result = run(float());
  }
  for (const tilesim::Fault& fault : result.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  const tilesim::Comparison comparison =
      Compare(tilesim::ToHost(dx, problem.XLayout()), reference.dx, reference.absdot,
              static_cast<double>(reference.products), tilesim::Rule::kExact);
  EXPECT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " of " << comparison.elements
                                << " differ";
}

// Strides by zeros between the pixels of the gradient in L1, and by phases; kernels smaller than the stride.
TEST(Conv3DBackpropInput, EqualsTheLoopsWithAndWithoutKernelSplit) {
  constexpr unsigned kSeed = 20261125;
  std::mt19937 random(kSeed);
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  int run = 0;
  for (int trial = 0; run < 40 && trial < 1000; ++trial) {
    tilesim::Conv3dProblem problem;
    problem.dtype = std::array{tilesim::DType::kFp16, tilesim::DType::kBf16,
                               tilesim::DType::kFp32}[static_cast<size_t>(pick(0, 2))];
    problem.cin = pick(1, 40);
    problem.cout = pick(1, 40);
    problem.in = {pick(1, 3), pick(1, 14), pick(1, 24)};
    problem.kernel = {pick(1, 2), pick(1, 4), pick(1, 4)};
    problem.stride = {pick(1, 2), pick(1, 6), pick(1, 6)};
    problem.dilation = {1, pick(1, 3), pick(1, 3)};
    problem.pad = {0, 0, pick(0, 5), pick(0, 5), pick(0, 5), pick(0, 5)};
    problem.out = ForwardExtents(problem);
    if (tilesim::WhyNot(problem)) {
      continue;
    }
    ++run;
    const tilesim::testing::HandInputTiling hand{
        .base_m = static_cast<uint32_t>(16 * pick(1, 4)),
        .base_n = static_cast<uint32_t>(16 * pick(1, 2)),
        .k_lines = static_cast<uint32_t>(pick(1, 2)),
        .a1_buffers = static_cast<uint32_t>(pick(1, 2)),
        .order = static_cast<uint32_t>(pick(0, 1)),
    };
    const std::string what = "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial);
    ExpectExact<ConvBackpropApi::CONV3D_CFG_DEFAULT>(problem, hand, what + ", zeros between");
    ExpectExact<ConvBackpropApi::CONV3D_CFG_KERNEL_SPLIT>(problem, hand, what + ", split");
    if (problem.dtype != tilesim::DType::kFp32) {
      ExpectExact<ConvBackpropApi::CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(problem, hand, what + ", NCDHW");
    }
  }
  EXPECT_EQ(run, 40);
}

TEST(Conv3DBackpropInput, AddsWhereItIsAskedTo) {
  const tilesim::Conv3dProblem problem =
      tilesim::testing::MakeProblem(tilesim::DType::kFp32, 1, 8, {1, 4, 8}, 8, {1, 3, 3});
  tilesim::testing::InputInputs inputs = tilesim::testing::MakeInputInputs(problem, 11, true);
  const tilesim::InputReference reference =
      tilesim::ReferenceInputGradient(problem, inputs.dy, inputs.filter);
  const tilesim::InputTiling tiling = tilesim::testing::MakeInputPlan(problem, {}).tiling;
  tilesim::Tensor dy = tilesim::ToDevice(std::move(inputs.dy), tilesim::DeviceDyLayout(problem));
  tilesim::Tensor filter = tilesim::ToDevice(std::move(inputs.filter), tilesim::DeviceFilterLayout(problem));
  tilesim::Tensor dx(problem.dtype, tilesim::DeviceXLayout(problem));  // zeros
  const tilesim::LaunchResult result =
      RunShapes<float, ConvBackpropApi::CONV3D_CFG_DEFAULT, ConvFormat::NDC1HWC0>(
          problem, tiling.data.conv3DDxTiling, dy, filter, dx, 1, 3);
  EXPECT_TRUE(result.faults.empty());
  const tilesim::Tensor host = tilesim::ToHost(dx, problem.XLayout());
  const auto values = host.As<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], 3 * reference.dx[i]) << i;
  }
}

}  // namespace

// Single shapes of the input gradient's object API against the direct loops, with strides by zeros between
// the pixels of the gradient in L1 and by phases.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "formats/compare.h"
#include "formats/units.h"
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

// How the single shapes of a run are stored.
struct Storing {
  uint8_t atomic = 0;
  int times = 1;
  bool states_cin = true;  // where N begins
};

// One single shape after the other of a whole problem, in parts of singleCoreM and singleCoreCin.
template <class T, const ConvBackpropApi::Conv3dConfig& config, ConvFormat format>
class Shapes {
 public:
  Shapes(const TConv3DBackpropInputTiling& t, const std::array<AscendC::GlobalTensor<T>, 3>& tensors,
         const Storing& storing)
      : t_(t), dy_(tensors[0]), filter_(tensors[1]), dx_(tensors[2]), storing_(storing) {
    grad_input_.Init(&t_);
  }

  void RunAll() {
    for (int64_t n = 0; n < t_.batch; ++n) {
      for (int64_t group = 0; group < t_.group; ++group) {
        for (int64_t row = 0; row < t_.hi; row += Rows()) {
          for (int64_t line = 0; line < LinesOf(group); line += t_.singleCoreCin1) {
            Run(n, group, row, line);
          }
        }
      }
    }
  }
  void End() { grad_input_.End(); }

 private:
  int64_t Rows() const { return static_cast<int64_t>(t_.singleCoreM / t_.wi); }
  int64_t LinesOf(int64_t group) const {
    return std::min<int64_t>(t_.cin1G, int64_t{t_.cin1} - group * t_.cin1G);
  }
  void Run(int64_t n, int64_t group, int64_t row, int64_t line) {
    const int64_t c0 = t_.c0;
    const int64_t window = int64_t{t_.hk} * t_.wk;
    const int64_t planes = std::min<int64_t>(t_.cout1G, int64_t{t_.cout1} - group * t_.cout1G);
    const int64_t lines = std::min<int64_t>(t_.singleCoreCin1, LinesOf(group) - line);
    const int64_t start = row - static_cast<int32_t>(t_.backpropPadUp);
    const int64_t first_row = start > 0 ? (start + t_.strideH - 1) / t_.strideH : 0;
    const int64_t channel = (group * t_.cin1G + line) * c0;
    const int64_t channels = tilesim::AlignUp(t_.cout1G * c0, int64_t{16});  // of cout, in a group's weights
    const int64_t plane = int64_t{t_.hi} * t_.wi;
    const int64_t at = format == ConvFormat::NCDHW
                           ? (n * t_.cin + channel) * t_.di * plane + row * t_.wi
                           : n * t_.di * t_.cin1 * plane * c0 + channel * plane + row * t_.wi * c0;
    grad_input_.SetWeight(
        filter_[static_cast<uint64_t>((group * t_.dk * t_.cin1G + line) * window * channels * c0)]);
    grad_input_.SetGradOutput(dy_[static_cast<uint64_t>(
        ((n * t_.dout * t_.cout1 + group * t_.cout1G) * t_.ho + first_row) * t_.wo * c0)]);
    for (uint32_t d = 0; d < t_.di; ++d) {
      const int64_t rows = std::min<int64_t>(Rows(), t_.hi - row);
      grad_input_.SetSingleShape(static_cast<uint64_t>(rows * t_.wi),
                                 static_cast<uint64_t>(t_.dk * planes * window * c0),
                                 static_cast<uint32_t>(lines * c0));
      if (storing_.states_cin) {
        grad_input_.SetStartPosition(d, static_cast<int32_t>(start), channel);
      } else {
        grad_input_.SetStartPosition(d, static_cast<int32_t>(start));
      }
      grad_input_.ctx.isFirstIter_ = true;
      while (grad_input_.Iterate()) {
        grad_input_.GetTensorC(dx_[static_cast<uint64_t>(at)], storing_.atomic);
      }
    }
  }

  const TConv3DBackpropInputTiling& t_;
  AscendC::GlobalTensor<T> dy_, filter_, dx_;
  Storing storing_;
  GradInputWith<T, config, format> grad_input_;
};

// dx of the whole problem on one core.
template <class T, const ConvBackpropApi::Conv3dConfig& config, ConvFormat format>
tilesim::LaunchResult RunShapes(const TConv3DBackpropInputTiling& t, tilesim::Tensor& dy,
                                tilesim::Tensor& filter, tilesim::Tensor& dx, const Storing& storing) {
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
    std::array<AscendC::GlobalTensor<T>, 3> tensors;
    tensors[0].SetGlobalBuffer(reinterpret_cast<T*>(dy.data()));
    tensors[1].SetGlobalBuffer(reinterpret_cast<T*>(filter.data()));
    tensors[2].SetGlobalBuffer(reinterpret_cast<T*>(dx.data()));
    Shapes<T, config, format> shapes(t, tensors, storing);
    for (int time = 0; time < storing.times; ++time) {
      shapes.RunAll();
    }
    shapes.End();
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
    return RunShapes<T, config, format>(tiling.data.conv3DDxTiling, dy, filter, dx, {});
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

// Parts of rows, of channels and of both, in groups or not, whose last channels fill no line: of two images
// the second begins in dx where the first ends, so that a part which passes its last channel overwrites.
TEST(Conv3DBackpropInput, EqualsTheLoopsInPartsWithTheLastLineNotFull) {
  struct Parts {
    const char* name;
    int64_t cin, cout, groups, rows, lines;
  };
  for (const Parts& parts :
       {Parts{"rows", 21, 20, 1, 3, 0}, Parts{"channels", 37, 20, 1, 0, 1}, Parts{"both", 53, 33, 1, 2, 2},
        Parts{"groups", 40, 40, 5, 0, 0}, Parts{"groups in parts", 72, 72, 3, 3, 2},
        Parts{"groups, the last not full", 21, 21, 3, 2, 1}}) {
    tilesim::Conv3dProblem problem = tilesim::testing::MakeProblem(
        tilesim::DType::kFp16, 2, parts.cin, {2, 7, 9}, parts.cout, {1, 3, 3}, parts.groups);
    const tilesim::testing::HandInputTiling hand{
        .base_m = 32, .single_rows = parts.rows, .single_lines = parts.lines};
    const std::string what = parts.name;
    ExpectExact<ConvBackpropApi::CONV3D_CFG_DEFAULT>(problem, hand, what);
    ExpectExact<ConvBackpropApi::CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(problem, hand, what + ", NCDHW");
    problem.stride = {1, 2, 2};
    problem.out = ForwardExtents(problem);
    ExpectExact<ConvBackpropApi::CONV3D_CFG_KERNEL_SPLIT>(problem, hand, what + ", split");
    ExpectExact<ConvBackpropApi::CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(problem, hand,
                                                                        what + ", strides, NCDHW");
  }
}

// What a run with dx in NCDHW, 37 channels in parts of 16, is refused with.
std::string RefusalOfParts(const Storing& storing) {
  const tilesim::Conv3dProblem problem =
      tilesim::testing::MakeProblem(tilesim::DType::kFp16, 2, 37, {1, 4, 8}, 16, {1, 1, 1});
  tilesim::testing::InputInputs inputs = tilesim::testing::MakeInputInputs(problem, 11, true);
  const tilesim::InputTiling tiling = tilesim::testing::MakeInputPlan(problem, {.single_lines = 1}).tiling;
  tilesim::Tensor dy = tilesim::ToDevice(std::move(inputs.dy), tilesim::DeviceDyLayout(problem));
  tilesim::Tensor filter = tilesim::ToDevice(std::move(inputs.filter), tilesim::DeviceFilterLayout(problem));
  tilesim::Tensor dx(problem.dtype, problem.XLayout());
  const tilesim::LaunchResult result =
      RunShapes<half, ConvBackpropApi::CONV3D_CFG_DEFAULT, ConvFormat::NCDHW>(tiling.data.conv3DDxTiling, dy,
                                                                              filter, dx, storing);
  return result.faults.empty() ? "" : result.faults.front().what;
}

TEST(Conv3DBackpropInput, RefusesPartsOfNThatMayPassTheLastChannelOfNcdhw) {
  EXPECT_EQ(RefusalOfParts({}), "");
  const std::string refusal = RefusalOfParts({.states_cin = false});
  EXPECT_NE(refusal.find("state the first channel of N as third argument of SetStartPosition"),
            std::string::npos)
      << refusal;
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
          tiling.data.conv3DDxTiling, dy, filter, dx, {.atomic = 1, .times = 3});
  EXPECT_TRUE(result.faults.empty());
  const tilesim::Tensor host = tilesim::ToHost(dx, problem.XLayout());
  const auto values = host.As<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], 3 * reference.dx[i]) << i;
  }
}

}  // namespace

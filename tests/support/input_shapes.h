// Runs of the input gradient's object API by hand: single shapes of a whole problem, one after the other, on
// some cores.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "formats/compare.h"
#include "formats/units.h"
#include "gtest/gtest.h"
#include "lib/conv_backprop/conv3d_bp_input_api.h"
#include "ops/conv3d_backprop/device_layout.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "ops/harness/device_tensor.h"
#include "tests/support/input_cases.h"

namespace tilesim::testing {

using ConvBackpropApi::Conv3dConfig;
using ConvCommonApi::ConvFormat;

template <class T, const Conv3dConfig& config = ConvBackpropApi::CONV3D_CFG_DEFAULT,
          ConvFormat format = ConvFormat::NDC1HWC0>
using GradInputWith = ConvBackpropApi::Conv3DBackpropInputWith<
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvFormat::FRACTAL_Z_3D, T>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvFormat::ND, int32_t>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvFormat::NDC1HWC0, T>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, format, T>, config>;

// How the single shapes of a run are stored, and by how many cores.
struct Storing {
  uint8_t atomic = 0;
  int times = 1;
  bool states_cin = true;  // where N begins
  int64_t cores = 1;       // each takes every cores-th part of rows and channels
};

// One single shape after the other of a whole problem, in parts of singleCoreM and singleCoreCin.
template <class T, const Conv3dConfig& config, ConvFormat format>
class Shapes {
 public:
  Shapes(const TConv3DBackpropInputTiling& t, const std::array<AscendC::GlobalTensor<T>, 3>& tensors,
         const Storing& storing)
      : t_(t), dy_(tensors[0]), filter_(tensors[1]), dx_(tensors[2]), storing_(storing) {
    grad_input_.Init(&t_);
  }

  // Those of the core in hand.
  void RunAll() {
    int64_t part = 0;
    for (int64_t n = 0; n < t_.batch; ++n) {
      for (int64_t group = 0; group < t_.group; ++group) {
        for (int64_t row = 0; row < t_.hi; row += Rows()) {
          for (int64_t line = 0; line < LinesOf(group); line += t_.singleCoreCin1) {
            if (part++ % AscendC::GetBlockNum() == AscendC::GetBlockIdx()) {
              Run(n, group, row, line);
            }
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
    const int64_t channels = AlignUp(t_.cout1G * c0, int64_t{16});  // of cout, in a group's weights
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

// dx of the whole problem.
template <class T, const Conv3dConfig& config, ConvFormat format>
LaunchResult RunShapes(const TConv3DBackpropInputTiling& t, Tensor& dy, Tensor& filter, Tensor& dx,
                       const Storing& storing, LaunchOptions options = {}) {
  options.threads = 1;
  options.blocks = storing.cores;
  const auto add = [&](const char* name, Tensor& tensor) {
    options.gm.Add({.name = name,
                    .address = reinterpret_cast<uint64_t>(tensor.data()),
                    .size_bytes = tensor.size_bytes()});
  };
  add("dy", dy);
  add("filter", filter);
  add("dx", dx);
  return Launch(LoadSoc("ascend910b2"), options, [&] {
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

// Device tensors of a problem with whole numbers, and the tiling.
template <ConvFormat format>
struct InputRun {
  InputReference reference;
  InputTiling tiling;
  Tensor dy, filter, dx;

  static InputRun Of(const Conv3dProblem& problem, const HandInputTiling& hand) {
    InputInputs inputs = MakeInputInputs(problem, 11, true);
    InputReference reference = ReferenceInputGradient(problem, inputs.dy, inputs.filter);
    InputRun run{.reference = std::move(reference),
                 .tiling = MakeInputPlan(problem, hand).tiling,
                 .dy = ToDevice(std::move(inputs.dy), DeviceDyLayout(problem)),
                 .filter = ToDevice(std::move(inputs.filter), DeviceFilterLayout(problem)),
                 .dx = Tensor(problem.dtype,
                              format == ConvFormat::NCDHW ? problem.XLayout() : DeviceXLayout(problem))};
    std::memset(run.dx.data(), 0xFF, run.dx.size_bytes());
    return run;
  }

  template <const Conv3dConfig& config>
  LaunchResult Start(const Storing& storing, const LaunchOptions& options = {}) {
    const TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    switch (dx.dtype()) {
      case DType::kFp16:
        return RunShapes<half, config, format>(t, dy, filter, dx, storing, options);
      case DType::kBf16:
        return RunShapes<bfloat16_t, config, format>(t, dy, filter, dx, storing, options);
      default:
        return RunShapes<float, config, format>(t, dy, filter, dx, storing, options);
    }
  }
};

// A small problem of any type, strides, dilations and pads, and a tiling by hand. Not every one is legal.
struct RandomSingleShape {
  Conv3dProblem problem;
  HandInputTiling hand;

  explicit RandomSingleShape(std::mt19937& random) {
    const auto pick = [&](int64_t least, int64_t most) {
      return std::uniform_int_distribution<int64_t>(least, most)(random);
    };
    problem.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
    problem.cin = pick(1, 40);
    problem.cout = pick(1, 40);
    problem.in = {pick(1, 3), pick(1, 14), pick(1, 24)};
    problem.kernel = {pick(1, 2), pick(1, 4), pick(1, 4)};
    problem.stride = {pick(1, 2), pick(1, 6), pick(1, 6)};
    problem.dilation = {1, pick(1, 3), pick(1, 3)};
    problem.pad = {0, 0, pick(0, 5), pick(0, 5), pick(0, 5), pick(0, 5)};
    problem.out = ForwardExtents(problem);
    hand = {.base_m = static_cast<uint32_t>(16 * pick(1, 4)),
            .base_n = static_cast<uint32_t>(16 * pick(1, 2)),
            .k_lines = static_cast<uint32_t>(pick(1, 2)),
            .a1_buffers = static_cast<uint32_t>(pick(1, 2)),
            .order = static_cast<uint32_t>(pick(0, 1))};
  }
};

// Those of a part of a problem's rows and channels, whose last channels fill no line: of two images the
// second begins in dx where the first ends, so that a part which passes its last channel overwrites.
struct PartsOfAProblem {
  const char* name;
  int64_t cin, cout, groups, rows, lines;  // of cin1 a part; 0: all of them

  [[nodiscard]] Conv3dProblem Of(DType dtype) const {
    return MakeProblem(dtype, 2, cin, {2, 7, 9}, cout, {1, 3, 3}, groups);
  }
  [[nodiscard]] HandInputTiling Tiling() const {
    return {.base_m = 32, .single_rows = rows, .single_lines = lines};
  }
};
inline constexpr PartsOfAProblem kParts[] = {{"rows", 21, 20, 1, 3, 0},
                                             {"channels", 37, 20, 1, 0, 1},
                                             {"both", 53, 33, 1, 2, 2},
                                             {"groups", 40, 40, 5, 0, 0},
                                             {"groups in parts", 72, 72, 3, 3, 2},
                                             {"groups, the last not full", 21, 21, 3, 2, 1}};

// No report, and the direct loops' values to the bit.
template <const Conv3dConfig& config, ConvFormat format = ConvFormat::NDC1HWC0>
void ExpectExact(const Conv3dProblem& problem, const HandInputTiling& hand, const std::string& what,
                 const Storing& storing = {}) {
  InputRun<format> run = InputRun<format>::Of(problem, hand);
  const LaunchResult result = run.template Start<config>(storing);
  for (const Fault& fault : result.faults) {
    ADD_FAILURE() << what << ": " << fault.Text();
    return;
  }
  const Comparison comparison =
      Compare(ToHost(run.dx, problem.XLayout()), run.reference.dx, run.reference.absdot,
              static_cast<double>(run.reference.products), Rule::kExact);
  EXPECT_TRUE(comparison.equal) << what << ": " << comparison.mismatches << " of " << comparison.elements
                                << " differ";
}

// Three runs that add into zeros give three times the direct loops' values.
template <ConvFormat format>
void ExpectTripled(const Conv3dProblem& problem) {
  InputRun<format> run = InputRun<format>::Of(problem, {});
  std::memset(run.dx.data(), 0, run.dx.size_bytes());
  const LaunchResult result =
      run.template Start<ConvBackpropApi::CONV3D_CFG_DEFAULT>({.atomic = 1, .times = 3});
  EXPECT_TRUE(result.faults.empty());
  const Tensor host = ToHost(run.dx, problem.XLayout());
  const auto values = host.template As<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], 3 * run.reference.dx[i]) << i;
  }
}

}  // namespace tilesim::testing

// The TensorFlow.js signatures against tensors that TensorFlow.js itself computed, and against the direct
// loops.
#include "ops/conv3d_backprop/tfjs_signatures.h"

#include <gtest/gtest.h>

#include "formats/compare.h"
#include "formats/npy.h"
#include "ops/cases/case_file.h"
#include "ops/cases/refusal.h"
#include "ops/conv3d_backprop/filter_reference.h"
#include "ops/conv3d_backprop/input_reference.h"
#include "tests/ops/conv3d_backprop/random_conv.h"

namespace tilesim::tfjs {
namespace {

// A tensor of a file in canonical order, as doubles.
std::vector<double> Expected(const std::string& path, const Layout& layout) {
  const Tensor tensor = Converted(ReadNpy(path, DType::kFp32, layout), CanonicalLayout(layout));
  return {tensor.As<float>().begin(), tensor.As<float>().end()};
}

const Case& OracleCase(const CaseFile& file, std::string_view id) {
  for (const Case& item : file.cases) {
    if (item.id == id) {
      return item;
    }
  }
  throw std::logic_error(std::string(id));
}

void ExpectWithin(const Tensor& result, const std::vector<double>& expected,
                  const std::vector<double>& absdot, int64_t products, const std::string& what) {
  const Comparison comparison =
      Compare(result, expected, absdot, static_cast<double>(products), Rule::kAnyOrder, Overflow::kSaturate);
  EXPECT_TRUE(comparison.equal) << what << ": " << Text(*comparison.first, result.layout());
}

// The calls that made the oracle's tensors.
struct InputCall {
  std::string_view id;
  Strides strides;
  Pad pad;
  std::string_view data_format = "";  // 2D
  std::string_view dim_rounding_mode = "";
};

TEST(TfjsSignatures, InputGradientsEqualTensorFlowJs) {
  const InputCall calls[] = {{"dx3-j-001-valid", 1, "valid"},
                             {"dx3-j-003-same-s213", {2, 1, 3}, "same"},
                             {"dx3-j-005-num1", {1, 2, 1}, 1},
                             {"dx3-j-007-k1s2-valid", 2, "valid"},
                             {"dx3-j-009-k-gt-input", 1, "same"},
                             {"dx2-j-001-valid", 1, "valid", "NHWC"},
                             {"dx2-j-003-num2", 2, 2, "NHWC"},
                             {"dx2-j-005-nchw", {2, 1}, "same", "NCHW"},
                             {"dx2-j-007-ceil", 2, 0, "NHWC", "ceil"},
                             {"dx2-j-009-round-down", 3, 0, "NHWC", "round"},
                             {"dx2-j-011-same-s-gt-k", 3, "same", "NHWC"}};
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv_backprop_input.csv");
  for (const InputCall& call : calls) {
    const Case& oracle = OracleCase(file, call.id);
    const Conv3dProblem& p = oracle.conv();
    const Tensor dy = ReadNpy(oracle.dy_file, p.dtype, p.DyLayout());
    const Tensor filter = ReadNpy(oracle.w_file, p.dtype, p.FilterLayout());
    const std::vector<int64_t> shape = p.XLayout().StorageShape();
    LaunchResult launch;
    const Options options = {.launch = &launch};
    const Tensor dx = call.data_format.empty()
                          ? Conv3DBackpropInputV2(dy, filter, shape, call.strides, call.pad, options)
                          : Conv2DBackpropInput(dy, filter, shape, call.strides, call.pad, call.data_format,
                                                call.dim_rounding_mode, options);
    EXPECT_EQ(dx.dtype(), p.dtype) << oracle.id;
    EXPECT_EQ(dx.layout(), p.XLayout()) << oracle.id;
    EXPECT_GT(launch.cycles, 0) << oracle.id;
    const InputReference reference = ReferenceInputGradient(p, dy, filter);
    ExpectWithin(dx, Expected(oracle.expected_file, p.XLayout()), reference.absdot, reference.products,
                 oracle.id);
  }
}

TEST(TfjsSignatures, Conv3DBackpropFilterV2EqualsTensorFlowJs) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv");
  struct Call {
    std::string_view id;
    Strides strides;
    Pad pad;
  };
  const Call calls[] = {{"dw3-j-001-valid", 1, "valid"}, {"dw3-j-003-num1", {1, 2, 1}, 1}};
  for (const Call& call : calls) {
    const Case& oracle = OracleCase(file, call.id);
    const Conv3dProblem& p = oracle.conv();
    Tensor x = ReadNpy(oracle.x_file, p.dtype, p.XLayout());
    Tensor dy = ReadNpy(oracle.dy_file, p.dtype, p.DyLayout());
    const FilterReference reference = ReferenceFilterGradient(p, x, dy);
    LaunchResult launch;
    const Tensor dw = Conv3DBackpropFilterV2(std::move(x), std::move(dy), p.FilterLayout().StorageShape(),
                                             call.strides, call.pad, {.launch = &launch});
    EXPECT_EQ(dw.dtype(), DType::kFp32);
    EXPECT_EQ(dw.layout(), p.FilterLayout());
    EXPECT_GT(launch.cycles, 0);
    ExpectWithin(dw, Expected(oracle.expected_file, p.FilterLayout()), reference.absdot, reference.products,
                 oracle.id);
  }
}

TEST(TfjsSignatures, Conv3DBackpropFilterV2TakesFloat32) {
  Conv3dProblem p;
  p.dtype = DType::kFp32;
  p.layout = Format::kNDHWC;
  p.filter_layout = Format::kDHWIO;
  p.batch = 2;
  p.cin = 3;
  p.cout = 5;
  p.in = {4, 6, 7};
  p.kernel = {1, 2, 3};
  p.stride = {2, 3, 4};
  p.pad = SamePads(p.Walk());
  p.out = ForwardExtents(p);
  Tensor x = testing::RandomTensor(p.dtype, p.XLayout(), 1, -1, 1);
  Tensor dy = testing::RandomTensor(p.dtype, p.DyLayout(), 2, -1, 1);
  const FilterReference reference = ReferenceFilterGradient(p, x, dy);
  const Tensor dw = Conv3DBackpropFilterV2(std::move(x), std::move(dy), {1, 2, 3, 3, 5}, {2, 3, 4}, "same");
  ExpectWithin(dw, reference.dw, reference.absdot, reference.products, "same");
}

TEST(TfjsSignatures, RefuseWhatTensorFlowJsAnswersWithNaN) {
  const Tensor x(DType::kFp16, Layout(Format::kNDHWC, {2, 2, 3, 3, 3}));
  const Tensor dy(DType::kFp16, Layout(Format::kNDHWC, {1, 2, 3, 3, 3}));  // another batch
  EXPECT_THROW((void)Conv3DBackpropFilterV2(x, dy, {1, 1, 1, 2, 2}, 1, "valid"), RefusedInput);
  const Tensor filter(DType::kFp16, Layout(Format::kDHWIO, {2, 2, 1, 1, 1}));
  EXPECT_THROW((void)Conv3DBackpropInputV2(dy, filter, {2, 3, 3, 3, 2}, 1, "valid"), RefusedInput);
  EXPECT_THROW((void)Conv3DBackpropInputV2(dy, filter, {1, 3, 3, 4, 2}, 1, "valid"), RefusedInput);
  const Tensor flat_dy(DType::kFp16, Layout(Format::kNHWC, {1, 2, 2, 2}));
  const Tensor flat(DType::kFp16, Layout(Format::kHWIO, {2, 2, 2, 2}));
  EXPECT_THROW((void)Conv2DBackpropInput(flat_dy, flat, {1, 4, 4, 2}, 1, 0, "NHWC"), RefusedInput);
  EXPECT_THROW((void)Conv2DBackpropInput(flat_dy, flat, {1, 3, 3, 2}, 1, 0, "NCHW"), RefusedInput);
}

}  // namespace
}  // namespace tilesim::tfjs

// The TensorFlow.js signatures of pooling against tensors that TensorFlow.js itself computed, and against the
// direct loops.
#include "ops/max_pool/tfjs_pool_signatures.h"

#include <gtest/gtest.h>

#include <functional>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/cases/refusal.h"
#include "ops/max_pool/pool_case.h"
#include "ops/max_pool/pool_reference.h"
#include "tests/ops/max_pool/pool_rows.h"

namespace tilesim::tfjs {
namespace {

constexpr const char* kFolder = "tests/data/oracle/";

// One row of the oracle's files.
struct Oracle {
  CaseCells cells;
  PoolProblem problem;

  [[nodiscard]] Tensor Read(const std::string& column, DType dtype, const Layout& layout) const {
    return ReadNpy(kFolder + cells.at(column), dtype, layout);
  }
  [[nodiscard]] Tensor X() const { return Read("x_file", problem.dtype, problem.XLayout()); }
  [[nodiscard]] Tensor Dy() const { return Read("dy_file", problem.dtype, problem.YLayout()); }
};

Oracle OracleOf(const std::string& id) {
  for (const char* file : {"max_pool.csv", "max_pool_grad.csv", "max_pool_nan.csv"}) {
    for (const CaseCells& cells : tilesim::testing::ReadRows(Say(kFolder, file))) {
      if (cells.at("id") == id) {
        return {cells, ReadPoolProblem(cells, cells.at("op").starts_with("max_pool2d"))};
      }
    }
  }
  throw std::logic_error(id);
}

void ExpectSame(const Tensor& found, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(found.layout(), expected.layout()) << what;
  for (int64_t i = 0; i < found.layout().LogicalElements(); ++i) {
    const std::vector<int64_t> at = found.layout().Coord(i);
    ASSERT_EQ(found.Get(at), expected.Get(at)) << what << " at " << found.layout().CoordText(at);
  }
}

// The oracle's values are float32; those of fp16 results it holds are not all rounded yet.
void ExpectFile(const Tensor& found, const Oracle& oracle, const std::string& column) {
  const Tensor expected = oracle.Read(column, DType::kFp32, found.layout());
  ExpectSame(found, Rounded(expected, found.dtype()), oracle.cells.at("id"));
}

TEST(TfjsPoolSignatures, ForwardEqualsTensorFlowJs) {
  const Oracle same = OracleOf("mp2-j-002-valid-neg");
  LaunchResult launch;
  ExpectFile(MaxPool(same.X(), 3, 2, "same", "", {.launch = &launch}), same, "expected_file");
  EXPECT_GT(launch.cycles, 0);
  const Oracle given = OracleOf("mp2-j-004-explicit");
  const Pad pads = ExplicitPads{{0, 0}, {0, 1}, {3, 0}, {0, 0}};
  ExpectFile(MaxPool(given.X(), {3, 4}, {2, 1}, pads), given, "expected_file");
  const Oracle deep = OracleOf("mp3-j-001-same");
  ExpectFile(MaxPool3D(deep.X(), {2, 3, 2}, {1, 2, 1}, "same"), deep, "expected_file");
  const Oracle ceil = OracleOf("mp3-j-003-num1-ceil");
  ExpectFile(MaxPool3D(ceil.X(), 3, 2, 1, "ceil"), ceil, "expected_file");
}

TEST(TfjsPoolSignatures, ArgmaxEqualsTensorFlowJs) {
  struct Row {
    std::string id;
    bool batch;
  };
  const std::string keep_infinities[] = {"numerics.ieee=1"};
  const Options options = {.soc = LoadSoc("ascend910b2", keep_infinities)};
  for (const Row& row : {Row{"mp2-j-006-argmax-batch", true}, Row{"nan-mp2-j-009", false},
                         Row{"inf-mp2-j-011-all-ninf", false}}) {
    const Oracle oracle = OracleOf(row.id);
    const ResultAndIndexes found = MaxPoolWithArgmax(oracle.X(), 2, 2, "valid", row.batch, options);
    ExpectFile(found.result, oracle, "expected_file");
    ExpectSame(found.indexes, oracle.Read("expected_argmax_file", DType::kInt32, oracle.problem.YLayout()),
               row.id);
  }
}

TEST(TfjsPoolSignatures, GradientsEqualTensorFlowJs) {
  const auto y = [](const Oracle& oracle) { return Tensor(oracle.problem.dtype, oracle.problem.YLayout()); };
  const Oracle same = OracleOf("mg2-j-002-same-overlap");
  ExpectFile(MaxPoolGrad(same.Dy(), same.X(), y(same), {3, 2}, 1, "same"), same, "expected_file");
  const Oracle ceil = OracleOf("mg2-j-004-ceil");
  ExpectFile(MaxPoolGrad(ceil.Dy(), ceil.X(), y(ceil), 3, 2, 0, "ceil"), ceil, "expected_file");
  const Oracle valid = OracleOf("mg3-j-001-valid");
  ExpectFile(MaxPool3DGrad(valid.Dy(), valid.X(), y(valid), 2, 2, "valid"), valid, "expected_file");
  const Oracle deep = OracleOf("mg3-j-003-kd-differs");
  ExpectFile(MaxPool3DGrad(deep.Dy(), deep.X(), y(deep), {3, 2, 2}, {2, 1, 2}, "same"), deep,
             "expected_file");
}

// MaxPool3DGrad of TensorFlow.js is wrong there: window 1x2x3, the maximum at (1, 0).
TEST(TfjsPoolSignatures, TheGradientIn3dFindsItsElementWhereHeightAndWidthDiffer) {
  Tensor x(DType::kFp32, Layout(Format::kNDHWC, {1, 1, 1, 2, 3}));
  x.Set({0, 0, 0, 1, 0}, 9);
  Tensor dy(DType::kFp32, Layout(Format::kNDHWC, {1, 1, 1, 1, 1}));
  dy.Set({0, 0, 0, 0, 0}, 2);
  const Tensor dx = MaxPool3DGrad(dy, x, dy, {1, 2, 3}, 1, "valid");
  Tensor expected(DType::kFp32, x.layout());
  expected.Set({0, 0, 0, 1, 0}, 2);
  ExpectSame(dx, expected, "dx");
}

TEST(TfjsPoolSignatures, MaxPool3DTakesChannelsFirst) {
  Tensor x(DType::kBf16, Layout(Format::kNCDHW, {2, 5, 3, 6, 7}));
  FillRandom(x, 1, -1, 1);
  const Tensor first = MaxPool3D(x, 2, {1, 2, 2}, "same", "", "NCDHW");
  const Tensor last = MaxPool3D(Converted(x, Layout(Format::kNDHWC, {2, 5, 3, 6, 7})), 2, {1, 2, 2}, "same");
  EXPECT_EQ(first.layout().format(), Format::kNCDHW);
  ExpectSame(Converted(first, last.layout()), last, "y");
}

TEST(TfjsPoolSignatures, AnEmptyBatchGivesAnEmptyResult) {
  const Tensor x(DType::kFp16, Layout(Format::kNHWC, {0, 3, 4, 4}));
  const Tensor y = MaxPool(x, 2, 2, "valid");
  EXPECT_EQ(y.layout(), Layout(Format::kNHWC, {0, 3, 2, 2}));
  EXPECT_EQ(MaxPoolWithArgmax(x, 2, 2, "valid", true).indexes.size_bytes(), 0U);
  EXPECT_EQ(MaxPoolGrad(y, x, y, 2, 2, "valid").layout(), x.layout());
}

TEST(TfjsPoolSignatures, RefuseTensorsThatAreNotThoseOfTheCall) {
  const Tensor x(DType::kFp16, Layout(Format::kNHWC, {1, 3, 4, 4}));
  const Tensor y(DType::kFp16, Layout(Format::kNHWC, {1, 3, 2, 2}));
  const Tensor other(DType::kFp16, Layout(Format::kNHWC, {1, 3, 2, 1}));
  EXPECT_THROW((void)MaxPoolGrad(other, x, y, 2, 2, "valid"), RefusedInput);
  EXPECT_THROW((void)MaxPoolGrad(y, x, other, 2, 2, "valid"), RefusedInput);
  EXPECT_THROW((void)MaxPoolGrad(y, Rounded(x, DType::kBf16), y, 2, 2, "valid"), RefusedInput);
  EXPECT_THROW((void)MaxPool(Converted(x, Layout(Format::kNCHW, {1, 3, 4, 4})), 2, 2, "valid"), RefusedInput);
  EXPECT_THROW((void)MaxPool(Tensor(DType::kInt32, x.layout()), 2, 2, "valid"), RefusedInput);
  EXPECT_THROW((void)MaxPool(x, 5, 1, 0), RefusedInput);
  EXPECT_THROW((void)MaxPool3D(Tensor(DType::kFp16, Layout(Format::kNDHWC, {1, 3, 4, 4, 4})), 2, 2, "valid",
                               "", "NHWC"),
               RefusedInput);
}

}  // namespace
}  // namespace tilesim::tfjs

// The direct loops of pooling against tensors that PyTorch and TensorFlow.js computed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "formats/npy.h"
#include "ops/max_pool/pool_argmax.h"
#include "ops/max_pool/pool_case.h"
#include "ops/max_pool/pool_reference.h"
#include "tests/ops/max_pool/pool_rows.h"

namespace tilesim {
namespace {

constexpr const char* kFolder = "tests/data/oracle/";

struct Row {
  explicit Row(const CaseCells& given)
      : cells(given),
        id(given.at("id")),
        problem(ReadPoolProblem(given, given.at("op").starts_with("max_pool2d"))) {}

  [[nodiscard]] Tensor Read(const std::string& column, DType dtype, const Layout& layout) const {
    return ReadNpy(kFolder + cells.at(column), dtype, layout);
  }
  // In canonical order, as float32 or as int32.
  [[nodiscard]] std::vector<double> Expected(const std::string& column, DType dtype,
                                             const Layout& layout) const {
    const Tensor tensor = Converted(Read(column, dtype, layout), CanonicalLayout(layout));
    std::vector<double> values;
    for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
      values.push_back(tensor.Get(tensor.layout().Coord(i)));
    }
    return values;
  }

  CaseCells cells;
  std::string id;
  PoolProblem problem;
};

void ExpectSame(const std::vector<double>& found, const std::vector<double>& expected, const Row& row) {
  ASSERT_EQ(found.size(), expected.size()) << row.id;
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << row.id << " at " << i;
    } else {
      ASSERT_EQ(found[i], expected[i]) << row.id << " at " << i;
    }
  }
}

// Sums of a few values of dy: exact in double, rounded once to the expected float32.
void ExpectGradient(const PoolGradReference& found, const std::vector<double>& expected, const Row& row) {
  std::vector<double> rounded;
  for (const double value : found.dx) {
    rounded.push_back(static_cast<float>(value));
  }
  ExpectSame(rounded, expected, row);
  EXPECT_LE(found.products, std::atoll(row.cells.at("products").c_str())) << row.id;
}

struct Counts {
  int values = 0;
  int argmax = 0;
  int recomputed = 0;
  int given = 0;
};

void Check(const Row& row, Counts& counts) {
  const PoolProblem& p = row.problem;
  if (!row.cells.at("op").ends_with("_grad")) {
    const PoolReference reference = ReferenceMaxPool(p, row.Read("x_file", p.dtype, p.XLayout()));
    ExpectSame(reference.y, row.Expected("expected_file", DType::kFp32, p.YLayout()), row);
    ++counts.values;
    if (row.cells.contains("expected_argmax_file")) {
      ExpectSame(reference.argmax, row.Expected("expected_argmax_file", DType::kInt32, p.YLayout()), row);
      ++counts.argmax;
    }
    return;
  }
  const Tensor dy = row.Read("dy_file", p.dtype, p.YLayout());
  const std::vector<double> dx = row.Expected("expected_file", DType::kFp32, p.XLayout());
  ExpectGradient(ReferenceMaxPoolGradOfInput(p, dy, row.Read("x_file", p.dtype, p.XLayout())), dx, row);
  ++counts.recomputed;
  if (row.cells.contains("argmax_file")) {
    const Tensor argmax = row.Read("argmax_file", DType::kInt32, p.YLayout());
    EXPECT_FALSE(WhyNotArgmax(p, argmax).has_value()) << row.id;
    ExpectGradient(ReferenceMaxPoolGrad(p, dy, argmax), dx, row);
    ++counts.given;
  }
}

Counts CheckFile(const std::string& name) {
  Counts counts;
  for (const CaseCells& cells : testing::ReadRows(kFolder + name)) {
    Check(Row(cells), counts);
  }
  return counts;
}

TEST(PoolOracle, ForwardEqualsPyTorchAndTensorFlow) {
  const Counts counts = CheckFile("max_pool.csv");
  EXPECT_EQ(counts.values, 17);
  EXPECT_EQ(counts.argmax, 13);
}

TEST(PoolOracle, GradientsEqualPyTorchAndTensorFlow) {
  const Counts counts = CheckFile("max_pool_grad.csv");
  EXPECT_EQ(counts.recomputed, 20);
  EXPECT_EQ(counts.given, 8);
}

TEST(PoolOracle, NaNAndMinusInfinityEqualPyTorchAndTensorFlow) {
  const Counts counts = CheckFile("max_pool_nan.csv");
  EXPECT_EQ(counts.values, 5);
  EXPECT_EQ(counts.argmax, 5);
  EXPECT_EQ(counts.recomputed, 2);
  EXPECT_EQ(counts.given, 1);
}

}  // namespace
}  // namespace tilesim

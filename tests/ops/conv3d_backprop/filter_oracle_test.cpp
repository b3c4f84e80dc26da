// The direct loops of the filter gradient against tensors that PyTorch and TensorFlow.js computed.
#include <gtest/gtest.h>

#include <cmath>

#include "formats/npy.h"
#include "ops/cases/case_file.h"
#include "ops/conv3d_backprop/filter_reference.h"

namespace tilesim {
namespace {

TEST(FilterOracle, DirectLoopsEqualPyTorchAndTensorFlow) {
  const CaseFile file = ReadCaseFile("tests/data/oracle/conv3d_backprop_filter.csv");
  ASSERT_EQ(file.cases.size(), 16U);
  for (const Case& oracle : file.cases) {
    const Conv3dProblem& p = oracle.conv();
    const Tensor x = ReadNpy(oracle.x_file, p.dtype, p.XLayout());
    const Tensor dy = ReadNpy(oracle.dy_file, p.dtype, p.DyLayout());
    const FilterReference reference = ReferenceFilterGradient(p, x, dy);
    const Tensor expected = Converted(ReadNpy(oracle.expected_file, DType::kFp32, p.FilterLayout()),
                                      CanonicalLayout(p.FilterLayout()));
    for (size_t i = 0; i < reference.dw.size(); ++i) {
      // both are sums of exact products in double, rounded once to float
      const double bound = 0x1p-24 * std::abs(reference.dw[i]) + 1e-13 * reference.absdot[i];
      ASSERT_LE(std::abs(double{expected.As<float>()[i]} - reference.dw[i]), bound)
          << oracle.id << " at " << i;
    }
    if (!oracle.absdot_file.empty()) {
      const Tensor absdot = Converted(ReadNpy(oracle.absdot_file, DType::kFp32, p.FilterLayout()),
                                      CanonicalLayout(p.FilterLayout()));
      for (size_t i = 0; i < reference.absdot.size(); ++i) {
        ASSERT_NEAR(absdot.As<float>()[i], reference.absdot[i], 1e-5 * reference.absdot[i])
            << oracle.id << " at " << i;
      }
    }
    EXPECT_LE(reference.products, oracle.products) << oracle.id;  // theirs count padding
  }
}

}  // namespace
}  // namespace tilesim

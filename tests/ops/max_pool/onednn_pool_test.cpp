// oneDNN's fp32 pooling and its gradient against the direct loops.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "ops/max_pool/pool_reference.h"
#include "tests/ops/max_pool/onednn_pooling.h"
#include "tests/ops/max_pool/random_pool.h"

namespace tilesim {
namespace {

// Elements are all different, so that no tie asks who is first; without an element in a window there is
// nothing to agree on: oneDNN gives the least float, not -inf.
TEST(OneDnnPool, AgreesWithTheDirectLoops) {
  constexpr uint32_t kSeed = 46;
  std::mt19937 random(kSeed);
  std::cout << "seed " << kSeed << "\n";
  int overlapping = 0;
  int dilated = 0;
  for (int trial = 0; trial < 120;) {
    PoolProblem p = testing::RandomPool(random, 2e5);
    p.dtype = DType::kFp32;
    if (!testing::OneDnnTakes(p)) {
      continue;
    }
    ++trial;
    const Tensor x = testing::DistinctTensor(p.dtype, p.XLayout(), random);
    Tensor dy(p.dtype, p.YLayout());
    FillRandom(dy, random(), -1, 1);
    const testing::OneDnnPooling theirs = testing::OneDnnMaxPool(p, x, dy);
    const PoolReference forward = ReferenceMaxPool(p, x, 2);
    const PoolGradReference gradient = ReferenceMaxPoolGradOfInput(p, dy, x, 2);
    for (size_t i = 0; i < forward.y.size(); ++i) {
      if (forward.argmax[i] >= 0) {
        ASSERT_EQ(theirs.y[i], forward.y[i]) << testing::Description(p) << " y at " << i;
      }
    }
    for (size_t i = 0; i < gradient.dx.size(); ++i) {
      const double bound = 0x1p-24 * static_cast<double>(gradient.products) * gradient.absdot[i];
      ASSERT_LE(std::abs(theirs.dx[i] - gradient.dx[i]), bound) << testing::Description(p) << " dx at " << i;
    }
    overlapping += gradient.products > 1 ? 1 : 0;
    dilated += p.windows.dilation == Extents3{1, 1, 1} ? 0 : 1;
  }
  EXPECT_GT(overlapping, 30);
  EXPECT_GT(dilated, 30);
}

}  // namespace
}  // namespace tilesim

// Poolings run from case to verdict on a 910B2, and their outputs held against each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "ops/harness/harness.h"
#include "tests/support/default_soc.h"

namespace tilesim::testing {

inline Case PoolCaseOf(CaseCells cells) {
  cells.try_emplace("op", "max_pool2d");
  cells.try_emplace("input", "2x70x15x16");
  cells.try_emplace("filter", "3x3");
  cells.try_emplace("stride", "2");
  cells.try_emplace("pad", "1");
  return ReadCase(cells, 1, "");
}

inline HarnessOptions Comparing() {
  HarnessOptions options;
  options.threads = 2;
  options.compare = true;
  return options;
}

inline bool SameBytes(const Tensor& left, const Tensor& right) {
  return left.layout() == right.layout() && left.size_bytes() == right.size_bytes() &&
         std::equal(left.data(), left.data() + left.size_bytes(), right.data());
}

inline void ExpectSameOutputs(const CaseResult& left, const CaseResult& right) {
  ASSERT_EQ(left.outputs.size(), right.outputs.size());
  ASSERT_FALSE(left.outputs.empty()) << left.message;
  for (size_t i = 0; i < left.outputs.size(); ++i) {
    EXPECT_TRUE(SameBytes(left.outputs[i], right.outputs[i])) << left.id << ": output " << i;
  }
}

}  // namespace tilesim::testing

// Which tasks a tiling of the matrix product makes, and how a core walks through one.
#include "tiling/matmul/matmul_tasks.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "formats/error.h"
#include "tests/tiling/full_matmul_tiling.h"

namespace tilesim {
namespace {

using testing::Tiling;

// Each task once, whatever the order and the parts for L2.
TEST(MatmulTasks, CoverEveryElementOnce) {
  for (const MatmulOrder order : {MatmulOrder::kRow, MatmulOrder::kColumn, MatmulOrder::kDiagonal}) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 1}, {1, 3}, {4, 3}, {2, 2}}) {
      MatmulTiling tiling = Tiling();
      tiling.split.order = order;
      tiling.split.m_tile_count_l2 = rows;
      tiling.split.n_tile_count_l2 = columns;
      tiling.split.used_cores = 5;
      std::map<std::tuple<int64_t, int64_t, int64_t>, int> begins;
      int64_t elements = 0;
      for (int64_t core = 0; core < 5; ++core) {
        ForEachMatmulTask(tiling, core, [&](const MatmulTask& task) {
          ++begins[{task.m.begin, task.n.begin, task.k.begin}];
          elements += task.m.size() * task.n.size() * task.k.size();
          EXPECT_EQ(task.k_part, task.k.begin / 1024);
        });
      }
      EXPECT_EQ(begins.size(), 24U) << Name(order) << " " << rows << " " << columns;
      EXPECT_EQ(elements, int64_t{1000} * 1536 * 2048);
    }
  }
}

TEST(MatmulTasks, StandInTheirOrder) {
  const auto begins = [](MatmulOrder order, int64_t rows) {
    MatmulTiling tiling = Tiling();
    tiling.split.order = order;
    tiling.split.m_tile_count_l2 = rows;
    std::string text;
    for (int64_t i = 0; i < 12; ++i) {
      const MatmulTask task = TaskOf(tiling, i);
      text += Say(i == 0 ? "" : " ", task.m.begin / 256, task.n.begin / 512);
    }
    return text;
  };
  EXPECT_EQ(begins(MatmulOrder::kRow, 1), "00 01 02 10 11 12 20 21 22 30 31 32");
  EXPECT_EQ(begins(MatmulOrder::kColumn, 1), "00 10 20 30 01 11 21 31 02 12 22 32");
  EXPECT_EQ(begins(MatmulOrder::kDiagonal, 1), "00 11 22 30 01 12 20 31 02 10 21 32");
  EXPECT_EQ(begins(MatmulOrder::kColumn, 2), "00 10 01 11 02 12 20 30 21 31 22 32");
}

TEST(MatmulWalk, GoesStepByStepAndBlockByBlock) {
  const auto walked = [](uint32_t order, uint32_t step_m, uint32_t step_n) {
    MatmulTiling tiling = Tiling();
    tiling.data.baseM = 96;  // 3 blocks of a task's 256
    tiling.data.stepM = step_m;
    tiling.data.stepN = step_n;
    tiling.data.iterateOrder = order;
    MatmulWalk walk(tiling.data, TaskOf(tiling, 0));
    std::string text;
    do {
      text += Say(text.empty() ? "" : " ", walk.m(), walk.n());
    } while (walk.Next());
    EXPECT_FALSE(walk.Next());
    return text;
  };
  EXPECT_EQ(walked(0, 1, 1), "00 10 20 01 11 21");
  EXPECT_EQ(walked(1, 1, 1), "00 01 10 11 20 21");
  EXPECT_EQ(walked(0, 2, 2), "00 10 01 11 20 21");
  EXPECT_EQ(walked(1, 2, 1), "00 10 01 11 20 21");
}

}  // namespace
}  // namespace tilesim

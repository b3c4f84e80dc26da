// Structs of a kernel's own that have the names of the library's.
#include <gtest/gtest.h>
#include <kernel_operator.h>

#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

struct LayerNormTiling {
  uint32_t rows = 0;
};
struct PadTiling {
  uint32_t rows = 0;
};

namespace {

using namespace AscendC;

void Kernel(GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(LayerNormTiling, norm, tiling);
  const PadTiling pad{norm.rows + 1};
  ascendc_assert(pad.rows == 8);
}

TEST(OwnNames, OfTilingStructsAreTheKernels) {
  LayerNormTiling host{7};
  const tilesim::LaunchResult result =
      tilesim::Launch(tilesim::LoadSoc("unit"), {}, [&] { Kernel(reinterpret_cast<uint8_t*>(&host)); });
  EXPECT_TRUE(result.faults.empty()) << result.faults.front().Text();
}

}  // namespace

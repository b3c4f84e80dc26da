// Tilings as JSON, read by each family.
#include "tests/fuzz/fuzz_target.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/elementwise/elementwise_planner.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/rearrange/rearrange_planner.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  const std::string_view text = fuzz::TextOf(data, size);
  fuzz::Reads([&] { ParseFilterTiling(text, "t.json"); });
  fuzz::Reads([&] { ParseInputTiling(text, "t.json"); });
  fuzz::Reads([&] { ParseMatmulTiling(text, "t.json"); });
  fuzz::Reads([&] { ParseTiling<MaxPoolTiling>(text, "t.json"); });
  fuzz::Reads([&] { ParseMaxPoolGradTiling(text, "t.json"); });
  fuzz::Reads([&] { ParseTiling<ElementwiseTiling>(text, "t.json"); });
  fuzz::Reads([&] { ParseTiling<RearrangeTiling>(text, "t.json"); });
  return 0;
}

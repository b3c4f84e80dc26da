// Files of parts.
#include "sim/soc/soc_config.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  fuzz::Reads([&] { (void)LoadSoc(fuzz::FileOf(fuzz::TextOf(data, size), "part.cfg"), {}); });
  return 0;
}

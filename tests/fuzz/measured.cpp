// Tables of measurements.
#include "ops/validation/measured_rows.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  const std::string path = fuzz::FileOf(fuzz::TextOf(data, size), "measured.csv");
  fuzz::Reads([&] { ReadMeasuredInstructions(path); });
  fuzz::Reads([&] { ReadMeasuredKernels(path); });
  return 0;
}

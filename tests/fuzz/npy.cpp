// .npy files, as tensors and as doubles.
#include "formats/npy.h"

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  fuzz::Reads([&] {
    const std::string path = fuzz::FileOf(fuzz::TextOf(data, size), "x.npy");
    const NpyHeader header = ReadNpyHeader(path);
    fuzz::Reads([&] { ReadNpyDoubles(path, header.shape); });
    for (const DType dtype : kAllDTypes) {
      fuzz::Reads([&] { ReadNpy(path, dtype, Layout(Format::kND, header.shape)); });
    }
  });
  return 0;
}

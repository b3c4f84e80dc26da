// Structs that a kernel file declares, as far as `--arg t=struct:...` reads their fields.
#include "cli/cc/kernel_pass.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  const std::string unit = std::string(fuzz::TextOf(data, size)) +
                           "\n;__global__ __vector__ void k(__gm__ Tiling* t, Tiling v) {}\n";
  for (const std::string_view parameter : {"t", "v"}) {
    const std::string text = "Describe<" + std::string(kTypeOf) + std::string(parameter) + ")>(0);";
    (void)RewriteKernels(unit, {.instances = {}, .extra = {{.kernel = "k", .text = text}}});
  }
  return 0;
}

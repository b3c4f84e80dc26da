// Kernel files, as the compiler's preprocessor gives them. The pass refuses nothing: what it cannot follow it
// leaves to the compiler.
#include "cli/cc/kernel_pass.h"

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilesim;
  const KernelPassResult result =
      RewriteKernels(fuzz::TextOf(data, size), {.instances = {"add<half, 2>"}, .extra = {}});
  for (const KernelDeclaration& kernel : result.kernels) {
    (void)LaunchFunctionParameters(kernel);
  }
  return 0;
}

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/cc/kernel_pass.h"
#include "cli/cc/words.h"

namespace tilesim {

// The kernels that a unit declares at the scope of its namespaces, and whether it defines main. Knows how
// a declaration is written; not what its types mean.
struct FoundKernels {
  std::vector<KernelDeclaration> kernels;
  std::vector<uint32_t> in_classes;  // where `__global__` makes a member of a class a kernel
  bool defines_main = false;
};

[[nodiscard]] FoundKernels FindKernels(const TokenText& text);

}  // namespace tilesim

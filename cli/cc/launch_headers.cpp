#include "cli/cc/launch_headers.h"

#include "cli/cc/compile_folder.h"
#include "formats/error.h"

namespace tilesim {

void LaunchHeaders::Write(const KernelPassResult& unit) {
  for (const KernelDeclaration& kernel : unit.kernels) {
    if (!kernel.is_extern_c || !kernel.is_definition || kernel.is_template()) {
      continue;
    }
    const std::string name = kernel.name.substr(kernel.name.rfind(':') + 1);
    WriteText(folder_ / Say("aclrtlaunch_", name, ".h"),
              Say("#pragma once\n#include <cstdint>\n#ifndef ACLRT_LAUNCH_KERNEL\n#define "
                  "ACLRT_LAUNCH_KERNEL(kernel) "
                  "aclrtlaunch_##kernel\n#endif\nextern \"C\" uint32_t aclrtlaunch_",
                  name, "(uint32_t tilesim_blocks, void* tilesim_stream", LaunchFunctionParameters(kernel),
                  ");\n"));
    is_empty_ = false;
  }
}

}  // namespace tilesim

// Which addresses kernels have asked GetUserWorkspace about, for the host's runtime.
#pragma once

#include <set>

namespace AscendC::simulator {

// Since the last call, of all cores. What lies there is scratch, and no result of a launch.
std::set<const void*> TakeUserWorkspaces();

}  // namespace AscendC::simulator

#pragma once
#include "sim/soc/soc_config.h"

namespace tilesim {

// The part that the program's kernels run on.
[[nodiscard]] SocConfig PartInForce();

}  // namespace tilesim

#pragma once

#include <span>
#include <string>

#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"

namespace tilesim {

// LoadSoc of sim/soc/soc_config.h, for a source that has been found.
[[nodiscard]] SocConfig LoadSoc(const SocSource& source, std::span<const std::string> overrides = {});

}  // namespace tilesim

// The part that tests run on where they name no other.
#pragma once

#include "sim/soc/soc_config.h"

namespace tilesim {

inline const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

}  // namespace tilesim

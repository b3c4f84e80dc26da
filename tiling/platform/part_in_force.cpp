#include "tiling/platform/part_in_force.h"

namespace tilesim {

SocConfig PartInForce() { return LoadSoc("ascend910b2"); }

}  // namespace tilesim

#include "tiling/platform/part_in_force.h"

#include <mutex>

#include "sim/host/program.h"

namespace tilesim {

SocConfig PartInForce() {
  host::Program& program = host::Program::Get();
  const std::lock_guard lock(program.mutex());
  return program.soc();
}

}  // namespace tilesim

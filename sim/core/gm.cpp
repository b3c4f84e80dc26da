#include "sim/core/gm.h"

namespace tilesim {

const GmBuffer* GmSpace::Find(uint64_t address) const {
  for (const GmBuffer& buffer : buffers_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return &buffer;
    }
  }
  return nullptr;
}

}  // namespace tilesim

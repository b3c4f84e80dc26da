#include "sim/core/gm.h"

#include <cstring>

namespace tilesim {

const GmBuffer* GmSpace::Find(uint64_t address) const {
  for (const GmBuffer& buffer : buffers_) {
    if (address >= buffer.address && address - buffer.address < buffer.size_bytes) {
      return &buffer;
    }
  }
  return nullptr;
}

void GmWindow::Read(uint64_t address, void* dst, size_t size_bytes) const {
  std::memcpy(dst, reinterpret_cast<const void*>(address), size_bytes);
  if (updates_.Near(address, size_bytes)) {
    updates_.Overlay(address, dst, size_bytes);
  }
}

void GmWindow::Write(uint64_t address, const void* src, size_t size_bytes) {
  if (updates_.Near(address, size_bytes)) {
    updates_.Forget(address, size_bytes);
  }
  std::memcpy(reinterpret_cast<void*>(address), src, size_bytes);
}

}  // namespace tilesim

#include "sim/core/gm_window.h"

#include <cstring>

namespace tilesim {

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

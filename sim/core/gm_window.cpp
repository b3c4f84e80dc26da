#include "sim/core/gm_window.h"

#include <algorithm>
#include <cstring>

namespace tilesim {

void GmWindow::Read(uint64_t address, void* dst, size_t size_bytes) const {
  std::memcpy(dst, reinterpret_cast<const void*>(address), size_bytes);
  if (updates_.Near(address, size_bytes)) {
    updates_.Overlay(address, dst, size_bytes);
  }
  if (holes_ != nullptr) [[unlikely]] {
    for (const GmHoles::Hole& hole : holes_->holes) {
      const uint64_t begin = std::max(address, hole.begin);
      const uint64_t end = std::min(address + size_bytes, hole.end);
      if (begin < end) {
        std::memset(static_cast<std::byte*>(dst) + (begin - address), static_cast<int>(holes_->pattern),
                    end - begin);
      }
    }
  }
}

void GmWindow::Write(uint64_t address, const void* src, size_t size_bytes) {
  if (updates_.Near(address, size_bytes)) {
    updates_.Forget(address, size_bytes);
  }
  std::memcpy(reinterpret_cast<void*>(address), src, size_bytes);
}

}  // namespace tilesim

#include "tiling/tiling_field.h"

#include <cstring>

namespace tilesim {

uint64_t ReadField(const void* data, const TilingField& field) {
  const auto* from = static_cast<const std::byte*>(data) + field.offset_bytes;
  if (field.width_bytes == 8) {
    uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void WriteField(void* data, const TilingField& field, uint64_t value) {
  auto* to = static_cast<std::byte*>(data) + field.offset_bytes;
  if (field.width_bytes == 8) {
    std::memcpy(to, &value, sizeof value);
    return;
  }
  const auto narrow = static_cast<uint32_t>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

std::vector<TilingField> DifferentFields(std::span<const TilingField> fields, const void* left,
                                         const void* right) {
  std::vector<TilingField> different;
  for (const TilingField& field : fields) {
    if (ReadField(left, field) != ReadField(right, field)) {
      different.push_back(field);
    }
  }
  return different;
}

}  // namespace tilesim

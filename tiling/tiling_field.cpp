#include "tiling/tiling_field.h"

#include <cstring>

namespace tilesim {

namespace {

template <class Number>
uint64_t ReadNumber(const std::byte* from) {
  Number value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Number>
void WriteNumber(std::byte* to, uint64_t value) {
  const auto narrow = static_cast<Number>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

}  // namespace

uint64_t ReadField(const void* data, const TilingField& field) {
  const auto* const from = static_cast<const std::byte*>(data) + field.offset_bytes;
  return field.width_bytes == 8   ? ReadNumber<uint64_t>(from)
         : field.width_bytes == 4 ? ReadNumber<uint32_t>(from)
                                  : ReadNumber<uint8_t>(from);
}

void WriteField(void* data, const TilingField& field, uint64_t value) {
  auto* const to = static_cast<std::byte*>(data) + field.offset_bytes;
  field.width_bytes == 8   ? WriteNumber<uint64_t>(to, value)
  : field.width_bytes == 4 ? WriteNumber<uint32_t>(to, value)
                           : WriteNumber<uint8_t>(to, value);
}

std::string_view WordOf(const void* data, const TilingField& field) {
  const uint64_t number = ReadField(data, field);
  return number < field.words.size() ? field.words[number] : std::string_view();
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

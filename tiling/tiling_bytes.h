#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "formats/error.h"
#include "tiling/tiling_field.h"

namespace tilesim {

// Tiling data as the bytes that a kernel receives: field by field, so that padding between them is zero.
template <class Data>
std::array<std::byte, sizeof(Data)> BytesOf(const Data& data, std::span<const TilingField> fields) {
  std::array<std::byte, sizeof(Data)> bytes{};
  for (const TilingField& field : fields) {
    WriteField(bytes.data(), field, ReadField(&data, field));
  }
  return bytes;
}

// The struct `name` from its bytes. Throws UserError that names `where` when there are more or fewer.
template <class Data>
Data DataFromBytes(std::span<const std::byte> bytes, std::string_view name, std::string_view where) {
  RequireUser(bytes.size() == sizeof(Data), where, ": ", bytes.size(), " bytes, must be the ", sizeof(Data),
              " bytes of ", name, "; `plan --binary` writes them");
  Data data;
  std::memcpy(&data, bytes.data(), bytes.size());
  return data;
}

}  // namespace tilesim

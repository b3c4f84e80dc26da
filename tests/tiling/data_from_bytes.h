// Tiling data from the bytes that a kernel receives.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "formats/error.h"

namespace tilesim {

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

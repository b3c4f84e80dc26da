#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "formats/dtype.h"

namespace tilesim {

// visit(TypeTag<T>{}) with the unsigned type of `bytes` bytes: for tile programs that move bits as they are.
template <class Visit>
decltype(auto) VisitWidth(size_t bytes, Visit&& visit) {
  switch (bytes) {
    case 1:
      return visit(TypeTag<uint8_t>{});
    case 2:
      return visit(TypeTag<uint16_t>{});
    case 4:
      return visit(TypeTag<uint32_t>{});
    case 8:
      return visit(TypeTag<uint64_t>{});
  }
  throw std::logic_error("VisitWidth: no type is that wide");
}

}  // namespace tilesim

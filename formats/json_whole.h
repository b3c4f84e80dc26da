// Whole numbers of JSON that users may have edited. The library's own conversion of 1e30 is undefined.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/error.h"

namespace tilesim {

// The whole number `value`, an nlohmann::basic_json; `name` is its place for the message, which says what is
// allowed there. Throws UserError for another kind of value, for fractions and for what int64_t does not
// hold.
template <class Json>
int64_t WholeNumber(const Json& value, std::string_view name,
                    std::string_view allowed = "a whole number of 64 bits with a sign") {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.template get<uint64_t>() > uint64_t{INT64_MAX})) {
    throw UserError(Say(name, ": found ", value.dump(), ", must be ", allowed));
  }
  return value.template get<int64_t>();
}

}  // namespace tilesim

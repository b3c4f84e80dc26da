#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// Letters to insert, remove or replace to make one name of the other; upper and lower case differ by nothing.
size_t EditDistance(std::string_view left, std::string_view right);

// The known name most like an unknown one, for "did you mean". `names` is not empty; the first of equals
// wins.
template <class Names>
std::string NearestName(std::string_view unknown, const Names& names) {
  return std::string(*std::ranges::min_element(
      names, {}, [&](std::string_view name) { return EditDistance(unknown, name); }));
}

}  // namespace tilesim

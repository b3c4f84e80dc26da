#ifndef TILESIM_FORMATS_COUNTED_H_
#define TILESIM_FORMATS_COUNTED_H_

#include <concepts>
#include <string>
#include <string_view>

#include "formats/error.h"

namespace tilesim {

// "1 matrix", "3 matrices".
template <std::integral N>
std::string Counted(N count, std::string_view one, std::string_view several) {
  return Say(count, " ", count == 1 ? one : several);
}

// "1 block", "3 blocks".
template <std::integral N>
std::string Counted(N count, std::string_view thing) {
  return Say(count, " ", thing, count == 1 ? "" : "s");
}

}  // namespace tilesim

#endif  // TILESIM_FORMATS_COUNTED_H_

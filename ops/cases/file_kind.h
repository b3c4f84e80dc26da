#pragma once

#include <string_view>

namespace tilesim {

// What the text of a file that is not what was wanted looks like: "a knowledge base", "a tiling", "a tensor
// (.npy)", "a table (CSV)"; "" for anything else. Judged by its beginning.
std::string_view KindOfText(std::string_view whole);

}  // namespace tilesim

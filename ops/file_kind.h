#pragma once

#include <string>
#include <string_view>

namespace tilesim {

// What a file that is not what was wanted looks like: "a folder", "a knowledge base", "a tiling", "a tensor
// (.npy)", "a table (CSV)"; "" for anything else. Judged by its beginning.
std::string_view KindOfFile(const std::string& path);

}  // namespace tilesim

#pragma once

#include <filesystem>
#include <string>

namespace tilesim {

// The folder of the kernel files that tests compile, as a path from anywhere.
inline const std::string kSamples = (std::filesystem::current_path() / "tests/kernel_files").string() + "/";

}  // namespace tilesim

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz_target.h"

namespace tilesim::fuzz {

std::string FileOf(std::string_view input, std::string_view name) {
  static const std::filesystem::path folder = [] {
    std::error_code ignored;
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path base =
        std::filesystem::is_directory(memory, ignored) ? memory : std::filesystem::temp_directory_path();
    std::filesystem::path own = base / Say("tilesim_fuzz_", static_cast<int64_t>(getpid()));
    std::filesystem::create_directories(own);
    return own;
  }();
  static const struct Remove {
    ~Remove() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  } at_exit;
  const std::filesystem::path path = folder / name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(input.data(), static_cast<std::streamsize>(input.size()));
  return path.string();
}

}  // namespace tilesim::fuzz

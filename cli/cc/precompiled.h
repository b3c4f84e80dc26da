#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// Headers that g++ has compiled beforehand, once for all sources that begin with them and take the same
// options: it reads the result in a fifth of the time. Knows g++'s way with them, nothing of kernels.

struct PrecompiledHeader {
  std::filesystem::path header;              // for -include: g++ finds what it has compiled beside it
  std::vector<std::filesystem::path> files;  // that stand in it
};

struct PrecompiledRequest {
  std::filesystem::path folder;       // where they are kept from run to run
  std::vector<std::string> compiler;  // the compiler's words and all options that count, but -D of users
  std::vector<std::filesystem::path> headers;  // absolute, in their order
};

// The second compile that asks for them makes them, which takes 3 s and 90 MB; headers that have changed are
// compiled again. nullopt where they are not there: asked for the first time, in the making by another
// process, or impossible. Where options of one compile contradict them, g++ reads the headers themselves. May
// be called from several threads. Throws UserError or filesystem_error where the folder cannot be written.
[[nodiscard]] std::optional<PrecompiledHeader> FindPrecompiled(const PrecompiledRequest& request);

// The names, "a.h" or <b.h> as they stand, of the includes that a source begins with: only blanks and
// comments are before and between them.
[[nodiscard]] std::vector<std::string_view> LeadingIncludes(std::string_view source);

}  // namespace tilesim

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
  std::filesystem::path folder;                // where they are kept from run to run
  std::string identity;                        // of the compiler: what another one has made is of no use
  std::vector<std::string> compiler;           // its words and all options that count, but -D of users
  std::vector<std::filesystem::path> headers;  // absolute, in their order
};

// The second compile that asks for them makes them, which takes 3 s and 90 MB; headers that have changed are
// compiled again. nullopt where they are not there: asked for the first time, in the making by another
// process, or impossible. Where options of one compile contradict them, g++ reads the headers themselves. May
// be called from several threads. Throws UserError or filesystem_error where the folder cannot be written.
[[nodiscard]] std::optional<PrecompiledHeader> FindPrecompiled(const PrecompiledRequest& request);

// What a source, a command line and folders must be like, so that it makes no difference whether headers are
// precompiled:

// The names, "a.h" or <b.h> as they stand, of the includes that a source begins with: only blanks and
// comments are before and between them.
[[nodiscard]] std::vector<std::string_view> LeadingIncludes(std::string_view source);

// Is it a header of the standard library that says the same before headers of ours as behind them? <cassert>
// does not: the last one that defines `assert` wins.
[[nodiscard]] bool MayComeLater(std::string_view header);

// Does the option neither change which headers are read, nor write files beside the result: -O1, -g, -fPIC,
// -Wall?
[[nodiscard]] bool AllowsPrecompiled(std::string_view option);

// Where a compiler of these words looks for headers of the user's own, given these options of its
// preprocessor; nullopt where they, or variables of the environment, say more than folders and macros.
[[nodiscard]] std::optional<std::vector<std::filesystem::path>> FoldersOfUser(
    const std::vector<std::string>& compiler, const std::vector<std::string>& preprocessing);

// Has one of the folders a file that an include may find in place of one of `files`: of the same name, with
// some of the folders before it?
[[nodiscard]] bool AnyStandsBefore(const std::vector<std::filesystem::path>& folders,
                                   const std::vector<std::filesystem::path>& files);

}  // namespace tilesim

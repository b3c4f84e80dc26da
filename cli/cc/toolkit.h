#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cc/process.h"

namespace tilesim {

// Where the compiler and what programs are compiled and linked with stand on this machine. Knows folders and
// files; nothing of options.

// The simulator's headers and libraries: beside an installed program, else in the sources and the build, else
// where CMake installs them.
struct Toolkit {
  std::filesystem::path root;                    // headers are named from here
  std::vector<std::filesystem::path> folders;    // of headers that users name
  std::vector<std::string> own;                  // of all of our headers, each with a '/' behind
  std::vector<std::filesystem::path> libraries;  // each before those that it needs
  std::filesystem::path kept;  // of a build: where what belongs to it alone is kept; else empty
  std::string version;         // of the program
};
[[nodiscard]] const Toolkit& FindToolkit();

struct Compiler {
  std::vector<std::string> words;  // those of $CXX: "ccache g++"
  std::filesystem::path program;   // the first of them
};

// The library, one of those above, whose main runs the kernels of files without one.
inline constexpr std::string_view kMainLibrary = "libtilesim_kernel_main.a";

// Throws UserError, with the package to install, where there is none.
[[nodiscard]] Compiler FindCompiler();

// Runs it, and keeps what it says on standard error. A program that keeps results of compilers (ccache), in
// its place, does not do so here: it preprocesses once more, without knowing of text with directives in it,
// and results are kept by their user.
[[nodiscard]] ProcessEnd RunCompiler(const std::vector<std::string>& words);

// Asks it, once in a run of this program.
[[nodiscard]] bool IsClang(const Compiler& compiler);

// "path size time" of a file, which change when it does.
[[nodiscard]] std::string IdentityOf(const std::filesystem::path& path);

// What identifies compiler, libraries and headers that results depend on: it changes with each of them.
[[nodiscard]] std::string ToolchainIdentity();

}  // namespace tilesim

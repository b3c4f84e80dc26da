#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// A command line of a C++ compiler, taken apart. Knows which options have a value, which belong to one step
// only and which are the device compiler's; nothing of what a file holds.

// How far the compiler goes.
enum class CompilerStep { kPreprocess, kCheck, kAssembly, kObject, kLink };

struct SourceFile {
  std::string path;
  bool is_kernel_source = true;  // C++: goes through the pass
  std::string language;          // of -x, for the others; empty: by the file's name
};

struct CompilerLine {
  CompilerStep step = CompilerStep::kLink;
  std::string output;                      // of -o
  std::vector<std::string> preprocessing;  // -I, -D, ...: as they stand
  std::vector<std::string> options;        // that more than one step takes
  std::vector<std::string> dependencies;   // -MD, -MF, ...
  std::vector<SourceFile> sources;
  // What the linker is given, in the order of the line: objects, libraries, options; a source is its number.
  struct Linked {
    std::string word;
    int source = -1;
  };
  std::vector<Linked> linked;
  std::vector<std::string> instances;  // of --kernel
  std::optional<uint64_t> tiling_key = {};
  std::vector<std::string>
      kernels_of;  // of --kernels-of: sources compiled elsewhere, whose launch functions are declared
  bool is_shared = false;
  bool has_pic = false;  // -fPIC or one that takes its place
  bool has_optimisation = false;
  bool old_language = true;  // older than C++20, or not said
  std::string language = "-std=gnu++20";
  std::string other_language = {};  // the user's -std=..., where another takes its place
};

// Is the word an option of the compiler whose value is the next word: "-I", but not "-Ifolder"?
[[nodiscard]] bool TakesNextWord(std::string_view word);

// Is the word for the linker alone, so that its place among files and libraries counts: "-lm", "-Wl,..."?
[[nodiscard]] bool IsForLinker(std::string_view word);

// Throws UserError for another arch, an option without its value, no file.
[[nodiscard]] CompilerLine ReadCompilerLine(std::span<const std::string> words);

}  // namespace tilesim

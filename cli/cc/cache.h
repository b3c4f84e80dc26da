#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/cc/driver.h"
#include "cli/cc/kernel_pass.h"
#include "formats/error.h"

namespace tilesim {

// Compiled programs in the user's cache folder ($XDG_CACHE_HOME/tilesim/cc, else ~/.cache/tilesim/cc), found
// again by what they were made of: sources and all they include, options, compiler and version of the
// program. An unchanged file is found by sizes and times of its files, a touched one by their contents; the
// compiler runs for neither. Several threads and several processes may use one folder.

struct BuildRequest {
  std::vector<std::string> files;    // sources; relative to the current folder
  std::vector<std::string> options;  // of the compiler: "-DTILE=64", "-I", "include"
  KernelPassOptions pass;            // instances of templates, texts for the end of the unit
  bool keep_messages = false;        // the compiler's, in CompileError::messages, else on standard error
};

struct Compiled {
  std::filesystem::path program;
  std::vector<KernelDeclaration> kernels;
  bool defines_main = false;
  bool from_cache = false;
  double seconds = 0;  // that this call took
};

// A source that the compiler refuses. what() is one line; `messages` is what the compiler said, where it was
// kept.
class CompileError : public UserError {
 public:
  CompileError(const std::string& line, std::string said) : UserError(line), messages(std::move(said)) {}
  std::string messages;
};

struct CacheLimits {
  uint64_t most_bytes = uint64_t{2} << 30;  // beyond it, what was used longest ago is removed
};

// Throws CompileError where it does not compile, UserError for what the driver refuses (no compiler, no such
// file, an instance of no template of the sources).
Compiled BuildProgram(const BuildRequest& request, const CacheLimits& limits = {});

// What a file holds, as 32 digits; empty where it cannot be read.
[[nodiscard]] std::string FileDigest(const std::filesystem::path& file);

}  // namespace tilesim

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cc/kernel_pass.h"

namespace tilesim {

// The compiler driver: g++'s words in, an object, a library or a program out. Each source goes through the
// preprocessor, the pass of kernel_pass.h and the compiler; the program is linked with the simulator. Knows
// nothing of kernels' meaning. May be called from several threads at once.

struct CcRequest {
  std::vector<std::string> words;  // as they follow `tilesim cc`
  KernelPassOptions pass;
  bool keep_messages = false;  // of the compiler: in CcResult::messages, else on standard error as they are
  bool notes_linked = false;   // CcResult::files has what was linked, too
  std::filesystem::path headers_folder =
      {};  // of precompiled headers; empty: the build's, or the user's cache
};

struct CcResult {
  bool ok = false;  // false: the compiler or the linker said why
  std::string messages;
  std::vector<KernelDeclaration> kernels;    // of all sources
  bool defines_main = false;                 // one of the sources does
  std::vector<std::string> instances_found;  // of the pass's
  std::vector<std::filesystem::path>
      files;  // that were read: sources, all they include, and with notes_linked what is linked
};

// Throws UserError for what the driver itself refuses: no compiler, no file, another arch.
CcResult RunCc(const CcRequest& request);

// Whether a file is taken as C++ source: .asc, .cpp, .cc, .cxx, .C, ...
[[nodiscard]] bool IsKernelSource(const std::filesystem::path& file);

}  // namespace tilesim

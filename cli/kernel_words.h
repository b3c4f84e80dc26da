// The options of a kernel file without `main` (--kernel, --arg, ...) as the words that its program takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/cc/kernel_pass.h"

namespace tilesim {

struct KernelWords {
  static constexpr uint64_t kDefaultTilingKey = 0;
  std::vector<std::string> words;  // for the program: "--kernel", "add_custom", "--arg", "x=x.npy", ...
  KernelPassOptions pass;          // what has to be compiled for them: an instance, the fields of a struct
};

// Throws UserError for an argument whose JSON is none, or holds what no struct has.
KernelWords KernelWordsOf(const Arguments& arguments);

}  // namespace tilesim

#pragma once

#include <string>
#include <vector>

namespace tilesim {

// A program that is run and waited for. Knows nothing of what it does.

struct ProcessEnd {
  int code = -1;    // its exit code; 128 and the signal's number where one ended it
  std::string err;  // what it said on standard error, where that was kept
  std::string out;  // likewise on standard output
};

enum class Keep { kNothing, kErr, kOutAndErr };

// The first word is the program: a path, or a name that $PATH has. Throws UserError where it cannot be
// started.
ProcessEnd RunProcess(const std::vector<std::string>& words, Keep keep);

}  // namespace tilesim

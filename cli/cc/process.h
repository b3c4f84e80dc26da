#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilesim {

// A program that is run and waited for. Knows nothing of what it does.

struct ProcessEnd {
  int code = -1;              // its exit code; 128 and the signal's number where one ended it
  std::optional<int> signal;  // which ended it: an exit code may be above 128, too
  std::string err;            // what it said on standard error, where that was kept
  std::string out;            // likewise on standard output
};

enum class Keep { kNothing, kErr, kOutAndErr };

struct ProcessSettings {
  Keep keep = Keep::kNothing;  // of what it says; the rest goes where this program's does
  bool output_aside = false;   // its standard output goes to standard error
  std::map<std::string, std::string> variables = {};  // of its environment, beside this program's
};

// The first word is the program: a path, or a name that $PATH has. Throws UserError where it cannot be
// started.
ProcessEnd RunProcess(const std::vector<std::string>& words, const ProcessSettings& settings);

// Where files go that nobody keeps: $TMPDIR, or /tmp. Throws UserError where there is no such folder.
std::filesystem::path TemporaryFolder();

}  // namespace tilesim

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace tilesim {

// What an option is about, in commands that take a file of the user as well as cases of operators.
enum class Subject { kBoth, kFile, kCase };

// One option of the command line, which is also a key of the file of --config.
struct Option {
  std::string_view name;
  std::string_view value;      // what stands for its value in the help; empty: a switch
  std::string_view otherwise;  // its default, for the help; empty: none
  std::string_view says;
  std::string_view commands;  // that take it, joined by blanks
  Subject subject = Subject::kBoth;
  bool repeats = false;
  bool case_column = false;  // describes the one case on the command line

  [[nodiscard]] bool BelongsTo(std::string_view command) const;
};

// All options: those of options.cpp and the columns of the case file. A name may stand twice, for different
// commands.
const std::vector<Option>& AllOptions();

// The option of that name, that of the command if it takes one.
const Option* FindOption(std::string_view name, std::string_view command);

// The column `output` of the case file; --output itself is a folder, unless it is written like a shape.
inline constexpr std::string_view kOutputShape = "output_shape";

// The text of `tilesim --help` and of `tilesim <command> --help`.
std::string ProgramHelp();
std::string CommandHelp(const Command& command);

}  // namespace tilesim

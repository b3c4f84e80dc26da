#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/outcome.h"

namespace tilesim {

class Arguments;

// A command of the program. To add one: its function here, its row in commands.cpp, its options in
// options.cpp.
struct Command {
  std::string_view name;
  std::string_view says;                       // one line
  Outcome (*run)(const Arguments&) = nullptr;  // nullptr: comes with a later version
  std::string_view words = {};                 // arguments without a name: "FROM.npy TO.npy"
  size_t most_words = 0;
  std::string_view prints = {};                                  // what stands in its output; for the help
  std::string_view example = {};                                 // lines that work as they stand
  Outcome (*run_words)(std::span<const std::string>) = nullptr;  // instead of `run`: reads its options itself

  [[nodiscard]] bool is_there() const { return run != nullptr || run_words != nullptr; }
};

std::span<const Command> Commands();

// The command of that name. Throws UserError for one that is unknown or not there yet.
const Command& FindCommand(std::string_view name);

Outcome RunCommand(const Arguments& arguments);
Outcome CompareCommand(const Arguments& arguments);
Outcome PlanCommand(const Arguments& arguments);
Outcome TuneCommand(const Arguments& arguments);
Outcome TraceCommand(const Arguments& arguments);
Outcome ExplainCommand(const Arguments& arguments);
Outcome ReportCommand(const Arguments& arguments);
Outcome DiffCommand(const Arguments& arguments);
Outcome ConvertCommand(const Arguments& arguments);
Outcome ListCommand(const Arguments& arguments);
Outcome CcCommand(std::span<const std::string> words);
Outcome ValidateCommand(const Arguments& arguments);

}  // namespace tilesim

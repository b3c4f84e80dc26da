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
  std::string_view says;                          // one line
  CommandEnd (*run)(const Arguments&) = nullptr;  // nullptr: comes with a later version
  std::string_view words = {};                    // arguments without a name: "FROM.npy TO.npy"
  size_t most_words = 0;
  bool takes_file = false;  // a kernel file, with options for the compiler and, behind --, for the program
  std::string_view prints = {};   // what stands in its output; for the help
  std::string_view example = {};  // lines that work as they stand
  CommandEnd (*run_words)(std::span<const std::string>) =
      nullptr;  // instead of `run`: reads its options itself

  [[nodiscard]] bool is_there() const { return run != nullptr || run_words != nullptr; }
};

std::span<const Command> Commands();

// The command of that name. Throws UserError for one that is unknown or not there yet.
const Command& FindCommand(std::string_view name);

CommandEnd RunCommand(const Arguments& arguments);
CommandEnd CompareCommand(const Arguments& arguments);
CommandEnd PlanCommand(const Arguments& arguments);
CommandEnd TuneCommand(const Arguments& arguments);
CommandEnd TraceCommand(const Arguments& arguments);
CommandEnd ExplainCommand(const Arguments& arguments);
CommandEnd ReportCommand(const Arguments& arguments);
CommandEnd DiffCommand(const Arguments& arguments);
CommandEnd ConvertCommand(const Arguments& arguments);
CommandEnd ListCommand(const Arguments& arguments);
CommandEnd CcCommand(std::span<const std::string> words);
CommandEnd ValidateCommand(const Arguments& arguments);

}  // namespace tilesim

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "ops/cases/case_cells.h"

namespace tilesim {

// The options of one call, from the command line and from the file of --config; the command line wins. Knows
// names, not what an option does.
class Arguments {
 public:
  // Throws UserError for a word or option the command does not take.
  Arguments(const Command& command, std::span<const std::string> words);

  [[nodiscard]] const Command& command() const { return *command_; }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  // Of a command that takes a file: the compiler's options before --, such as -DTILE=64, and all words behind
  // it.
  [[nodiscard]] const std::vector<std::string>& compiler_options() const { return compiler_options_; }
  [[nodiscard]] const std::vector<std::string>& program_words() const { return program_words_; }
  [[nodiscard]] bool Has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] const std::vector<std::string>& All(std::string_view name) const;
  [[nodiscard]] std::string Text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] int64_t Whole(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const;
  // One of the names, the first of them when the option is absent.
  [[nodiscard]] std::string Choice(std::string_view name, std::span<const std::string_view> names) const;
  // The columns of the one case on the command line; empty when there is none. Without id and soc.
  [[nodiscard]] CaseCells CaseColumnsGiven() const;

 private:
  void ReadWords(std::span<const std::string> words);
  // Keeps what is for the compiler and the program, and gives the rest.
  std::vector<std::string> TakeForFile(std::span<const std::string> words);
  void ReadConfig(const std::string& path);
  void Check();
  // --output 2x64x8x8x8 is the column of the case, --output DIR the folder.
  void SeparateOutputs();
  [[nodiscard]] CaseCells CellOf(std::string_view name) const;

  const Command* command_;
  std::vector<std::string> words_;
  std::vector<std::string> compiler_options_;
  std::vector<std::string> program_words_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// "a, b" -> a, b
std::vector<std::string> SplitAtCommas(const std::string& text);

}  // namespace tilesim

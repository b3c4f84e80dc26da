// Options as words: "--name value", "--name=value" or a switch "--name". Strict: what is unknown, has no
// value or stands twice is refused. Knows no option.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim::host {

struct OptionName {
  std::string_view name;  // without "--"
  bool is_switch = false;
  bool repeats = false;
};

class OptionWords {
 public:
  // `where` comes first in messages: "TILESIM_OPTIONS: ". Throws UserError.
  OptionWords(std::span<const std::string> words, std::span<const OptionName> known, std::string where);

  [[nodiscard]] bool Has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] std::string Text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] const std::vector<std::string>& All(std::string_view name) const;
  // A whole number of [least, most].
  [[nodiscard]] int64_t Whole(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const;
  [[nodiscard]] std::string Choice(std::string_view name, std::span<const std::string_view> choices) const;
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  std::string where_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// The words of a line; a blank inside of '...' or "..." does not end one. Throws UserError where a quote is
// not closed.
std::vector<std::string> WordsOf(std::string_view line, std::string_view where);

}  // namespace tilesim::host

#include "sim/host/option_words.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/error.h"
#include "formats/nearest_name.h"

namespace tilesim::host {

OptionWords::OptionWords(std::span<const std::string> words, std::span<const OptionName> known,
                         std::string where)
    : where_(std::move(where)) {
  std::vector<std::string_view> names;
  for (const OptionName& option : known) {
    names.push_back(option.name);
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    RequireUser(word.starts_with("--"), where_, "'", word, "' is no option; options begin with --");
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto option = std::ranges::find(known, name, &OptionName::name);
    std::string list;
    for (const std::string_view one : names) {
      list += Say(list.empty() ? "--" : ", --", one);
    }
    RequireUser(option != known.end(), where_, "unknown option --", name, "; ", DidYouMean(name, names, "--"),
                "options: ", list);
    std::vector<std::string>& values = values_[name];
    RequireUser(values.empty() || option->repeats, where_, "--", name, " is given twice");
    if (option->is_switch) {
      RequireUser(equals == std::string::npos, where_, "--", name, " takes no value");
      values.emplace_back();
    } else if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else {
      RequireUser(i + 1 < words.size(), where_, "--", name, " needs a value");
      values.push_back(words[++i]);
    }
  }
}

std::string OptionWords::Text(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(otherwise) : found->second.back();
}

const std::vector<std::string>& OptionWords::All(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

int64_t OptionWords::Whole(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const {
  if (!Has(name)) {
    return otherwise;
  }
  const std::string text = Text(name, "");
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  RequireUser(error == std::errc() && at == end && value >= least && value <= most, where_, "--", name,
              " = '", text, "', must be a whole number of ", least, "..", most);
  return value;
}

std::string OptionWords::Choice(std::string_view name, std::span<const std::string_view> choices) const {
  const std::string text = Text(name, choices.front());
  std::string list;
  for (const std::string_view choice : choices) {
    list += Say(list.empty() ? "" : ", ", choice);
  }
  RequireUser(std::ranges::find(choices, text) != choices.end(), where_, "--", name, " = '", text,
              "', must be one of ", list);
  return text;
}

std::vector<std::string> WordsOf(std::string_view line, std::string_view where) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (quote == 0 && blank) {
      inside = false;
      continue;
    }
    if (!inside) {
      words.emplace_back();
      inside = true;
    }
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  RequireUser(quote == 0, where, "a quote ", quote, " is not closed");
  return words;
}

}  // namespace tilesim::host

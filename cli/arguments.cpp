#include "cli/arguments.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/cc/command_line.h"
#include "cli/cc/driver.h"
#include "cli/options.h"
#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/shown_text.h"
#include "ops/cases/foreign_names.h"

namespace tilesim {
namespace {

namespace po = boost::program_options;

po::options_description Describe(std::string_view command) {
  po::options_description description;
  for (const Option& option : AllOptions()) {
    const bool first = command.empty() && FindOption(option.name, "") == &option;
    if (first || option.BelongsTo(command)) {
      if (option.value.empty() && !command.empty()) {
        description.add_options()(std::string(option.name).c_str(), "");
      } else {
        description.add_options()(std::string(option.name).c_str(), po::value<std::vector<std::string>>(),
                                  "");
      }
    }
  }
  return description;
}

std::string Dashed(std::string_view name) { return Say("--", name); }

// "--filter-layout" is "--filter_layout"; a value that begins like a negative number is joined to its option.
std::vector<std::string> Tidy(std::span<const std::string> words, std::string_view command) {
  std::vector<std::string> tidy;
  for (const std::string& word : words) {
    const bool negative = word.size() > 1 && word[0] == '-' && (std::isdigit(word[1]) != 0 || word[1] == '.');
    if (negative && !tidy.empty() && tidy.back().starts_with("--") &&
        tidy.back().find('=') == std::string::npos) {
      tidy.back() += Say("=", word);
      continue;
    }
    tidy.push_back(word == "-h" ? "--help" : word);
    if (word.starts_with("--")) {
      std::string& name = tidy.back();
      const size_t end = std::min(name.find('='), name.size());
      std::string with_lines = name.substr(2, end - 2);
      std::ranges::replace(with_lines, '-', '_');
      if (const Option* option = FindOption(with_lines, command); option != nullptr && option->case_column) {
        name.replace(2, end - 2, with_lines);
      }
    }
  }
  return tidy;
}

// "trace", "trace and report", "run, plan and trace"
std::string InWords(std::string_view commands) {
  std::string words;
  while (!commands.empty()) {
    const size_t end = std::min(commands.find(' '), commands.size());
    const bool last = end == commands.size();
    words += Say(words.empty() ? "" : last ? " and " : ", ", commands.substr(0, end));
    commands.remove_prefix(last ? end : end + 1);
  }
  return words;
}

[[noreturn]] void RefuseUnknown(const Command& command, std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  name = Shown(name);
  if (const Option* option = FindOption(name, command.name)) {
    throw UserError(Say("option '", Dashed(name), "' belongs to ", InWords(option->commands), ", not to ",
                        command.name, "; `tilesim ", command.name, " --help` lists what it takes"));
  }
  std::vector<std::string_view> names;
  for (const Option& option : AllOptions()) {
    if (option.BelongsTo(command.name)) {
      names.push_back(option.name);
    }
  }
  const bool takes_cases = FindOption("filter", command.name)->BelongsTo(command.name);
  const std::string ours = takes_cases ? OurColumn(name, "--") : "";
  throw UserError(Say("unknown option '", Dashed(name), "'; ",
                      ours.empty() ? DidYouMean(name, names, "--") : ours, "`tilesim ", command.name,
                      " --help` lists all"));
}

bool ReadTruth(const std::string& where, const std::string& text) {
  if (text == "1" || text == "true" || text == "yes" || text == "on") {
    return true;
  }
  RequireUser(text == "0" || text == "false" || text == "no" || text == "off", where, " = '", text,
              "': must be true or false; write true to set it");
  return false;
}

}  // namespace

Arguments::Arguments(const Command& command, std::span<const std::string> words) : command_(&command) {
  const std::vector<std::string> rest =
      command.takes_file ? TakeForFile(words) : std::vector<std::string>(words.begin(), words.end());
  ReadWords(rest);
  if (Has("config")) {
    ReadConfig(Text("config", ""));
  }
  Check();
}

std::vector<std::string> Arguments::TakeForFile(std::span<const std::string> words) {
  static constexpr std::string_view kBegins[] = {"-D", "-U", "-I",         "-L",    "-l", "-O",
                                                 "-g", "-W", "-f",         "-i",    "-m", "-std",
                                                 "-w", "-x", "--npu-arch", "--cce-"};
  std::vector<std::string> rest;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      program_words_.assign(words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (std::ranges::none_of(kBegins, [&](std::string_view begin) { return word.starts_with(begin); })) {
      rest.push_back(word);
      continue;
    }
    compiler_options_.push_back(word);
    if (TakesNextWord(word)) {
      RequireUser(i + 1 < words.size(), word,
                  ": needs a word behind it, as for the compiler; write it in one, for example -DTILE=64");
      compiler_options_.push_back(words[++i]);
    }
  }
  return rest;
}

void Arguments::ReadWords(std::span<const std::string> words) {
  const po::options_description description = Describe(command_->name);
  namespace style = po::command_line_style;
  try {
    const po::parsed_options parsed =
        po::command_line_parser(Tidy(words, command_->name))
            .options(description)
            .style(style::allow_long | style::long_allow_next | style::long_allow_adjacent)
            .run();
    for (const po::option& option : parsed.options) {
      if (option.position_key >= 0) {
        words_.insert(words_.end(), option.value.begin(), option.value.end());
      } else {
        std::vector<std::string>& values = values_[option.string_key];
        values.insert(values.end(), option.value.begin(), option.value.end());
      }
    }
  } catch (const po::unknown_option& error) {
    RefuseUnknown(*command_, error.get_option_name());
  } catch (const po::invalid_syntax& error) {
    std::string name = error.get_option_name();
    name.erase(0, name.find_first_not_of('-'));
    const Option* option = FindOption(name, command_->name);
    if (option == nullptr) {
      throw UserError(Say(Shown(error.what()), "; `tilesim ", command_->name, " --help` lists the options"));
    }
    throw UserError(option->value.empty() ? Say("option '", Dashed(name), "' is a switch and takes no value")
                                          : Say("option '", Dashed(name), "' needs a value: ", Dashed(name),
                                                " ", option->value, " (", option->says, ")"));
  }
}

// Keys of other commands are passed over, so that one file serves them all.
void Arguments::ReadConfig(const std::string& path) {
  std::ifstream file(path);
  std::error_code ignored;
  RequireUser(!std::filesystem::is_directory(path, ignored), "--config = '", path,
              "': is a folder; give an INI file such as `soc = ascend910b2`");
  RequireUser(file.good(), "--config = '", path,
              "': cannot be read; give an INI file such as `soc = ascend910b2`");
  const po::options_description description = Describe("");
  std::map<std::string, std::vector<std::string>, std::less<>> read;
  try {
    const po::parsed_options parsed = po::parse_config_file(file, description, true);
    for (const po::option& option : parsed.options) {
      const Option* known = FindOption(option.string_key, command_->name);
      if (known == nullptr || known->name == "config" || known->name == "help") {
        std::vector<std::string_view> names;
        for (const Option& any : AllOptions()) {
          names.push_back(any.name);
        }
        const std::string ours = OurColumn(option.string_key);
        throw UserError(Say(path, ": unknown key '", Shown(option.string_key), "'; ",
                            ours.empty() ? DidYouMean(option.string_key, names) : ours,
                            "keys are the options without --"));
      }
      if (!known->BelongsTo(command_->name)) {
        continue;
      }
      if (known->value.empty()) {
        if (ReadTruth(Say(path, ": ", known->name), option.value.at(0))) {
          read[option.string_key] = {};
        }
        continue;
      }
      std::vector<std::string>& values = read[option.string_key];
      values.insert(values.end(), option.value.begin(), option.value.end());
    }
  } catch (const po::error& error) {
    throw UserError(Say(path, ": ", Shown(error.what()), "; lines are `key = value`, `# comment` or empty"));
  }
  for (auto& [name, values] : read) {
    std::vector<std::string>& mine = values_[name];
    if (mine.empty() || FindOption(name, command_->name)->repeats) {
      mine.insert(mine.begin(), values.begin(), values.end());  // what comes later wins
    }
  }
}

void Arguments::Check() {
  SeparateOutputs();
  const auto require_utf8 = [](const std::string& where, const std::string& text) {
    const std::optional<size_t> at = FirstNotUtf8(text);
    RequireUser(!at, where, "'", Shown(text), "': byte ", at.value_or(0) + 1,
                " is not UTF-8; write it, and names of files, as UTF-8");
  };
  for (const std::string& word : words_) {
    require_utf8("", word);
  }
  for (const auto& [name, values] : values_) {
    const Option* option = FindOption(name, command_->name);
    RequireUser(values.size() <= 1 || option->repeats, "option '", Dashed(name), "' is given ", values.size(),
                " times; give it once");
    for (const std::string& value : values) {
      require_utf8(Say(Dashed(name), " = "), value);
      RequireUser(!value.empty(), Dashed(name), " = '': must not be empty; give ", option->value,
                  ", or leave the option out");
    }
  }
  if (words_.size() > command_->most_words) {
    const std::string& word = words_[command_->most_words];
    const std::string_view mend =
        !IsKernelSource(word) ? ""
        : command_->takes_file
            ? ": link several sources by `tilesim cc A B -o PROGRAM`, and give that"
            : ": kernel files are for `tilesim run`, `explain`, `report`, `trace` and `tune`";
    throw UserError(Say("unexpected argument '", Shown(word), "'; `tilesim ", command_->name, "` takes ",
                        command_->words.empty() ? "options only, each with --" : command_->words, mend));
  }
}

void Arguments::SeparateOutputs() {
  const auto outputs = values_.find("output");
  if (outputs == values_.end() || command_->name == "convert") {
    return;
  }
  std::vector<std::string> folders;
  for (const std::string& value : outputs->second) {
    const bool shape =
        value.find_first_not_of("-0123456789x") == std::string::npos && value.find('x') != std::string::npos;
    shape ? values_[std::string(kOutputShape)].push_back(value) : folders.push_back(value);
  }
  RequireUser(folders.size() <= 1, "option '--output' is given ", folders.size(), " times; give one folder");
  folders.empty() ? (void)values_.erase(outputs) : outputs->second.swap(folders);
}

const std::vector<std::string>& Arguments::All(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

std::string Arguments::Text(std::string_view name, std::string_view otherwise) const {
  const std::vector<std::string>& values = All(name);
  return values.empty() ? std::string(otherwise) : values.front();
}

CaseCells Arguments::CellOf(std::string_view name) const {
  CaseCells cells;
  if (Has(name)) {
    cells.emplace(Dashed(name), Text(name, ""));
  }
  return cells;
}

int64_t Arguments::Whole(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const {
  return CellReader(CellOf(name))
      .Whole(Dashed(name), otherwise, least, most, FindOption(name, command_->name)->otherwise);
}

std::string Arguments::Choice(std::string_view name, std::span<const std::string_view> names) const {
  return CellReader(CellOf(name)).Choice(Dashed(name), names, FindOption(name, command_->name)->otherwise);
}

CaseCells Arguments::CaseColumnsGiven() const {
  CaseCells cells;
  for (const auto& [name, values] : values_) {
    if (FindOption(name, command_->name)->case_column && !values.empty()) {
      cells.emplace(name == kOutputShape ? "output" : name, values.front());
    }
  }
  return cells;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const size_t first = text.find_first_not_of(' ', begin);
    if (first < end) {
      parts.push_back(text.substr(first, text.find_last_not_of(' ', end - 1) + 1 - first));
    }
    begin = end + 1;
  }
  return parts;
}

}  // namespace tilesim

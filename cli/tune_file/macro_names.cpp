#include "cli/tune_file/macro_names.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "cli/cc/tokens.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// Names that declare nothing together with the name behind them.
constexpr std::array<std::string_view, 30> kBeforeValues = {
    "return", "case",   "else",     "throw",  "co_return", "co_yield",  "co_await", "delete",
    "sizeof", "goto",   "typename", "new",    "and",       "or",        "not",      "xor",
    "bitand", "bitor",  "compl",    "not_eq", "const",     "constexpr", "volatile", "static",
    "inline", "extern", "unsigned", "signed", "operator",  "defined"};
constexpr std::array<std::string_view, 6> kBehindDeclared = {"=", ";", ",", ")", "[", "{"};

bool IsIn(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// What stands behind an option, in the same word or the next: "-Ilib", "-I" "lib".
std::vector<fs::path> PathsOf(std::string_view option, std::span<const std::string> words) {
  std::vector<fs::path> paths;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) {
      paths.emplace_back(words[++i]);
    } else if (words[i].starts_with(option) && option == "-I") {
      paths.emplace_back(words[i].substr(option.size()));
    }
  }
  return paths;
}

class Reader {
 public:
  explicit Reader(std::span<const std::string> options) : folders_(PathsOf("-I", options)) {}

  void Read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file.good() || !read_.insert(fs::weakly_canonical(path)).second) {
      return;  // what is not there, the compiler says
    }
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const TokenText split = SplitIntoTokens(text);
    names_.tested.insert(split.conditions.begin(), split.conditions.end());
    for (const MacroLine& macro : split.macros) {
      if (!macro.undefines) {
        names_.defined.emplace(macro.name, Say(path.string(), ":", PlaceOf(split, macro.at).line));
        if (macro.body.empty()) {
          names_.guards.emplace(macro.name);
        }
      }
      Mention(split, macro.body);
    }
    Mention(split, split.tokens);
    for (size_t i = 0; i + 2 < split.tokens.size(); ++i) {
      const std::string_view type = split.Of(split.tokens[i]);
      const bool is_declared = split.tokens[i].kind == TokenKind::kName && !IsIn(kBeforeValues, type) &&
                               split.tokens[i + 1].kind == TokenKind::kName &&
                               IsIn(kBehindDeclared, split.Of(split.tokens[i + 2]));
      if (is_declared) {
        names_.declared.emplace(split.Of(split.tokens[i + 1]),
                                Say(path.string(), ":", PlaceOf(split, split.tokens[i + 1].begin).line));
      }
    }
    for (const std::string_view include : split.includes) {
      Include(include.substr(1, include.size() - 2), path.parent_path());
    }
  }

  MacroNames Take() { return std::move(names_); }

 private:
  void Mention(const TokenText& split, std::span<const Token> tokens) {
    for (const Token& token : tokens) {
      if (token.kind == TokenKind::kName) {
        names_.mentioned.emplace(split.Of(token));
      }
    }
  }

  void Include(std::string_view name, const fs::path& beside) {
    std::vector<fs::path> folders = {beside};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / name, ignored)) {
        Read(folder / name);
        return;
      }
    }
  }

  std::vector<fs::path> folders_;
  std::set<fs::path> read_;
  MacroNames names_;
};

}  // namespace

MacroNames MacroNamesOf(const fs::path& source, std::span<const std::string> compiler_options) {
  Reader reader(compiler_options);
  for (const fs::path& included : PathsOf("-include", compiler_options)) {
    reader.Read(included);
  }
  reader.Read(source);
  return reader.Take();
}

}  // namespace tilesim

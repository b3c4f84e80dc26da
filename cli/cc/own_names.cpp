#include "cli/cc/own_names.h"

#include <algorithm>
#include <array>
#include <set>

#include "cli/cc/tokens.h"

namespace tilesim {
namespace {

// `return Clamp(x)` uses a name.
constexpr std::array<std::string_view, 6> kStatements = {"return",    "else",     "do",
                                                         "co_return", "co_yield", "throw"};

std::set<std::string_view> NamesAbsentIn(const TokenText& absent) {
  std::set<std::string_view> names;
  for (size_t i = 0; i + 2 < absent.tokens.size(); ++i) {
    if (absent.Of(absent.tokens[i]).starts_with("TILESIM_ABSENT") && absent.Of(absent.tokens[i + 1]) == "(") {
      names.insert(absent.Of(absent.tokens[i + 2]));
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> OwnNamesAmongAbsent(std::string_view text, std::string_view absent) {
  const TokenText absent_tokens = SplitIntoTokens(absent);
  const std::set<std::string_view> names = NamesAbsentIn(absent_tokens);
  const TokenText unit = SplitIntoTokens(text);
  std::set<std::string> found;
  for (size_t i = 1; i < unit.tokens.size(); ++i) {
    const Token& before = unit.tokens[i - 1];
    if (before.kind == TokenKind::kName && names.contains(unit.Of(unit.tokens[i])) &&
        std::ranges::find(kStatements, unit.Of(before)) == kStatements.end()) {
      found.emplace(unit.Of(unit.tokens[i]));
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace tilesim

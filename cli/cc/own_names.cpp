#include "cli/cc/own_names.h"

#include <set>

#include "cli/cc/tokens.h"

namespace tilesim {
namespace {

std::set<std::string_view> NamesAbsentIn(const TokenText& absent) {
  std::set<std::string_view> names;
  for (size_t i = 0; i + 2 < absent.tokens.size(); ++i) {
    if (absent.Of(absent.tokens[i]).starts_with("TILESIM_ABSENT") && absent.Of(absent.tokens[i + 1]) == "(") {
      names.insert(absent.Of(absent.tokens[i + 2]));
    }
  }
  return names;
}

// Where in a unit one stands who has read its tokens up to one: what a name is there.
class ScopeOfTokens {
 public:
  void Read(std::string_view word, bool is_linkage) {
    if (word == "{") {
      ++(opens_namespace_ ? namespaces_ : others_);
    } else if (word == "}") {
      --(others_ > 0 ? others_ : namespaces_);
    } else if (word == "(" || word == ")") {
      parentheses_ += word == "(" ? 1 : -1;
    }
    if (word == "namespace" || is_linkage) {
      opens_namespace_ = true;
    } else if (word == "{" || word == "(" || word == ";") {
      opens_namespace_ = false;
    }
    if (word == "=") {
      after_equals_ = true;
    } else if (word == ";" || word == "}" || word == ">") {  // of parameters of a template, the last
      after_equals_ = false;
    }
  }
  // Outside of functions, classes, parameters and initialisers.
  [[nodiscard]] bool IsOfANamespace() const { return others_ == 0 && parentheses_ == 0 && !after_equals_; }

 private:
  int namespaces_ = 0, others_ = 0, parentheses_ = 0;  // that are open
  bool opens_namespace_ = false;                       // the next brace
  bool after_equals_ = false;
};

}  // namespace

std::vector<std::string> OwnNamesAmongAbsent(std::string_view text, std::string_view absent) {
  const TokenText absent_tokens = SplitIntoTokens(absent);
  const std::set<std::string_view> names = NamesAbsentIn(absent_tokens);
  const TokenText unit = SplitIntoTokens(text);
  constexpr std::string_view kEndsOfTypes = "*&>)";
  std::set<std::string> found;
  ScopeOfTokens scope;
  for (size_t i = 1; i < unit.tokens.size(); ++i) {
    const Token& before = unit.tokens[i - 1];
    const std::string_view word = unit.Of(unit.tokens[i]);
    scope.Read(unit.Of(before), unit.tokens[i].kind == TokenKind::kString && unit.Of(before) == "extern");
    if (scope.IsOfANamespace() && names.contains(word) &&
        (before.kind == TokenKind::kName || kEndsOfTypes.find(unit.Of(before)) != std::string_view::npos)) {
      found.emplace(word);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace tilesim

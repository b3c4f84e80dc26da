#include "cli/cc/tiling_structs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "cli/cc/words.h"
#include "formats/error.h"
#include "sim/ascendc/tiling_of_key.h"

namespace tilesim {

std::vector<TilingStructs::MacroUse> TilingStructs::UsesOf(std::string_view macro) const {
  std::vector<MacroUse> uses;
  for (size_t i = 0; i + 2 < text_.tokens.size(); ++i) {
    if (text_.Of(text_.tokens[i]) != macro || text_.Of(text_.tokens[i + 1]) != "(") {
      continue;
    }
    std::vector<std::string> arguments(1);
    for (size_t j = i + 2; j < text_.tokens.size() && text_.Of(text_.tokens[j]) != ")"; ++j) {
      const std::string_view word = text_.Of(text_.tokens[j]);
      if (word == ",") {
        arguments.emplace_back();
      } else {
        arguments.back() += word;
      }
    }
    uses.push_back({.name = text_.tokens[i], .arguments = std::move(arguments)});
  }
  return uses;
}

std::set<std::string> TilingStructs::ArgumentsOf(std::string_view macro, size_t argument) const {
  std::set<std::string> found;
  for (const MacroUse& use : UsesOf(macro)) {
    if (argument < use.arguments.size()) {
      found.insert(use.arguments[argument]);
    }
  }
  return found;
}

std::vector<TilingStructs::MacroUse> TilingStructs::RegisteredForThisKey() const {
  std::vector<MacroUse> uses = UsesOf("REGISTER_TILING_FOR_TILINGKEY");
  std::erase_if(uses, [&](const MacroUse& use) {
    const std::string_view condition = use.arguments[0];
    const bool is_text = use.arguments.size() == 2 && condition.size() >= 2 && condition.front() == '"';
    return !is_text || !Holds(condition.substr(1, condition.size() - 2));
  });
  return uses;
}

bool TilingStructs::Holds(std::string_view condition) const {
  try {
    return AscendC::simulator::HoldsForKey(condition, key_.value_or(0));
  } catch (const UserError&) {
    return false;
  }
}

std::vector<TextEdit> TilingStructs::Edits() const {
  std::vector<TextEdit> edits;
  if (key_.has_value()) {
    for (const MacroUse& use : RegisteredForThisKey()) {
      edits.push_back(
          {.begin = use.name.begin, .end = use.name.end, .text = "REGISTER_TILING_OF_THIS_TILINGKEY"});
    }
  }
  AddNamesOfHostClasses(edits);
  return edits;
}

bool TilingStructs::DeclaresStruct(std::string_view name) const {
  const std::vector<Token>& tokens = text_.tokens;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_struct = text_.Of(tokens[i]) == "struct" || text_.Of(tokens[i]) == "class";
    if (is_struct && text_.Of(tokens[i + 1]) == name && text_.Of(tokens[i + 2]) == "{") {
      return true;
    }
  }
  return false;
}

void TilingStructs::AddNamesOfHostClasses(std::vector<TextEdit>& edits) const {
  const std::vector<Word> words = WordsOf(text_, text_.tokens);
  std::vector<std::string> spaces;  // "a::b" for each brace that is open; empty for one of no namespace
  std::map<std::string, std::string> path_of;  // of each class; empty where there are several of that name
  std::map<std::string, uint32_t> end_of;      // of the outermost namespace around it
  std::set<std::string> here;                  // classes of the outermost namespace that is open
  std::string head;                            // of a namespace whose brace comes next
  bool is_head = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.Is("{")) {
      spaces.push_back(is_head ? head : std::string());
      is_head = false;
    } else if (word.Is("}") && !spaces.empty()) {
      spaces.pop_back();
      for (const std::string& name : spaces.empty() ? std::exchange(here, {}) : std::set<std::string>()) {
        end_of[name] = word.end;
      }
    } else if (word.Is("namespace")) {
      is_head = true;
      head.clear();
    } else if (is_head) {
      is_head = word.IsName() || word.Is("::");
      head += word.text;
    } else if (word.Is("BEGIN_TILING_DATA_DEF") && i + 2 < words.size() && words[i + 1].Is("(") &&
               !spaces.empty() && std::ranges::none_of(spaces, &std::string::empty)) {
      std::string path;
      for (const std::string& space : spaces) {
        path += space + "::";
      }
      const auto [known, is_new] = path_of.try_emplace(std::string(words[i + 2].text), path);
      known->second = is_new ? path : "";
      here.insert(known->first);
    }
  }
  std::map<uint32_t, std::string> names;  // by where they stand
  for (const auto& [name, end] : end_of) {
    names[end] +=
        path_of[name].empty() || DeclaresStruct(name) ? "" : Say(" using ", path_of[name], name, ";");
  }
  for (const auto& [end, text] : names) {
    if (!text.empty()) {
      edits.push_back({.begin = end, .end = end, .text = text});
    }
  }
}

std::set<std::string> TilingStructs::Names() const {
  std::set<std::string> names;
  for (const MacroUse& use : RegisteredForThisKey()) {
    names.insert(use.arguments[1]);
  }
  names = names.empty() ? ArgumentsOf("REGISTER_TILING_DEFAULT", 0) : names;
  names = names.empty() ? ArgumentsOf("GET_TILING_DATA_WITH_STRUCT", 0) : names;
  if (names.empty() && !ArgumentsOf("REGISTER_TILING_DATA_CLASS", 1).empty()) {
    names = {
        "typename "
        "decltype(::AscendC::simulator::TilingStruct<::AscendC::simulator::NamedByNobody, "
        "__COUNTER__>())::type"};
  }
  return names;
}

std::vector<std::string_view> MembersDeclaredIn(const TokenText& text, std::string_view name) {
  constexpr std::array<std::string_view, 8> kNoMember = {"static",   "using", "typedef", "friend",
                                                         "operator", "(",     "enum",    "template"};
  constexpr std::array<std::string_view, 3> kOfStruct = {"struct", "class", "union"};
  constexpr std::array<std::string_view, 3> kAccess = {"public", "private", "protected"};
  constexpr std::array<std::string_view, 4> kEndsName = {"=", "[", "{", ":"};
  const std::vector<Token>& tokens = text.tokens;
  const auto word = [&](size_t i) { return i < tokens.size() ? text.Of(tokens[i]) : std::string_view(); };
  size_t at = 0;
  while (at < tokens.size() && !(IsIn(kOfStruct, word(at)) && word(at + 1) == name && word(at + 2) == "{")) {
    ++at;
  }
  std::vector<std::string_view> members;
  std::string_view declared;  // by the declarator in hand
  bool is_data = true;        // the declaration in hand
  bool is_over = false;       // the declarator: its initialiser, extents or width follow
  const auto begin_anew = [&] {
    declared = {};
    is_data = true;
    is_over = false;
  };
  int depth = 1;  // of brackets
  int angles = 0;
  for (at += 3; at < tokens.size() && depth > 0; ++at) {
    const std::string_view one = word(at);
    if (depth == 1 && one == ":" && IsIn(kAccess, word(at - 1))) {
      begin_anew();
      continue;
    }
    if (depth == 1 && !is_over) {
      is_over = IsIn(kEndsName, one);
      declared = one == ":" ? std::string_view() : declared;  // a bit-field has no place of its own
      is_data = is_data && !IsIn(kNoMember, one);
      angles += one == "<" ? 1 : one == ">" ? -1 : 0;
    }
    depth += one == "{" || one == "(" || one == "[" ? 1 : one == "}" || one == ")" || one == "]" ? -1 : 0;
    if (depth != 1 || (angles > 0 && !is_over)) {
      continue;
    }
    if (one == ";" || one == ",") {
      if (is_data && !declared.empty()) {
        members.push_back(declared);
      }
      const bool goes_on = one == "," && is_data;
      begin_anew();
      is_data = one == ";" || goes_on;
      angles = 0;
    } else if (one == "}" && (!is_data || declared.empty())) {  // of a function, or of a struct
      begin_anew();
    } else if (!is_over && tokens[at].kind == TokenKind::kName && !IsIn(kOfStruct, one)) {
      declared = IsIn(kOfStruct, word(at - 1)) ? std::string_view() : one;
    }
  }
  return members;
}

}  // namespace tilesim

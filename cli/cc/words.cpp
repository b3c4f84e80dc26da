#include "cli/cc/words.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 10> kTelling = {
    "__global__",        "__vector__", "__cube__", "__mix__",   "__schedmode__",
    "__kfc_workspace__", "__gm__",     "GM_ADDR",  "namespace", "main"};
constexpr int kMostDepth = 16;            // of macros in macros
constexpr size_t kMostWords = 4'000'000;  // beyond it macros stay as they are
constexpr std::string_view kOpening = "([{";
constexpr std::string_view kClosing = ")]}";

bool IsOneOf(const Word& word, std::string_view letters) {
  return word.kind == TokenKind::kPunctuation && word.text.size() == 1 &&
         letters.find(word.text[0]) != std::string_view::npos;
}

bool IsWordLike(const Word& word) { return word.kind != TokenKind::kPunctuation; }

}  // namespace

class StructureExpander {
 public:
  StructureExpander(const TokenText& text, StructureWords& to) : text_(text), to_(to) {}

  void Run() {
    const std::vector<Word> words = WordsOf(text_, text_.tokens);
    size_t next_line = 0;
    for (size_t i = 0; i < words.size();) {
      for (; next_line < text_.macros.size() && text_.macros[next_line].at < words[i].begin; ++next_line) {
        const MacroLine& line = text_.macros[next_line];
        if (line.undefines) {
          macros_.erase(line.name);
        } else {
          macros_[line.name] = &line;
        }
      }
      i = Take(words, i, 0, to_.words_);
    }
  }

 private:
  using Words = std::vector<Word>;

  // Appends the word at `i`, replaced where it is a macro that tells; returns where to go on.
  size_t Take(const Words& words, size_t i, int depth, Words& out) {
    const MacroLine* const macro = words[i].IsName() ? MacroOf(words[i].text) : nullptr;
    if (macro == nullptr || depth >= kMostDepth || to_.words_.size() + out.size() > kMostWords) {
      out.push_back(words[i]);
      return i + 1;
    }
    std::vector<Words> arguments;
    const std::optional<size_t> after =
        macro->function_like ? Arguments(words, i + 1, arguments) : std::optional(i + 1);
    const auto has_brace = [](const Words& argument) {
      return std::ranges::any_of(argument, [](const Word& word) { return IsOneOf(word, "{}"); });
    };
    if (!after.has_value() || !(Tells(*macro) || std::ranges::any_of(arguments, has_brace))) {
      out.push_back(words[i]);
      return i + 1;
    }
    const Words replaced = Substituted(*macro, words[i], arguments);
    const auto hidden = macros_.extract(macro->name);  // a macro is not replaced in its own text
    for (size_t k = 0; k < replaced.size();) {
      k = Take(replaced, k, depth + 1, out);
    }
    if (!hidden.empty()) {
      macros_[hidden.key()] = hidden.mapped();
    }
    return *after;
  }

  const MacroLine* MacroOf(std::string_view name) const {
    const auto found = macros_.find(name);
    return found == macros_.end() ? nullptr : found->second;
  }

  bool Tells(const MacroLine& macro) {
    const auto [known, is_new] = tells_.try_emplace(&macro, false);
    if (!is_new) {
      return known->second;
    }
    bool tells = false;
    for (const Word& word : WordsOf(text_, macro.body)) {
      tells = tells || IsOneOf(word, "{}") || std::ranges::find(kTelling, word.text) != kTelling.end();
      if (const MacroLine* const inner = word.IsName() ? MacroOf(word.text) : nullptr;
          !tells && inner != nullptr && inner != &macro) {
        tells = Tells(*inner);
      }
    }
    return tells_[&macro] = tells;
  }

  // Reads `( ... )` from `at`; nullopt where there is none. Returns where it ends.
  static std::optional<size_t> Arguments(const Words& words, size_t at, std::vector<Words>& arguments) {
    if (at >= words.size() || !IsOneOf(words[at], "(")) {
      return std::nullopt;
    }
    arguments.emplace_back();
    int depth = 1;
    for (++at; at < words.size(); ++at) {
      depth += IsOneOf(words[at], kOpening) ? 1 : IsOneOf(words[at], kClosing) ? -1 : 0;
      if (depth == 0) {
        return at + 1;
      }
      if (depth == 1 && IsOneOf(words[at], ",")) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(words[at]);
      }
    }
    return std::nullopt;
  }

  Words Substituted(const MacroLine& macro, const Word& from, const std::vector<Words>& arguments) {
    Words out;
    const Words body = WordsOf(text_, macro.body);
    for (size_t i = 0; i < body.size(); ++i) {
      Words part;
      if (body[i].Is("#") && macro.function_like && i + 1 < body.size()) {
        ++i;
        part.push_back(
            {.text = Keep('"' + Joined(Value(macro, body[i], arguments)) + '"'), .kind = TokenKind::kString});
      } else if (body[i].Is("##")) {
        continue;
      } else {
        part = Value(macro, body[i], arguments);
      }
      const bool pastes = i > 0 && body[i - 1].Is("##") && !out.empty();
      if (pastes && part.empty() && out.back().Is(",")) {
        out.pop_back();  // , ## __VA_ARGS__ without any
      } else if (pastes && !part.empty() && !out.back().Is(",")) {
        out.back().text = Keep(std::string(out.back().text) + std::string(part.front().text));
        part.erase(part.begin());
      }
      out.insert(out.end(), part.begin(), part.end());
    }
    for (Word& word : out) {  // where the macro is used
      word.begin = from.begin;
      word.end = from.end;
    }
    return out;
  }

  static Words Value(const MacroLine& macro, const Word& word, const std::vector<Words>& arguments) {
    const auto parameter = std::ranges::find(macro.parameters, word.text);
    if (!word.IsName() || parameter == macro.parameters.end()) {
      return {word};
    }
    const auto number = static_cast<size_t>(parameter - macro.parameters.begin());
    Words value;
    const bool rest = word.Is("__VA_ARGS__");
    for (size_t i = number; i < arguments.size() && (i == number || rest); ++i) {
      if (i > number) {
        value.push_back({.text = ",", .kind = TokenKind::kPunctuation});
      }
      value.insert(value.end(), arguments[i].begin(), arguments[i].end());
    }
    return value;
  }

  std::string_view Keep(std::string text) { return to_.made_.emplace_back(std::move(text)); }

  const TokenText& text_;
  StructureWords& to_;
  std::map<std::string_view, const MacroLine*> macros_;
  std::unordered_map<const MacroLine*, bool> tells_;
};

StructureWords::StructureWords(const TokenText& text) { StructureExpander(text, *this).Run(); }

std::vector<Word> WordsOf(const TokenText& text, std::span<const Token> tokens) {
  std::vector<Word> words;
  words.reserve(tokens.size());
  for (const Token& token : tokens) {
    words.push_back({.text = text.Of(token), .kind = token.kind, .begin = token.begin, .end = token.end});
  }
  return words;
}

std::vector<size_t> MatchBrackets(WordSpan words) {
  std::vector<size_t> partners(words.size(), kNoWord);
  std::vector<size_t> open;
  for (size_t i = 0; i < words.size(); ++i) {
    if (IsOneOf(words[i], kOpening)) {
      open.push_back(i);
    } else if (IsOneOf(words[i], kClosing)) {
      const char wanted = kOpening[kClosing.find(words[i].text[0])];
      const auto partner = std::ranges::find_if(open.rbegin(), open.rend(),
                                                [&](size_t at) { return words[at].text[0] == wanted; });
      if (partner != open.rend()) {  // those above it have none
        partners[*partner] = i;
        partners[i] = *partner;
        open.erase(partner.base() - 1, open.end());
      }
    }
  }
  return partners;
}

size_t AngleEnd(WordSpan words, std::span<const size_t> partners, size_t open) {
  int depth = 0;
  for (size_t i = open; i < words.size(); ++i) {
    if (IsOneOf(words[i], kOpening) && partners[i] != kNoWord) {
      i = partners[i];
    } else if (IsOneOf(words[i], "([{)]};")) {
      return kNoWord;
    } else if (IsOneOf(words[i], "<>")) {
      depth += words[i].Is("<") ? 1 : -1;
      if (depth == 0) {
        return i;
      }
    }
  }
  return kNoWord;
}

size_t AngleBegin(WordSpan words, std::span<const size_t> partners, size_t close) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (IsOneOf(words[i], kClosing) && partners[i] != kNoWord) {
      i = partners[i];
    } else if (IsOneOf(words[i], "([{)]};")) {
      return kNoWord;
    } else if (IsOneOf(words[i], "<>")) {
      depth += words[i].Is(">") ? 1 : -1;
      if (depth == 0) {
        return i;
      }
    }
  }
  return kNoWord;
}

size_t NameBegin(WordSpan words, std::span<const size_t> partners, size_t end) {
  size_t begin = end;
  while (begin > 0) {
    size_t part = begin - 1;
    if (IsOneOf(words[part], ">")) {
      part = AngleBegin(words, partners, part);
      if (part == kNoWord || part == 0) {
        break;
      }
      --part;
    }
    if (!words[part].IsName()) {
      break;
    }
    begin = part;
    if (begin > 0 && words[begin - 1].Is("##")) {
      --begin;
      continue;
    }
    if (begin == 0 || !words[begin - 1].Is("::")) {
      return begin;
    }
    --begin;
    const bool goes_on = begin > 0 && (words[begin - 1].IsName() || IsOneOf(words[begin - 1], ">"));
    if (!goes_on) {
      return begin;  // ::name
    }
  }
  return begin;
}

size_t CalleeBegin(WordSpan words, std::span<const size_t> partners, size_t end) {
  constexpr std::array<std::string_view, 7> kBeforeGroup = {"if",  "else",   "while", "do",
                                                            "for", "switch", "return"};
  for (size_t begin = end; begin > 0;) {
    const Word& last = words[begin - 1];
    if (IsOneOf(last, ")]")) {
      const size_t open = partners[begin - 1];
      if (open == kNoWord) {
        return end;
      }
      const bool is_call =
          NameBegin(words, partners, open) != open && !IsIn(kBeforeGroup, words[open - 1].text);
      if (last.Is(")") && !is_call) {
        return open;
      }
      begin = open;
      continue;
    }
    const size_t name = NameBegin(words, partners, begin);
    const bool is_member = name > 1 && name != begin && (words[name - 1].Is("->") || words[name - 1].Is("."));
    if (!is_member) {
      return name == begin ? end : name;
    }
    begin = name - 1;
  }
  return end;
}

std::vector<WordSpan> SplitAtCommas(WordSpan words) {
  std::vector<WordSpan> parts;
  const std::vector<size_t> partners = MatchBrackets(words);
  size_t begin = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    if (partners[i] != kNoWord && partners[i] > i) {
      i = partners[i];
    } else if (words[i].Is("<")) {
      const size_t end = AngleEnd(words, partners, i);
      i = end == kNoWord ? i : end;
    } else if (words[i].Is(",")) {
      parts.push_back(words.subspan(begin, i - begin));
      begin = i + 1;
    }
  }
  if (!parts.empty() || !words.empty()) {
    parts.push_back(words.subspan(begin));
  }
  return parts;
}

std::string Joined(WordSpan words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool blank =
        i > 0 && (words[i - 1].Is(",") ||
                  (IsWordLike(words[i]) && (IsWordLike(words[i - 1]) || IsOneOf(words[i - 1], "*&>"))));
    text += blank ? " " : "";
    text += words[i].text;
  }
  return text;
}

std::string Literal(std::string_view text) {
  std::string literal = "\"";
  for (const char letter : text) {
    literal += letter == '"' || letter == '\\' ? "\\" : "";
    literal += letter == '\n' ? ' ' : letter;
  }
  return literal + '"';
}

std::string_view WithoutArguments(std::string_view name) {
  if (!name.ends_with('>')) {
    return name;
  }
  int depth = 0;
  int round = 0;  // an angle in ( ) compares
  for (size_t i = name.size(); i-- > 0;) {
    round += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
    depth += round != 0 ? 0 : name[i] == '>' ? 1 : name[i] == '<' ? -1 : 0;
    if (depth == 0) {
      name = name.substr(0, i);
      break;
    }
  }
  while (name.ends_with(' ')) {
    name.remove_suffix(1);
  }
  return name;
}

std::string_view LastName(std::string_view name) {
  const std::string_view plain = WithoutArguments(name);
  const size_t colons = plain.rfind("::");
  return colons == std::string_view::npos ? plain : plain.substr(colons + 2);
}

}  // namespace tilesim

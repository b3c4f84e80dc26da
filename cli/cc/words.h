#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cc/tokens.h"

namespace tilesim {

// Tokens as kernels are looked for in them: with the macros of the unit's own sources replaced that hide a
// kernel, a scope or main. Knows brackets; no declarations.

struct Word {
  std::string_view text;
  TokenKind kind = TokenKind::kPunctuation;
  uint32_t begin = 0;  // of the token that it comes from
  uint32_t end = 0;

  [[nodiscard]] bool Is(std::string_view what) const { return text == what; }
  [[nodiscard]] bool IsName() const { return kind == TokenKind::kName; }
};

using WordSpan = std::span<const Word>;

inline constexpr size_t kNoWord = static_cast<size_t>(-1);

// The tokens as they stand.
[[nodiscard]] std::vector<Word> WordsOf(const TokenText& text, std::span<const Token> tokens);

// The tokens outside of directives, with macros replaced that say something of a unit's structure: those
// whose text or arguments hold a kernel's qualifiers, `namespace`, `main` or a brace.
class StructureWords {
 public:
  explicit StructureWords(const TokenText& text);
  [[nodiscard]] const std::vector<Word>& words() const { return words_; }

 private:
  friend class StructureExpander;
  std::vector<Word> words_;
  std::deque<std::string> made_;  // the texts that `##` and `#` make
};

// Of each bracket ( [ { its partner; kNoWord for one without, and for all other words.
[[nodiscard]] std::vector<size_t> MatchBrackets(WordSpan words);

// The `>` of the `<` at `open`; kNoWord where a `;`, a bracket or the end comes first.
[[nodiscard]] size_t AngleEnd(WordSpan words, std::span<const size_t> partners, size_t open);

// The `<` of the `>` at `close`, likewise.
[[nodiscard]] size_t AngleBegin(WordSpan words, std::span<const size_t> partners, size_t close);

// Where the expression begins that ends before `end` and may stand for a kernel's name: `fs[1]`, `(k)`,
// `this->f`, `pick(2)`. `end` itself where there is none.
[[nodiscard]] size_t CalleeBegin(WordSpan words, std::span<const size_t> partners, size_t end);

// Where the name begins that ends before `end`: `ns::kernel<half, 2>`. `end` itself where there is no name.
[[nodiscard]] size_t NameBegin(WordSpan words, std::span<const size_t> partners, size_t end);

// The words at the top level between commas. Angles count as brackets where `angles`.
[[nodiscard]] std::vector<WordSpan> SplitAtCommas(WordSpan words);

// The words as one line with blanks where they are needed: "__gm__ uint8_t*", "add<half, 2>".
[[nodiscard]] std::string Joined(WordSpan words);

// The text as a literal of C.
[[nodiscard]] std::string Literal(std::string_view text);

template <size_t n>
[[nodiscard]] bool IsIn(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// "ops::add<half, 2>": without arguments of the template, "ops::add"; and of that the last name, "add".
[[nodiscard]] std::string_view WithoutArguments(std::string_view name);
[[nodiscard]] std::string_view LastName(std::string_view name);

}  // namespace tilesim

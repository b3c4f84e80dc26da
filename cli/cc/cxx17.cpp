#include "cli/cc/cxx17.h"

#include <algorithm>
#include <array>

#include "cli/cc/words.h"

namespace tilesim {
namespace {

// What may stand before a constructor's name, and is no part of another declaration.
constexpr std::array<std::string_view, 5> kBeforeConstructor = {"inline", "constexpr", "explicit",
                                                                "__aicore__", "__host__"};

// The class whose body opens at the brace that is next to open; empty where the words say no such thing.
class ClassHead {
 public:
  void Read(const Word& word) {
    if (depth_ > 0 || word.Is("(")) {
      Bracket(word);
    } else if (word.Is("class") || word.Is("struct")) {
      state_ = State::kKey;
    } else if (state_ == State::kKey) {
      const bool is_attribute = word.Is("alignas") || word.Is("__attribute__") || word.Is("nodiscard");
      if (word.IsName() && !is_attribute) {
        name_ = word.text;
        state_ = State::kName;
      }
    } else if (state_ == State::kName) {  // else a parameter of a template, or a type in a declaration
      state_ = word.Is(":") || word.Is("<") || word.Is("final") ? State::kBases : State::kNone;
    } else if (word.Is(";") || word.Is("}")) {
      state_ = State::kNone;
    }
  }
  std::string_view Take() {
    const bool is_class = state_ == State::kName || state_ == State::kBases;
    state_ = State::kNone;
    depth_ = 0;
    return is_class ? name_ : std::string_view();
  }

 private:
  enum class State : uint8_t { kNone, kKey, kName, kBases };

  // alignas(8), Base<sizeof(T)>: what stands in brackets says nothing; a function's make it no class.
  void Bracket(const Word& word) {
    depth_ += word.Is("(") ? 1 : word.Is(")") ? -1 : 0;
    state_ = state_ == State::kName ? State::kNone : state_;
  }

  State state_ = State::kNone;
  std::string_view name_;
  int depth_ = 0;
};

class Editor {
 public:
  explicit Editor(const TokenText& text)
      : text_(text), words_(WordsOf(text, text.tokens)), partners_(MatchBrackets(words_)) {}

  std::vector<TextEdit> Run() && {
    ClassHead head;
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].Is("{")) {
        scopes_.push_back({.class_name = head.Take()});
        continue;
      }
      if (words_[i].Is("concept") && !DefinesConcept(i)) {
        edits_.push_back({.begin = words_[i].begin, .end = words_[i].end, .text = "concepT"});
      }
      head.Read(words_[i]);
      if (scopes_.empty()) {
        continue;
      }
      if (words_[i].Is("}")) {
        Close(scopes_.back());
        scopes_.pop_back();
      } else if (words_[i].IsName() && words_[i].Is(scopes_.back().class_name)) {
        OwnName(i, scopes_.back());
      }
    }
    return std::move(edits_);
  }

 private:
  struct Scope {
    std::string_view class_name;  // empty for a brace that opens no class
    int constructors = 0;
    size_t defaulted = kNoWord;  // the name in `B() = default;`
  };

  [[nodiscard]] bool Are(size_t at, std::initializer_list<std::string_view> words) const {
    return at + words.size() <= words_.size() &&
           std::equal(words.begin(), words.end(), words_.begin() + static_cast<ptrdiff_t>(at),
                      [](std::string_view text, const Word& word) { return word.Is(text); });
  }
  // `concept Name = ...`; elsewhere the word is a name of C++17.
  [[nodiscard]] bool DefinesConcept(size_t at) const {
    return at + 2 < words_.size() && words_[at + 1].IsName() && words_[at + 2].Is("=");
  }
  // The first word of the declaration whose specifiers end before `at`; kNoWord where other words stand
  // there. The class's own brace stands before it at least.
  [[nodiscard]] size_t MemberBegin(size_t at) const {
    constexpr std::array<std::string_view, 5> kBefore = {"{", "}", ";", ":", ">"};  // >: of a template's head
    while (IsIn(kBeforeConstructor, words_[at - 1].text)) {
      --at;
    }
    return IsIn(kBefore, words_[at - 1].text) ? at : kNoWord;
  }

  // The class's own name, in its body and in nothing inside of that.
  void OwnName(size_t at, Scope& scope) {
    const bool is_destructor = words_[at - 1].Is("~");
    size_t open = at + 1;
    if (open < words_.size() && words_[open].Is("<")) {
      const size_t close = AngleEnd(words_, partners_, open);
      open = close == kNoWord ? words_.size() : close + 1;
      if (open < words_.size() && words_[open].Is("(") && (is_destructor || MemberBegin(at) != kNoWord)) {
        Blank(at + 1, close);
      }
    }
    if (open < words_.size() && words_[open].Is("(") && !is_destructor) {
      ++scope.constructors;
      scope.defaulted = Are(at + 1, {"(", ")", "=", "default", ";"}) ? at : scope.defaulted;
    }
  }

  void Close(const Scope& scope) {
    if (scope.constructors != 1 || scope.defaulted == kNoWord) {
      return;
    }
    const size_t first = MemberBegin(scope.defaulted);
    if (first != kNoWord && !words_[first - 1].Is(">")) {
      Blank(first, scope.defaulted + 5);
    }
  }

  // Words `first` to `last` become blanks.
  void Blank(size_t first, size_t last) {
    const uint32_t begin = words_[first].begin;
    std::string blanks(text_.text.substr(begin, words_[last].end - begin));
    std::ranges::replace_if(
        blanks, [](char one) { return one != '\n'; }, ' ');
    edits_.push_back({.begin = begin, .end = words_[last].end, .text = std::move(blanks)});
  }

  const TokenText& text_;
  std::vector<Word> words_;
  std::vector<size_t> partners_;
  std::vector<Scope> scopes_;  // of the braces that are open
  std::vector<TextEdit> edits_;
};

}  // namespace

std::vector<TextEdit> EditsForCxx20(const TokenText& text) { return Editor(text).Run(); }

}  // namespace tilesim

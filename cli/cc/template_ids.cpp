#include "cli/cc/template_ids.h"

#include "cli/cc/words.h"

namespace tilesim {
namespace {

// The class whose body opens at the brace that is next to open; empty where the words say no such thing.
class ClassHead {
 public:
  void Read(const Word& word) {
    if (word.Is("class") || word.Is("struct")) {
      expects_name_ = true;
      name_ = {};
    } else if (expects_name_ && word.IsName()) {
      name_ = word.text;
      expects_name_ = false;
    } else if (word.Is(";") || word.Is(")") || word.Is("}")) {
      *this = {};
    }
  }
  std::string_view Take() {
    const std::string_view name = name_;
    *this = {};
    return name;
  }

 private:
  std::string_view name_;
  bool expects_name_ = false;
};

}  // namespace

std::vector<TextEdit> LeaveOutArgumentsOfStructors(const TokenText& text) {
  const std::vector<Word> words = WordsOf(text, text.tokens);
  const std::vector<size_t> partners = MatchBrackets(words);
  std::vector<TextEdit> edits;
  std::vector<std::string_view> scopes;  // a class's name for each brace that is open; "" for another brace
  ClassHead head;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].Is("{")) {
      scopes.push_back(head.Take());
      continue;
    }
    head.Read(words[i]);
    if (words[i].Is("}") && !scopes.empty()) {
      scopes.pop_back();
    }
    const bool is_class_name = !scopes.empty() && words[i].IsName() && words[i].Is(scopes.back());
    if (!is_class_name || i + 1 >= words.size() || !words[i + 1].Is("<")) {
      continue;
    }
    const size_t close = AngleEnd(words, partners, i + 1);
    const std::string_view before = words[i - 1].text;  // the class's brace at least
    const bool begins = before == "~" || before == "{" || before == "}" || before == ";" || before == ":";
    if (begins && close != kNoWord && close + 1 < words.size() && words[close + 1].Is("(")) {
      const uint32_t begin = words[i + 1].begin;
      std::string blanks(text.text.substr(begin, words[close].end - begin));
      std::ranges::replace_if(
          blanks, [](char one) { return one != '\n'; }, ' ');
      edits.push_back({.begin = begin, .end = words[close].end, .text = std::move(blanks)});
    }
  }
  return edits;
}

}  // namespace tilesim

#include "cli/cc/launch_finder.h"

#include <algorithm>
#include <array>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 8> kNoKernel = {"operator", "return", "case",     "else",
                                                       "throw",    "sizeof", "co_yield", "co_return"};

bool Adjacent(const Word& a, const Word& b) { return a.end == b.begin; }

// Whether exactly three of `sign` stand at `at`, none beside them.
bool ThreeOf(WordSpan words, size_t at, std::string_view sign) {
  for (size_t i = at; i < at + 3; ++i) {
    if (i >= words.size() || !words[i].Is(sign) || (i > at && !Adjacent(words[i - 1], words[i]))) {
      return false;
    }
  }
  return true;
}

bool OpensLaunch(WordSpan words, size_t at) {
  const auto is_one = [&](size_t i) { return i < words.size() && words[i].Is("<"); };
  return ThreeOf(words, at, "<") && !(at > 0 && is_one(at - 1) && Adjacent(words[at - 1], words[at])) &&
         !(is_one(at + 3) && Adjacent(words[at + 2], words[at + 3]));
}

struct Launch {
  size_t name = 0;   // its first word
  size_t open = 0;   // of the three <
  size_t close = 0;  // of the three >
};

class LaunchFinder {
 public:
  LaunchFinder(const TokenText& text, const std::function<KernelForm(const LaunchedName&)>& form_of)
      : text_(text), form_of_(form_of) {}

  LaunchEdits Run() && {
    Look(text_.tokens, nullptr);
    for (const MacroLine& macro : text_.macros) {
      Look(macro.body, &macro);
    }
    std::ranges::stable_sort(edits_.edits, {}, &TextEdit::begin);
    return std::move(edits_);
  }

 private:
  void Look(std::span<const Token> tokens, const MacroLine* macro) {
    const bool any = std::ranges::any_of(tokens, [&](const Token& token) {
      return text_.text[token.begin] == '<' && text_.text.substr(token.begin, 3) == "<<<";
    });
    if (!any) {
      return;
    }
    const std::vector<Word> words = WordsOf(text_, tokens);
    const std::vector<size_t> partners = MatchBrackets(words);
    int round = 0;  // ( and [ that are open here
    uint32_t done = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      const bool is_round = words[i].Is("(") || words[i].Is("[") || words[i].Is(")") || words[i].Is("]");
      if (is_round && partners[i] != kNoWord) {
        round += partners[i] > i ? 1 : -1;
      }
      if (!OpensLaunch(words, i)) {
        continue;
      }
      Launch launch{.name = CalleeBegin(words, partners, i), .open = i};
      const bool has_name =
          launch.name < i && !IsIn(kNoKernel, words[launch.name].text) && !IsIn(kNoKernel, words[i - 1].text);
      if (!has_name) {
        continue;
      }
      if (!FindClose(words, partners, macro != nullptr, launch)) {
        Note(words[i].begin, Say("no `>>>(` closes the `<<<` after `",
                                 Joined(WordSpan(words).subspan(launch.name, i - launch.name)), "`"));
        continue;
      }
      if (words[launch.name].begin >= done) {  // not in another's name
        done = words[i + 2].end;
        edits_.any = true;
        Rewrite(words, partners, launch, macro, macro == nullptr && round == 0);
      }
    }
  }

  // The `>>>` before a `(`; in a macro its text may end there.
  static bool FindClose(WordSpan words, std::span<const size_t> partners, bool in_macro, Launch& launch) {
    size_t angles = 0;
    size_t fallback = kNoWord;
    for (size_t i = launch.open + 3; i < words.size(); ++i) {
      const Word& word = words[i];
      if ((word.Is("(") || word.Is("[") || word.Is("{")) && partners[i] != kNoWord) {
        i = partners[i];
      } else if (word.Is(")") || word.Is("]") || word.Is("}") || word.Is(";")) {
        break;
      } else if (word.Is("<")) {
        const bool shift = i + 1 < words.size() && words[i + 1].Is("<") && Adjacent(word, words[i + 1]);
        i += shift ? 1 : 0;
        angles += !shift && words[i - 1].IsName() ? 1 : 0;
      } else if (word.Is(">")) {
        const bool closes =
            ThreeOf(words, i, ">") && (i + 3 < words.size() ? words[i + 3].Is("(") : in_macro);
        if (closes && angles == 0) {
          launch.close = i;
          return true;
        }
        fallback = closes && fallback == kNoWord ? i : fallback;
        angles -= angles > 0 ? 1 : 0;
      }
    }
    launch.close = fallback;  // a `<` between them compares
    return fallback != kNoWord;
  }

  LaunchedName NameOf(WordSpan words, const MacroLine* macro) const {
    while (words.size() > 2 && words.front().Is("(") && MatchBrackets(words).front() == words.size() - 1) {
      words = words.subspan(1, words.size() - 2);
    }
    LaunchedName name{.name = Joined(words)};
    const auto is_parameter = [&](const Word& word) {
      return macro != nullptr && macro->function_like &&
             std::ranges::find(macro->parameters, word.text) != macro->parameters.end();
    };
    const size_t arguments =
        static_cast<size_t>(std::ranges::find(words, std::string_view("<"), &Word::text) - words.begin());
    std::string plain;  // since the last parameter
    for (size_t i = words.front().Is("::") ? 1 : 0; i < words.size(); ++i) {
      if (words[i].Is("##")) {
        continue;
      }
      if (is_parameter(words[i])) {
        name.is_parameter = name.is_parameter || i < arguments;
        name.expression += plain.empty() ? "" : Literal(plain) + " ";
        plain.clear();
        name.expression += Say("#", words[i].text, " ");
      } else {
        plain += words[i].Is(",") ? ", " : std::string(words[i].text);
      }
      if (i + 1 == arguments) {
        name.last_name_expression = name.expression + (plain.empty() ? "" : Literal(plain));
      }
    }
    name.expression += plain.empty() ? "" : Literal(plain);
    if (name.last_name_expression.empty()) {
      name.last_name_expression = name.expression;
    }
    return name;
  }

  // `exact`: where lines can be marked, so that what follows keeps its columns.
  void Rewrite(WordSpan words, std::span<const size_t> partners, const Launch& launch, const MacroLine* macro,
               bool exact) {
    const WordSpan name_words = words.subspan(launch.name, launch.open - launch.name);
    LaunchedName name = NameOf(name_words, macro);
    const size_t arguments = launch.close + 3;
    if (arguments < words.size() && partners[arguments] != kNoWord) {
      name.num_arguments =
          SplitAtCommas(words.subspan(arguments + 1, partners[arguments] - arguments - 1)).size();
    }
    const KernelForm form = form_of_(name);
    const uint32_t name_begin = name_words.front().begin;
    const uint32_t name_end = name_words.back().end;
    const uint32_t open_end = words[launch.open + 2].end;
    const uint32_t close_end = words[launch.close + 2].end;
    std::string head = Say("::tilesim::host::Launch(::tilesim::host::LaunchSite{", name.expression, ", ",
                           form.qualifiers, ", ::tilesim::SourceLine{__FILE__, __LINE__}",
                           name.name.find('<') != std::string::npos ? ", nullptr, __PRETTY_FUNCTION__"
                           : form.parameters.empty()                ? ""
                                                                    : ", nullptr, \"\"",
                           form.parameters.empty() ? "" : Say(", \"", form.parameters, "\""), "}, ");
    const std::string_view as_written = text_.text.substr(name_begin, name_end - name_begin);
    const bool one_line =
        as_written.find('\n') == std::string_view::npos && as_written.find('/') == std::string_view::npos;
    if (form.through_lambda) {
      head += Say("[](auto... tilesim_arguments) { ", name.name, "(tilesim_arguments...); })");
    } else {
      head += Say(exact && one_line ? BackTo(name_begin) : "",
                  one_line ? std::string(as_written) : Joined(name_words), ")");
    }
    head += ".With(";
    head += exact ? BackTo(open_end) : LinesIn(name_begin, open_end, macro != nullptr);
    const std::string tail =
        Say(")", exact ? BackTo(close_end) : LinesIn(words[launch.close].begin, close_end, macro != nullptr));
    edits_.edits.push_back({.begin = name_begin, .end = open_end, .text = std::move(head)});
    edits_.edits.push_back({.begin = words[launch.close].begin, .end = close_end, .text = tail});
    if (macro == nullptr) {
      NoteLaunch(name_begin, close_end);
    }
  }

  void NoteLaunch(uint32_t begin, uint32_t end) {
    TextPlace place = PlaceOf(text_, begin);
    const auto column = [&](uint32_t at) {
      return static_cast<int>(at - (text_.text.substr(0, at).rfind('\n') + 1) + 1);
    };
    edits_.launches.push_back({.file = std::move(place.file),
                               .line = place.line,
                               .first_column = column(begin),
                               .last_column = column(end),
                               .text = std::string(text_.text.substr(begin, end - begin))});
  }

  // A new line that the compiler takes for the one at `at`, blank up to there.
  std::string BackTo(uint32_t at) const {
    const TextPlace place = PlaceOf(text_, at);
    const size_t before = text_.text.substr(0, at).rfind('\n');
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string blanks(text_.text.substr(begin, at - begin));
    for (char& letter : blanks) {
      letter = letter == '\t' ? '\t' : ' ';
    }
    return Say("\n# ", place.line, " ", Literal(place.file), "\n", blanks);
  }

  // As many ends of lines as the text has there, so that those that follow keep their numbers.
  std::string LinesIn(uint32_t begin, uint32_t end, bool in_macro) const {
    std::string lines;
    const auto count = std::ranges::count(text_.text.substr(begin, end - begin), '\n');
    for (auto i = count; i > 0; --i) {
      lines += in_macro ? "\\\n" : "\n";
    }
    return lines;
  }

  void Note(uint32_t at, std::string what) {
    TextPlace place = PlaceOf(text_, at);
    edits_.notes.push_back({.file = std::move(place.file), .line = place.line, .text = std::move(what)});
  }

  const TokenText& text_;
  const std::function<KernelForm(const LaunchedName&)>& form_of_;
  LaunchEdits edits_;
};

}  // namespace

LaunchEdits FindLaunches(const TokenText& text,
                         const std::function<KernelForm(const LaunchedName&)>& form_of) {
  return LaunchFinder(text, form_of).Run();
}

}  // namespace tilesim

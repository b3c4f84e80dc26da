#include "cli/cc/kernel_finder.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilesim {
namespace {

// Words before a `(` that is not the one of a function's parameters.
constexpr std::array<std::string_view, 10> kNoFunction = {
    "__mix__",    "__schedmode__", "__attribute__", "alignas",  "decltype",
    "__declspec", "noexcept",      "requires",      "explicit", "__launch_bounds__"};
// Words that make a type without naming one: a name after nothing but these is the type.
constexpr std::array<std::string_view, 17> kAroundTypes = {
    "const",  "volatile", "__gm__",   "__ubuf__", "__ca__",           "__cb__",
    "__cc__", "__cbuf__", "__fbuf__", "register", "struct",           "class",
    "enum",   "typename", "union",    "signed",   "__kfc_workspace__"};
constexpr std::array<std::string_view, 11> kTypeWords = {
    "void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto"};

// The array's extent and attributes that may follow a parameter's name, cut off.
WordSpan WithoutSuffixes(WordSpan words, bool* is_array) {
  while (!words.empty() && words.back().Is("]")) {
    const std::vector<size_t> partners = MatchBrackets(words);
    const size_t open = partners.back();
    if (open == kNoWord || open == 0) {
      break;
    }
    *is_array = *is_array || !(words.size() > open + 1 && words[open + 1].Is("["));
    words = words.first(open);
  }
  return words;
}

KernelParameter ReadParameter(WordSpan words) {
  const std::vector<size_t> partners = MatchBrackets(words);
  bool has_default = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (partners[i] != kNoWord && partners[i] > i) {
      i = partners[i];
    } else if (words[i].Is("=")) {
      has_default = true;
      words = words.first(i);
      break;
    }
  }
  while (words.size() > 1 && words.front().Is("[")) {  // [[maybe_unused]]
    const std::vector<size_t> here = MatchBrackets(words);
    if (here.front() == kNoWord) {
      break;
    }
    words = words.subspan(here.front() + 1);
  }
  bool is_array = false;
  const WordSpan whole = words;
  words = WithoutSuffixes(words, &is_array);
  const bool ends_in_name = !words.empty() && words.back().IsName() && !IsIn(kTypeWords, words.back().text) &&
                            !IsIn(kAroundTypes, words.back().text);
  const bool has_type_before = words.size() > 1 && !words[words.size() - 2].Is("::") &&
                               std::ranges::any_of(words.first(words.size() - 1), [](const Word& word) {
                                 return !(word.IsName() && IsIn(kAroundTypes, word.text));
                               });
  if (!ends_in_name || !has_type_before) {
    return {.name = "", .type = Joined(whole), .has_default = has_default};
  }
  const std::string type = Joined(words.first(words.size() - 1));
  return {.name = std::string(words.back().text),
          .type = is_array ? type + "*" : type,
          .has_default = has_default};
}

std::vector<KernelParameter> ReadParameters(WordSpan words) {
  std::vector<KernelParameter> parameters;
  if (words.empty() || (words.size() == 1 && words[0].Is("void"))) {
    return parameters;
  }
  for (const WordSpan part : SplitAtCommas(words)) {
    parameters.push_back(ReadParameter(part));
  }
  return parameters;
}

class Finder {
 public:
  Finder(const TokenText& text, WordSpan words)
      : text_(text), words_(words), partners_(MatchBrackets(words)) {}

  FoundKernels Run() && {
    size_t begin = 0;
    for (size_t i = 0; i < words_.size();) {
      const Word& word = words_[i];
      if (word.Is(";")) {
        Statement(begin, i, false);
        begin = ++i;
      } else if (word.Is("}")) {
        if (!scopes_.empty()) {
          scopes_.pop_back();
        }
        begin = ++i;
      } else if (word.Is("{")) {
        const bool of_requires = i > begin && (words_[i - 1].Is("requires") || AfterRequires(i));
        if (of_requires) {
          i = After(i);
        } else if (OpensScope(begin, i)) {
          begin = ++i;
        } else {
          Statement(begin, i, true);
          NoteMembers(begin, i);
          begin = i = After(i);
        }
      } else {
        i = word.Is("(") || word.Is("[") ? After(i) : i + 1;
      }
    }
    return std::move(found_);
  }

 private:
  struct Scope {
    std::vector<std::string> names;  // of the namespaces that it opens; none for extern "C"
    bool is_extern_c = false;
  };

  // After the bracket that closes the one at `open`; after itself where none does.
  size_t After(size_t open) const { return (partners_[open] == kNoWord ? open : partners_[open]) + 1; }

  // requires (T x) {
  bool AfterRequires(size_t brace) const {
    if (!words_[brace - 1].Is(")")) {
      return false;
    }
    const size_t open = partners_[brace - 1];
    return open != kNoWord && open > 0 && words_[open - 1].Is("requires");
  }

  bool OpensScope(size_t begin, size_t brace) {
    WordSpan head = words_.subspan(begin, brace - begin);
    if (head.size() == 2 && head[0].Is("extern") && head[1].kind == TokenKind::kString) {
      scopes_.push_back({.names = {}, .is_extern_c = head[1].Is("\"C\"")});
      return true;
    }
    if (!head.empty() && head[0].Is("inline")) {
      head = head.subspan(1);
    }
    if (head.empty() || !head[0].Is("namespace")) {
      return false;
    }
    Scope scope;
    int depth = 0;
    for (const Word& word : head.subspan(1)) {
      depth += word.Is("(") || word.Is("[") ? 1 : word.Is(")") || word.Is("]") ? -1 : 0;
      if (depth == 0 && word.IsName() && !word.Is("inline") && !word.Is("__attribute__")) {
        scope.names.emplace_back(word.text);
      }
    }
    if (scope.names.empty()) {
      scope.names.emplace_back();
    }
    scopes_.push_back(std::move(scope));
    return true;
  }

  // Are the words up to a `{` the head of a class: `typedef struct {`, `template <class T> struct Name : Base
  // {`?
  bool IsClass(size_t begin, size_t brace) const {
    constexpr std::array<std::string_view, 3> kClass = {"class", "struct", "union"};
    for (size_t i = begin; i < brace; ++i) {
      if (words_[i].Is("template") && i + 1 < brace && words_[i + 1].Is("<")) {
        const size_t close = AngleEnd(words_, partners_, i + 1);
        i = close == kNoWord ? brace : close;
      } else if (words_[i].Is("(") || words_[i].Is("[")) {
        i = After(i) - 1;
      } else if (IsIn(kClass, words_[i].text)) {
        return true;
      }
    }
    return false;
  }

  // Kernels that stand in a class between a `{`, whose head begins at `begin`, and its `}`: in that of the
  // `{`, in one of a function's own. A friend that is only declared stands in the namespace.
  void NoteMembers(size_t begin, size_t open) {
    struct Block {
      size_t close;
      bool is_class;
    };
    std::vector<Block> blocks = {{.close = After(open) - 1, .is_class = IsClass(begin, open)}};
    size_t head = open + 1;
    size_t kernel = kNoWord;
    for (size_t i = open + 1; i < blocks.front().close; ++i) {
      const Word& word = words_[i];
      if (word.Is("__global__")) {
        kernel = i;
      } else if (word.Is("(") || word.Is("[")) {
        i = After(i) - 1;
      } else if (word.Is("{") || word.Is("}") || word.Is(";")) {
        const bool is_friend = word.Is(";") && Has(head, i, "friend");
        if (blocks.back().is_class && kernel != kNoWord && !is_friend) {
          found_.in_classes.push_back(words_[kernel].begin);
        }
        if (word.Is("{") && partners_[i] != kNoWord) {
          blocks.push_back({.close = partners_[i], .is_class = IsClass(head, i)});
        } else if (i == blocks.back().close) {
          blocks.pop_back();
        }
        head = i + 1;
        kernel = kNoWord;
      }
    }
  }

  bool Has(size_t begin, size_t end, std::string_view what) const {
    return std::ranges::any_of(words_.subspan(begin, end - begin),
                               [&](const Word& word) { return word.Is(what); });
  }

  // A declaration at the scope of a namespace: words up to its `;` or its `{`.
  void Statement(size_t begin, size_t end, bool is_body) {
    bool is_kernel = false;
    for (size_t i = begin; i < end; ++i) {
      if (words_[i].Is("(") && partners_[i] != kNoWord) {
        i = partners_[i];
      } else if (words_[i].Is("__global__")) {
        is_kernel = true;
      } else if (words_[i].Is("main") && is_body && i > begin && i + 1 < end && words_[i + 1].Is("(")) {
        found_.defines_main = found_.defines_main || AtGlobalScope();
      }
    }
    if (is_kernel) {
      Kernel(begin, end, is_body);
    }
  }

  bool AtGlobalScope() const {
    return std::ranges::all_of(scopes_, [](const Scope& scope) { return scope.names.empty(); });
  }

  void Kernel(size_t begin, size_t end, bool is_body) {
    KernelDeclaration kernel{.is_definition = is_body};
    for (const Scope& scope : scopes_) {
      kernel.namespaces.insert(kernel.namespaces.end(), scope.names.begin(), scope.names.end());
      kernel.is_extern_c = kernel.is_extern_c || scope.is_extern_c;
    }
    bool instantiates = false;
    bool specialises = false;
    if (words_[begin].Is("extern") && begin + 1 < end && words_[begin + 1].Is("template")) {
      return;  // instantiated elsewhere
    }
    if (words_[begin].Is("template")) {
      if (begin + 1 < end && words_[begin + 1].Is("<")) {
        const size_t close = AngleEnd(words_, partners_, begin + 1);
        if (close == kNoWord || close >= end) {
          return;
        }
        kernel.template_head = Joined(words_.subspan(begin + 1, close - begin));
        specialises = close == begin + 2;
        begin = close + 1;
      } else {
        instantiates = true;
        ++begin;
      }
    }
    const size_t open = ParametersOpen(begin, end);
    if (open == kNoWord || partners_[open] == kNoWord || partners_[open] > end) {
      return;
    }
    const size_t name = NameBegin(words_, partners_, open);
    if (name < begin || name == open) {
      return;
    }
    const std::string own_name = Joined(words_.subspan(name, open - name));
    for (size_t i = name; i + 1 < open && !words_[i].Is("<");
         ++i) {  // ops::add(...) {: its parameters are read in ops
      if (words_[i].IsName() && words_[i + 1].Is("::")) {
        kernel.namespaces.emplace_back(words_[i].text);
      }
    }
    if (instantiates || specialises) {
      kernel.template_head.clear();
      kernel.is_definition = kernel.is_definition || instantiates;
      if (!own_name.ends_with('>')) {
        return;  // its arguments are deduced: it has no name of its own
      }
    }
    for (const std::string& space : kernel.namespaces) {
      kernel.name += space.empty() ? "" : space + "::";
    }
    kernel.name += LastName(own_name);
    kernel.name += own_name.substr(WithoutArguments(own_name).size());
    kernel.parameters = ReadParameters(words_.subspan(open + 1, partners_[open] - open - 1));
    ReadQualifiers(begin, end, open, kernel);
    const TextPlace place = PlaceOf(text_, words_[name].begin);
    kernel.file = place.file;
    kernel.line = place.line;
    found_.kernels.push_back(std::move(kernel));
  }

  // The first `(` after a name, from `void` on where there is one.
  size_t ParametersOpen(size_t begin, size_t end) const {
    size_t from = begin;
    for (size_t i = begin; i < end; ++i) {
      if (words_[i].Is("(")) {
        i = partners_[i] == kNoWord ? i : partners_[i];
      } else if (words_[i].Is("void") && !(i > begin && words_[i - 1].Is("->"))) {
        from = i + 1;
        break;
      }
    }
    for (size_t i = from; i < end; ++i) {
      if (!words_[i].Is("(")) {
        continue;
      }
      const bool after_name =
          i > from &&
          ((words_[i - 1].IsName() && !IsIn(kNoFunction, words_[i - 1].text)) || words_[i - 1].Is(">"));
      if (after_name) {
        return i;
      }
      i = partners_[i] == kNoWord ? i : partners_[i];
    }
    return kNoWord;
  }

  void ReadQualifiers(size_t begin, size_t end, size_t parameters, KernelDeclaration& kernel) const {
    using enum KernelQualifiers::Kind;
    for (size_t i = begin; i < end; ++i) {
      const Word& word = words_[i];
      const bool has_values = i + 1 < end && words_[i + 1].Is("(") && partners_[i + 1] != kNoWord;
      const WordSpan values = has_values ? words_.subspan(i + 2, partners_[i + 1] - i - 2) : WordSpan();
      if (i == parameters) {
        i = partners_[i];
      } else if (word.Is("__vector__")) {
        kernel.qualifiers.kind = kVector;
      } else if (word.Is("__cube__")) {
        kernel.qualifiers.kind = kCube;
      } else if (word.Is("__mix__") && has_values) {
        const std::vector<WordSpan> parts = SplitAtCommas(values);
        if (parts.size() == 2) {
          kernel.qualifiers.kind = kMix;
          kernel.qualifiers.aic = Joined(parts[0]);
          kernel.qualifiers.aiv = Joined(parts[1]);
        }
      } else if (word.Is("__schedmode__") && has_values) {
        kernel.qualifiers.schedmode = Joined(values);
      } else if (word.Is("extern") && i + 1 < end && words_[i + 1].Is("\"C\"")) {
        kernel.is_extern_c = true;
      }
    }
  }

  const TokenText& text_;
  WordSpan words_;
  std::vector<size_t> partners_;
  std::vector<Scope> scopes_;
  FoundKernels found_;
};

}  // namespace

FoundKernels FindKernels(const TokenText& text) {
  const StructureWords structure(text);
  return Finder(text, structure.words()).Run();
}

}  // namespace tilesim

#include "formats/npy_header.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

// Reads the dictionary from left to right.
class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyDictionary Dictionary() {
    NpyDictionary dictionary;
    std::set<std::string> keys;
    Take('{');
    while (!TakeIf('}')) {
      const std::string key = Text("a key");
      RequireUser(keys.insert(key).second, path_, ": .npy header: key '", Shown(key),
                  "' stands twice, must stand once");
      Take(':');
      Value(key, dictionary);
      if (!TakeIf(',')) {
        Take('}');
        break;
      }
    }
    SkipSpace();
    RequireUser(at_ == text_.size(), path_, ": .npy header: found '", Rest(),
                "' after the dictionary, must be blank");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      RequireUser(keys.contains(key), path_, ": .npy header: no key '", Shown(key),
                  "', must have descr, fortran_order and shape");
    }
    return dictionary;
  }

 private:
  void Value(const std::string& key, NpyDictionary& dictionary) {
    if (key == "descr") {
      dictionary.descr = Text("the type as text, such as '<f4' (arrays of records are not read)");
    } else if (key == "fortran_order") {
      dictionary.fortran_order = Truth();
    } else if (key == "shape") {
      dictionary.shape = Shape();
    } else {
      throw UserError(Say(path_, ": .npy header: unknown key '", Shown(key),
                          "'; known keys: descr, fortran_order, shape"));
    }
  }

  std::string Text(std::string_view wanted) {
    SkipSpace();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      Refuse(wanted);
    }
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool Truth() {
    SkipSpace();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    Refuse("True or False");
  }

  std::vector<int64_t> Shape() {
    std::vector<int64_t> shape;
    Take('(');
    while (!TakeIf(')')) {
      SkipSpace();
      int64_t extent = 0;
      const char* const begin = text_.data() + at_;
      const std::from_chars_result end = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (end.ec != std::errc() || extent < 0) {
        Refuse("an extent from 0 to 9223372036854775807");
      }
      at_ += static_cast<size_t>(end.ptr - begin);
      shape.push_back(extent);
      if (!TakeIf(',')) {
        Take(')');
        break;
      }
    }
    return shape;
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool TakeIf(char wanted) {
    SkipSpace();
    const bool found = at_ < text_.size() && text_[at_] == wanted;
    at_ += found ? 1 : 0;
    return found;
  }

  void Take(char wanted) {
    if (!TakeIf(wanted)) {
      Refuse(Say("'", wanted, "'"));
    }
  }

  [[noreturn]] void Refuse(std::string_view wanted) {
    throw UserError(Say(path_, ": .npy header, character ", at_ + 1, ": found '", Rest(), "', must be ",
                        wanted, "; write the file with numpy.save"));
  }

  // What comes next, short enough for a message.
  [[nodiscard]] std::string Rest() const { return Shown(text_.substr(std::min(at_, text_.size()), 24)); }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
};

}  // namespace

NpyDictionary ParseNpyDictionary(std::string_view text, const std::string& path) {
  return Reader(text, path).Dictionary();
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += Say(i == 0 ? "" : ", ", shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace tilesim

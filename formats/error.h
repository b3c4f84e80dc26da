#ifndef TILESIM_FORMATS_ERROR_H_
#define TILESIM_FORMATS_ERROR_H_

// The user's mistake as an exception, and how a message is put together.
// A message holds four things: where (key, file, operand), what was found, what is allowed, and the mend if
// known. Knows no exit code: `cli/` turns the kinds of failure into those.

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace tilesim {

// The user's mistake: an option, a file, a shape, a tiling given by hand. Whatever the message repeats, a
// terminal can show it: see Printable of shown_text.h; what may be long is put in as Shown there.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message);
};

namespace error_detail {

// The shortest digits that give the same number back.
void AppendDigits(std::string& text, float number);
void AppendDigits(std::string& text, double number);

template <class P>
void Append(std::string& text, const P& part) {
  if constexpr (std::is_same_v<P, bool>) {
    text += part ? "true" : "false";
  } else if constexpr (std::is_same_v<P, char>) {
    text += part;
  } else if constexpr (std::is_convertible_v<const P&, std::string_view>) {
    text += std::string_view(part);
  } else if constexpr (std::integral<P>) {
    text += std::to_string(part);
  } else {
    static_assert(std::floating_point<P>, "Say takes text, characters, truth values and numbers");
    AppendDigits(text, part);
  }
}

}  // namespace error_detail

// The parts joined: text as it is, numbers in full (the shortest digits that give the same number back).
template <class... P>
std::string Say(const P&... parts) {
  std::string text;
  (error_detail::Append(text, parts), ...);
  return text;
}

// Throws UserError(Say(parts...)) unless ok. The parts are only joined when it throws.
template <class... P>
void RequireUser(bool ok, const P&... parts) {
  if (!ok) {
    throw UserError(Say(parts...));
  }
}

}  // namespace tilesim

#endif  // TILESIM_FORMATS_ERROR_H_

#include "formats/error.h"

#include <charconv>

#include "formats/shown_text.h"

namespace tilesim {

UserError::UserError(const std::string& message) : std::runtime_error(Printable(message)) {}

namespace error_detail {
namespace {

template <class Number>
void AppendShortest(std::string& text, Number number) {
  char digits[64];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, end.ptr);
}

}  // namespace

void AppendDigits(std::string& text, float number) { AppendShortest(text, number); }
void AppendDigits(std::string& text, double number) { AppendShortest(text, number); }

}  // namespace error_detail
}  // namespace tilesim

// The line of the kernel that made an API call.
#pragma once

#include <string_view>

namespace tilesim {

// Passed as the last, defaulted argument of every API call, so that a fault can name the call.
// `file` is a string literal, kept as it is: logs and faults hold on to it.
// (std::source_location would do; clang 14 does not have it.)
struct SourceLine {
  const char* file = "";
  int line = 0;

  static constexpr SourceLine Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  friend bool operator==(const SourceLine& a, const SourceLine& b) {
    return a.line == b.line && std::string_view(a.file) == b.file;
  }
};

}  // namespace tilesim

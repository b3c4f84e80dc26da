#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// What a source's text and the words of its preprocessing say together. `words`: as the compiler takes them.

// Do the command line or the source give types or formats of an operator by their numbers:
// -DORIG_DTYPE_X=DT_FLOAT16, "#define ORIG_DTYPE_X DT_FLOAT16"? They are macros then, which the preprocessor
// compares. Beside a main, which has them as enumerators, only macros count that are named as an operator's
// are.
[[nodiscard]] bool GivesTypeNumbers(const std::vector<std::string>& words, const std::string& source_text);

// The names that they define: of -DNAME, -D NAME, -DNAME=1, -D'NAME(x)=x'.
[[nodiscard]] std::vector<std::string> NamesDefinedBy(const std::vector<std::string>& words);

// Is the macro defined behind a unit's text? It has the directives that count, at the beginning of their
// lines; the command line's (-DNAME, -D NAME, -DNAME=1, -UNAME) are among g++'s, not among clang's.
[[nodiscard]] bool IsDefined(const std::vector<std::string>& words, std::string_view text,
                             std::string_view name);

}  // namespace tilesim

#include "cli/cc/pass_macros.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "cli/cc/kept_files.h"
#include "cli/cc/words.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// They mean nothing once the pass has read them.
constexpr std::array<std::string_view, 6> kQualifiers = {
    "__global__", "__vector__", "__cube__", "__mix__(c, v)", "__schedmode__(mode)", "__kfc_workspace__"};

struct HeaderMacro {
  std::string_view name;
  std::string_view header;
};
// They say which struct the tiling data are. GET_TILING_DATA counts those that are registered before it, so
// that it stays where they do.
constexpr std::string_view kTilingMacros = "sim/ascendc/tiling_macros.h";
constexpr std::array<HeaderMacro, 6> kRead = {
    {{"REGISTER_TILING_DEFAULT", kTilingMacros},
     {"REGISTER_NONE_TILING", kTilingMacros},
     {"REGISTER_TILING_FOR_TILINGKEY", kTilingMacros},
     {"REGISTER_TILING_DATA_CLASS", "tiling/register/tilingdata_base.h"},
     {"GET_TILING_DATA", kTilingMacros},
     {"GET_TILING_DATA_WITH_STRUCT", kTilingMacros}}};
constexpr std::array<HeaderMacro, 2> kWritten = {
    {{"REGISTER_TILING_OF_THIS_TILINGKEY", kTilingMacros}, {"TILESIM_FIELD", "sim/host/struct_fields.h"}}};

// Where `text` defines the macro, after `from`; npos: nowhere.
size_t DefineOf(std::string_view text, std::string_view name, size_t from = 0) {
  constexpr std::string_view kDefine = "define";
  for (size_t at = text.find(kDefine, from); at != std::string_view::npos; at = text.find(kDefine, at + 1)) {
    const size_t begin = text.find_first_not_of(" \t", at + kDefine.size());
    const size_t end = begin == std::string_view::npos ? begin : begin + name.size();
    if (end != std::string_view::npos && begin > at + kDefine.size() &&
        text.substr(begin, name.size()) == name &&
        (end == text.size() || text.find_first_of("( \t\n", end) == end)) {
      return at;
    }
  }
  return std::string_view::npos;
}

// The #define of the header, at its own lines, which stay a system header's.
std::string DefinitionOf(const HeaderMacro& macro, const fs::path& root) {
  const fs::path header = root / macro.header;
  const std::optional<std::string> text = TextOf(header);
  RequireUser(text.has_value(), header.string(), ": cannot be read");
  const size_t define = DefineOf(*text, macro.name);
  if (define == std::string::npos) {
    throw std::logic_error(Say(header.string(), " does not define ", macro.name));
  }
  const size_t at = text->rfind('\n', define) + 1;
  size_t end = text->find('\n', at);
  while (end != std::string::npos && (*text)[end - 1] == '\\') {
    end = text->find('\n', end + 1);
  }
  const auto line = 1 + std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return Say("# ", line, " ", Literal(header.string()), " 3\n", text->substr(at, end - at), "\n");
}

}  // namespace

std::vector<std::string> OptionsThatKeepMacros(std::string_view source_text) {
  std::vector<std::string> words;
  for (const std::string_view qualifier : kQualifiers) {
    words.push_back(Say("-D", qualifier, "=", qualifier));
  }
  for (const HeaderMacro& macro : kRead) {
    if (DefineOf(source_text, macro.name) == std::string_view::npos) {
      words.push_back(Say("-D", macro.name, "=", macro.name));
    }
  }
  return words;
}

std::string DefinitionsOfKeptMacros(const fs::path& root) {
  std::string text;
  for (const std::string_view qualifier : kQualifiers) {
    text += Say("#define ", qualifier, "\n");
  }
  for (const HeaderMacro& macro : kRead) {
    text += DefinitionOf(macro, root);
  }
  for (const HeaderMacro& macro : kWritten) {
    text += DefinitionOf(macro, root);
  }
  return text;
}

}  // namespace tilesim

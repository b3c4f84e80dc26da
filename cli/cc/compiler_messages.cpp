#include "cli/cc/compiler_messages.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "formats/error.h"

namespace tilesim {
namespace {

// Without the colours, and with plain quotes.
std::string Plain(std::string_view messages) {
  std::string plain;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i] == '\x1b') {
      const size_t end = messages.find_first_of("mK", i);
      i = end == std::string_view::npos ? messages.size() : end;
    } else if (messages.substr(i).starts_with("\u2018") || messages.substr(i).starts_with("\u2019")) {
      plain += '\'';
      i += 2;
    } else {
      plain += messages[i] == '`' ? '\'' : messages[i];
    }
  }
  return plain;
}

// The text before and after a name in a message.
struct Pattern {
  std::string_view before;
  std::string_view after;
};
constexpr std::array<Pattern, 2> kNotInAscendC = {{{"error: '", "' is not a member of 'AscendC'"},
                                                   {"error: no member named '", "' in namespace 'AscendC'"}}};
constexpr std::array<Pattern, 4> kUnknown = {{{"error: '", "' was not declared in this scope"},
                                              {"error: '", "' has not been declared"},
                                              {"error: use of undeclared identifier '", "'"},
                                              {"undefined reference to '", "'"}}};
constexpr std::array<Pattern, 2> kNoHeader = {
    {{"fatal error: ", ": No such file or directory"}, {"fatal error: '", "' file not found"}}};

// The name in a line of that form.
std::optional<std::string_view> NameIn(std::string_view line, const Pattern& pattern) {
  const size_t before = line.find(pattern.before);
  if (before == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(before + pattern.before.size());
  const size_t end = rest.find(pattern.after);
  return end == std::string_view::npos ? std::nullopt : std::optional(rest.substr(0, end));
}

// What there is to say of a name that is not known; empty for a name of the user's own.
std::string OfUnknown(std::string_view name) {
  name = name.substr(0, name.find('('));
  if (name.starts_with("aclnn") || name == "aclCreateTensor" || name == "aclDestroyTensor") {
    return Say(name,
               " belongs to the interface of whole operators (aclnn), which tilesim does not have: it runs "
               "kernels; launch "
               "the operator's kernel");
  }
  if (name.starts_with("aclrtc")) {
    return Say(name,
               " compiles at run time, which tilesim does not do; give the kernel's source to `tilesim cc`");
  }
  if (name.starts_with("aclrtlaunch_")) {
    return Say(name,
               ": none of the files defines this kernel as extern \"C\" __global__; name its file on the "
               "command line too");
  }
  if (name.starts_with("acl") || name.starts_with("ACL_")) {
    return Say(name, " is not among the calls of acl/ that tilesim has");
  }
  return {};
}

std::string OfHeader(std::string_view name) {
  if (name.starts_with("aclnn") || name.find("/aclnn") != std::string_view::npos) {
    return Say(name,
               " belongs to the interface of whole operators (aclnn), which tilesim does not have: it runs "
               "kernels; launch "
               "the operator's kernel");
  }
  if (name.starts_with("acl/acl_rtc") || name == "acl_rtc.h") {
    return Say(name,
               " compiles at run time, which tilesim does not do; give the kernel's source to `tilesim cc`");
  }
  if (name.starts_with("aclrtlaunch_")) {
    return Say(name,
               ": made for each kernel of the command line; name the file that defines the kernel as extern "
               "\"C\" __global__");
  }
  return {};
}

std::string OfLine(std::string_view line) {
  for (const Pattern& pattern : kNotInAscendC) {
    if (const auto name = NameIn(line, pattern)) {
      return Say("AscendC::", *name, " is not among the calls that tilesim has");
    }
  }
  for (const Pattern& pattern : kUnknown) {
    if (const auto name = NameIn(line, pattern)) {
      return OfUnknown(*name);
    }
  }
  for (const Pattern& pattern : kNoHeader) {
    if (const auto name = NameIn(line, pattern)) {
      return OfHeader(*name);
    }
  }
  return {};
}

}  // namespace

std::string Explanation(std::string_view messages) {
  const std::string plain = Plain(messages);
  std::set<std::string> said;
  std::string text;
  for (size_t at = 0; at < plain.size();) {
    const size_t end = std::min(plain.find('\n', at), plain.size());
    const std::string line = OfLine(std::string_view(plain).substr(at, end - at));
    at = end + 1;
    if (!line.empty() && said.insert(line).second) {
      text += Say("tilesim: ", line, "\n");
    }
  }
  return text;
}

bool ErrIsTerminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace tilesim

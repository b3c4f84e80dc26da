#include "cli/cc/compiler_messages.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

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
constexpr std::array<Pattern, 6> kUnknown = {{{"error: '", "' was not declared in this scope"},
                                              {"error: '", "' has not been declared"},
                                              {"error: use of undeclared identifier '", "'"},
                                              {"undefined reference to '", "'"},
                                              {"error: '", "' does not name a type"},
                                              {"error: unknown type name '", "'"}}};
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

constexpr std::string_view kOfOperators =
    " belongs to the interface of whole operators (aclnn), which tilesim does not have: it runs kernels; "
    "launch "
    "the operator's kernel";
constexpr std::string_view kAtRunTime =
    " compiles at run time, which tilesim does not do; give the kernel's source to `tilesim cc`";

// Words that every kernel has: unknown only where their header is missing.
constexpr std::array<std::string_view, 5> kOfKernels = {"AscendC", "GM_ADDR", "__aicore__", "__gm__",
                                                        "__global__"};

// Element types that other parts have.
constexpr std::array<std::string_view, 8> kTypesOfOtherParts = {
    "fp8_e4m3fn_t", "fp8_e5m2_t",   "fp8_e8m0_t", "hifloat8_t",
    "fp4x2_e2m1_t", "fp4x2_e1m2_t", "complex32",  "complex64"};

bool HasWord(std::string_view text, std::string_view word) {
  const auto is_letter = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) {
      return true;
    }
  }
  return false;
}

// What there is to say of a name that is not known; empty for a name of the user's own. `acl`: the headers of
// acl/.
std::string OfUnknown(std::string_view name, std::string_view acl) {
  name = name.substr(0, name.find('('));
  if (name.starts_with("aclnn") || name == "aclCreateTensor" || name == "aclDestroyTensor") {
    return Say(name, kOfOperators);
  }
  if (name.starts_with("aclrtc")) {
    return Say(name, kAtRunTime);
  }
  if (name.starts_with("aclrtlaunch_")) {
    return Say(name,
               ": none of the files defines this kernel as extern \"C\" __global__; name its file on the "
               "command line too");
  }
  if (name.starts_with("acl") || name.starts_with("ACL_")) {
    return HasWord(acl, name) ? Say(name, " is declared in acl/acl.h, which the source does not include")
                              : Say(name, " is not among the calls of acl/ that tilesim has");
  }
  if (std::ranges::find(kTypesOfOtherParts, name) != kTypesOfOtherParts.end()) {
    return Say("Ascend C has ", name, ", this part (arch 2201) does not");
  }
  if (name.starts_with("DTYPE_")) {
    return Say(name, ": an operator project's build says it, as -D", name,
               "=half here; the struct of its tiling data comes with -include op_host/<operator>_tiling.h");
  }
  if (std::ranges::find(kOfKernels, name) != kOfKernels.end()) {
    return "the source uses words of kernel_operator.h, which it does not include: #include "
           "\"kernel_operator.h\"";
  }
  return {};
}

constexpr std::string_view kOfLaunch = "aclrtlaunch_";
constexpr std::string_view kNotHere = " is not among the headers that tilesim has; ";

std::string OfHeader(std::string_view name) {
  if (name.starts_with("aclnn") || name.find("/aclnn") != std::string_view::npos) {
    return Say(name, kOfOperators);
  }
  if (name.starts_with("acl/acl_rtc") || name == "acl_rtc.h") {
    return Say(name, kAtRunTime);
  }
  if (name.starts_with(kOfLaunch)) {
    const std::string_view kernel = name.substr(kOfLaunch.size(), name.rfind('.') - kOfLaunch.size());
    return Say(name,
               ": made for each kernel of the command line that is extern \"C\" __global__, and none of its "
               "files defines ",
               kernel,
               " so; name the file that does, too: `tilesim cc main.cpp kernel.cpp -o program`, then "
               "`tilesim run program`");
  }
  if (name.starts_with("lib/matmul") || name.starts_with("lib/conv")) {
    return Say(name, kNotHere, "the Matmul object comes with \"lib/matmul_intf.h\"");
  }
  if (name.starts_with("lib/") || name.starts_with("adv_api/") || name.starts_with("kernel_")) {
    return Say(name, kNotHere,
               "all calls that kernels have come with \"kernel_operator.h\": include that in its place");
  }
  return {};
}

std::string OfLine(std::string_view line, std::string_view acl) {
  const bool is_launch = line.find("FunctionLaunch<") != std::string_view::npos;
  const auto says = [&](std::string_view what) { return line.find(what) != std::string_view::npos; };
  if (is_launch && (says("error: no match for call to '") ||
                    says("error: no matching function for call to object of type '"))) {
    return "a launch gives its kernel other arguments than the kernel's parameters";
  }
  for (const Pattern& pattern : kNotInAscendC) {
    if (const auto name = NameIn(line, pattern)) {
      return Say("AscendC::", *name, " is not among the calls that tilesim has");
    }
  }
  for (const Pattern& pattern : kUnknown) {
    if (const auto name = NameIn(line, pattern)) {
      return OfUnknown(*name, acl);
    }
  }
  for (const Pattern& pattern : kNoHeader) {
    if (const auto name = NameIn(line, pattern)) {
      return OfHeader(*name);
    }
  }
  return {};
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Does the line or path begin in one of the folders?
bool LiesIn(std::span<const std::string> folders, std::string_view line) {
  return std::ranges::any_of(folders, [&](const std::string& folder) { return line.starts_with(folder); });
}

// What a static assertion of the headers says, as g++ or clang++ tells it; empty in other lines.
std::string_view AssertedSentence(std::string_view line, std::span<const std::string> headers) {
  constexpr std::array<std::string_view, 2> kFailed = {": error: static assertion failed",
                                                       ": error: static_assert failed"};
  if (!LiesIn(headers, line) || std::ranges::none_of(kFailed, [&](std::string_view failed) {
        return line.find(failed) != std::string_view::npos;
      })) {
    return {};
  }
  if (line.ends_with('"')) {  // ... failed due to requirement 'x' "SENTENCE"
    line.remove_suffix(1);
    const size_t begin = line.find("' \"");
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin + 3);
  }
  // ... failed: SENTENCE, or ... failed due to requirement 'x': SENTENCE
  for (const std::string_view before : {std::string_view("failed: "), std::string_view("': ")}) {
    const size_t begin = line.find(before, line.find(": error: "));
    if (begin != std::string_view::npos) {
      return line.substr(begin + before.size());
    }
  }
  return {};
}

// Is that said of what stands between the angles of a launch, or of what is launched?
bool IsOfLaunch(std::string_view sentence) {
  constexpr std::array<std::string_view, 3> kBegins = {
      "a launch is kernel<<<", "a kernel takes its parameters", "a kernel returns void"};
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return sentence.starts_with(begin); });
}

struct MessagePlace {
  std::string_view file;
  int line = 0;
  int column = 0;
};

// The number between colons at `at`, and where it ends; 0 where there is none.
int NumberAfterColon(std::string_view line, size_t at, size_t* end) {
  int number = 0;
  const char* const begin = line.data() + std::min(at + 1, line.size());
  const auto read = std::from_chars(begin, line.data() + line.size(), number);
  *end = static_cast<size_t>(read.ptr - line.data());
  return line.substr(at, 1) == ":" && line.substr(*end, 1) == ":" ? number : 0;
}

// The place of "a.asc:9:62: ..." if the line says what asked for an instantiation.
std::optional<MessagePlace> RequiringPlace(std::string_view line) {
  constexpr std::array<std::string_view, 3> kRequires = {"required from", "required by", "requested here"};
  if (std::ranges::none_of(
          kRequires, [&](std::string_view word) { return line.find(word) != std::string_view::npos; })) {
    return std::nullopt;
  }
  for (size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    size_t end = 0;
    const int number = NumberAfterColon(line, colon, &end);
    const int column = number > 0 ? NumberAfterColon(line, end, &end) : 0;
    if (column > 0) {
      return MessagePlace{.file = line.substr(0, colon), .line = number, .column = column};
    }
  }
  return std::nullopt;
}

bool IsError(std::string_view line) { return line.find(": error: ") != std::string_view::npos; }

// Does the first of the lines say that of several functions the compiler does not know which one is
// registered or launched? g++ says it there, clang++ in a note behind it.
bool IsOfSeveralFunctions(std::span<const std::string_view> lines) {
  constexpr std::array<std::string_view, 2> kCalls = {"no matching function for call to 'MakeKernelEntry",
                                                      "no matching function for call to 'Launch"};
  if (std::ranges::none_of(kCalls, [&](std::string_view call) {
        return lines.front().find(call) != std::string_view::npos;
      })) {
    return false;
  }
  if (lines.front().find("<unresolved overloaded function type>") != std::string_view::npos) {
    return true;
  }
  for (size_t i = 1; i < lines.size() && !IsError(lines[i]); ++i) {
    if (lines[i].find("candidate template ignored: couldn't infer template argument 'R'") !=
        std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// "a.asc: In instantiation of ...:", as g++ begins what it says of a function or of none.
bool BeginsScope(std::string_view line) {
  return line.ends_with(':') &&
         (line.find(": In ") != std::string_view::npos || line.find(": At ") != std::string_view::npos);
}

// What asked for the instantiation in which the compiler found the error of line `number`, the innermost
// first. clang++ says it behind the error, g++ before it, and both only once where an instantiation has
// several errors.
std::vector<MessagePlace> RequiringPlaces(std::span<const std::string_view> lines, size_t number,
                                          std::span<const std::string> headers) {
  std::vector<MessagePlace> places;
  for (size_t i = number + 1; i < lines.size() && !IsError(lines[i]); ++i) {
    if (lines[i].find("requested here") == std::string_view::npos) {
      continue;
    }
    if (const std::optional<MessagePlace> place = RequiringPlace(lines[i])) {
      places.push_back(*place);
    }
  }
  if (!places.empty()) {
    return places;
  }
  for (size_t i = number; i > 0; --i) {
    const std::string_view line = lines[i - 1];
    const bool is_of_other = IsError(line) && (!places.empty() || !LiesIn(headers, line));
    if (is_of_other || BeginsScope(line)) {
      break;
    }
    if (const std::optional<MessagePlace> place = RequiringPlace(line)) {
      places.push_back(*place);
    }
  }
  std::ranges::reverse(places);
  return places;
}

// The user's line that an assertion of line `number` is about. A launch is that of the outermost place: those
// within it are of the text that stands for the angles. Else it is the innermost one outside of the headers.
std::optional<MessagePlace> UsersPlace(std::span<const std::string_view> lines, size_t number,
                                       std::span<const std::string> headers, bool is_of_launch) {
  const std::vector<MessagePlace> places = RequiringPlaces(lines, number, headers);
  if (places.empty()) {
    return std::nullopt;
  }
  const auto innermost =
      std::ranges::find_if(places, [&](const MessagePlace& place) { return !LiesIn(headers, place.file); });
  return is_of_launch || innermost == places.end() ? places.back() : *innermost;
}

// The launch at that place, else one of its line.
const WrittenLaunch* LaunchAt(const MessagePlace& place, std::span<const WrittenLaunch> launches) {
  const WrittenLaunch* of_line = nullptr;
  for (const WrittenLaunch& launch : launches) {
    if (launch.file != place.file || launch.line != place.line) {
      continue;
    }
    if (place.column >= launch.first_column && place.column <= launch.last_column) {
      return &launch;
    }
    of_line = of_line == nullptr ? &launch : of_line;
  }
  return of_line;
}

}  // namespace

std::string Explanation(std::string_view messages, std::string_view acl) {
  const std::string plain = Plain(messages);
  std::set<std::string> said;
  std::string text;
  for (size_t at = 0; at < plain.size();) {
    const size_t end = std::min(plain.find('\n', at), plain.size());
    const std::string line = OfLine(std::string_view(plain).substr(at, end - at), acl);
    at = end + 1;
    if (!line.empty() && said.insert(line).second) {
      text += Say("tilesim: ", line, "\n");
    }
  }
  return text;
}

std::string AssertionExplanation(std::string_view messages, std::span<const std::string> headers,
                                 std::span<const WrittenLaunch> launches) {
  const std::string plain = Plain(messages);
  const std::vector<std::string_view> lines = LinesOf(plain);
  std::set<std::string> said;
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view sentence = AssertedSentence(lines[i], headers);
    const bool is_of_launch = IsOfLaunch(sentence);
    const std::optional<MessagePlace> place =
        sentence.empty() ? std::nullopt : UsersPlace(lines, i, headers, is_of_launch);
    if (!place.has_value()) {
      continue;
    }
    const WrittenLaunch* const launch = is_of_launch ? LaunchAt(*place, launches) : nullptr;
    std::string line =
        Say("tilesim: ", place->file, ":", place->line, ": ", launch == nullptr ? "" : launch->text,
            launch == nullptr ? "" : ": ", sentence, "\n");
    if (said.insert(line).second) {
      text += line;
    }
  }
  return text;
}

std::string MacroExplanation(std::string_view messages, std::span<const std::string> headers,
                             std::span<const std::string> given) {
  constexpr Pattern kExpansion = {"note: in expansion of macro '", "'"};
  constexpr std::string_view kReplaces =
      " replaces a name in the simulator's headers: give it another name, or define it in the source behind "
      "#include \"kernel_operator.h\"\n";
  const std::string plain = Plain(messages);
  std::set<std::string_view> said;
  std::string text;
  bool is_users = false;  // what the last error lies in: the macro's own text
  bool is_open = false;  // the last error lies in the text of a macro of the command line, no note says which
  bool is_unnamed = false;
  for (const std::string_view line : LinesOf(plain)) {
    const bool is_ours = LiesIn(headers, line);
    if (line.find(": error: ") != std::string_view::npos) {
      is_users = !is_ours;
      is_unnamed = is_unnamed || is_open;
      is_open = line.starts_with("<command-line>: error: ");
    }
    const std::optional<std::string_view> name = NameIn(line, kExpansion);
    is_open = is_open && !name.has_value();
    if (is_users && is_ours && name.has_value() && said.insert(*name).second) {
      text += Say("tilesim: macro ", *name, kReplaces);
    }
  }
  if (text.empty() && (is_unnamed || is_open)) {
    std::string letters;
    int64_t count = 0;
    for (const std::string& name : given) {
      if (name.size() == 1) {
        letters += Say(count++ == 0 ? "" : ", ", name);
      }
    }
    text =
        count == 0 ? "" : Say("tilesim: ", count == 1 ? "macro " : "one of the macros ", letters, kReplaces);
  }
  return text;
}

KernelNames KernelNameExplanation(std::string_view messages, std::span<const KernelDeclaration> kernels) {
  const std::string plain = Plain(messages);
  const std::vector<std::string_view> lines = LinesOf(plain);
  std::set<std::string> said;
  KernelNames result{.text = "", .is_all = true};
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!IsError(lines[i])) {
      continue;
    }
    const bool is_ambiguous = IsOfSeveralFunctions(std::span(lines).subspan(i));
    result.is_all = result.is_all && is_ambiguous;
    for (const KernelDeclaration& kernel : kernels) {
      if (!is_ambiguous || !lines[i].starts_with(Say(kernel.file, ":", kernel.line, ":"))) {
        continue;
      }
      std::string line =
          Say("tilesim: ", kernel.file, ":", kernel.line, ": kernel ", kernel.name,
              " has the name of functions of kernel_operator.h, so that a launch of it may mean any of them; "
              "give the kernel another name\n");
      result.text += said.insert(line).second ? line : "";
    }
  }
  result.is_all = result.is_all && !result.text.empty();
  return result;
}

bool ErrIsTerminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace tilesim

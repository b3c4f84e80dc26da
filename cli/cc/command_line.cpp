#include "cli/cc/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/cc/driver.h"
#include "cli/cc/words.h"
#include "formats/error.h"

namespace tilesim {
namespace {

// Options of the preprocessor whose value is the rest of the word, or the next word.
constexpr std::array<std::string_view, 11> kPreprocessing = {
    "-include", "-imacros",     "-iquote", "-isystem", "-idirafter", "-isysroot",
    "-iprefix", "-iwithprefix", "-I",      "-D",       "-U"};
constexpr std::array<std::string_view, 3> kDependenciesWithValue = {"-MF", "-MT", "-MQ"};
constexpr std::array<std::string_view, 7> kDependencies = {"-MD", "-MMD", "-MP", "-MG", "-MV", "-M", "-MM"};
// Options of other steps whose value is the next word.
constexpr std::array<std::string_view, 14> kWithValue = {
    "--param",  "-Xpreprocessor", "-Xassembler", "-Xclang",        "-aux-info", "-dumpbase", "-dumpbase-ext",
    "-dumpdir", "-arch",          "-target",     "-isystem-after", "-specs",    "-wrapper",  "-B"};
constexpr std::array<std::string_view, 7> kLinkingWithValue = {"-L", "-l", "-Xlinker", "-T",
                                                               "-u", "-z", "-e"};
// Options whose value is the next word, or the rest of this one, and that the driver itself acts on.
constexpr std::array<std::string_view, 5> kOfDriver = {"-o", "-x", "-mllvm", "--npu-arch",
                                                       "--cce-aicore-arch"};
// The vendor's libraries: what a program needs of them is in ours.
constexpr std::array<std::string_view, 22> kVendorLibraries = {
    "ascendcl",  "acl_rt",          "acl_rtc",         "runtime",      "tiling_api", "register",
    "platform",  "graph_base",      "graph",           "profapi",      "ascendalog", "error_manager",
    "mmpa",      "ascend_dump",     "c_sec",           "unified_dlog", "nnopbase",   "opapi",
    "exe_graph", "ascendc_runtime", "runtime_camodel", "kernels"};
// The device compiler's words for C++ with kernels.
constexpr std::array<std::string_view, 2> kDeviceLanguages = {"asc", "cce"};
constexpr std::array<std::string_view, 4> kNoSources = {".o", ".a", ".so", ".lo"};
constexpr std::array<std::string_view, 4> kThisPart = {"dav-2201", "dav-c220", "dav-c220-vec",
                                                       "dav-c220-cube"};
// Languages that are older than what our headers are written in.
constexpr std::array<std::string_view, 8> kOldLanguages = {"98", "03", "0x", "11", "1y", "14", "1z", "17"};

bool Begins(std::string_view word, std::string_view option) { return word.starts_with(option); }

// Is the word that option of the linker, alone or with its value behind it?
bool IsLinkOption(std::string_view word, std::string_view option) {
  const bool joined = option == "-L" || option == "-l" || option == "-T" || option == "-u" || option == "-z";
  return word == option || (joined && Begins(word, option));
}

class Reader {
 public:
  explicit Reader(std::span<const std::string> words) : words_(words) {}

  CompilerLine Run() && {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "-" || !word.starts_with('-')) {
        File(word);
      } else if (!Device(word) && !Step(word) && !Preprocessing(word) && !Linking(word)) {
        Other(word);
      }
    }
    RequireUser(!line_.linked.empty() || !line_.sources.empty(),
                "cc: no file to compile; tilesim cc [g++ options] FILE... [-o PROGRAM]");
    RequireUser(line_.output.empty() || line_.step == CompilerStep::kLink || line_.sources.size() <= 1,
                "cc: -o ", line_.output,
                " with several files and no program; leave -o out, or compile one file at a time");
    return std::move(line_);
  }

 private:
  // The value of the option in hand: the rest of its word, or the next word.
  std::string Value(std::string_view option) {
    const std::string& word = words_[at_];
    if (word.size() > option.size()) {
      return word.substr(option.size() + (word[option.size()] == '=' ? 1 : 0));
    }
    RequireUser(at_ + 1 < words_.size(), "cc: ", option, " has no value");
    return words_[++at_];
  }

  void File(const std::string& word) {
    const std::string ending = std::filesystem::path(word).extension().string();
    const bool is_device = IsIn(kDeviceLanguages, language_) && !IsIn(kNoSources, ending);
    const bool by_name = language_.empty() || IsIn(kDeviceLanguages, language_);
    const bool is_kernel_source = is_device || (by_name ? IsKernelSource(word) : language_ == "c++");
    const bool is_other_source = !by_name || ending == ".c" || ending == ".s" || ending == ".S";
    if (!is_kernel_source && !is_other_source) {
      line_.linked.push_back({.word = word});
      return;
    }
    line_.linked.push_back({.word = "", .source = static_cast<int>(line_.sources.size())});
    line_.sources.push_back(
        {.path = word, .is_kernel_source = is_kernel_source, .language = is_kernel_source ? "" : language_});
  }

  void RequireThisPart(std::string_view option, std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    RequireUser(IsIn(kThisPart, name), "cc: ", option, " ", name,
                ": this is a simulator of arch dav-2201; compile for that one, or leave the "
                "option out");
  }

  static uint64_t TilingKey(const std::string& word) {
    uint64_t key = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), key);
    RequireUser(error == std::errc() && end == word.data() + word.size(), "cc: --tiling-key = '", word,
                "': must be a whole number of 0 to 18446744073709551615");
    return key;
  }

  // Options of the device compiler: taken, and mean nothing here; and those of ours.
  bool Device(const std::string& word) {
    for (const std::string_view option : {"--npu-arch", "--cce-aicore-arch"}) {
      if (word == option || Begins(word, Say(option, "="))) {
        RequireThisPart(option, Value(option));
        return true;
      }
    }
    if (word == "-mllvm") {
      (void)Value(word);
      return true;
    }
    if (word == "--kernel" || Begins(word, "--kernel=")) {
      line_.instances.push_back(Value("--kernel"));
      return true;
    }
    if (word == "--tiling-key" || Begins(word, "--tiling-key=")) {
      line_.tiling_key = TilingKey(Value("--tiling-key"));
      return true;
    }
    if (word == "--kernels-of" || Begins(word, "--kernels-of=")) {
      line_.kernels_of.push_back(Value("--kernels-of"));
      return true;
    }
    return Begins(word, "--cce-") || Begins(word, "-mllvm=") || Begins(word, "--run-mode=");
  }

  bool Step(const std::string& word) {
    const auto goes_to = [&](CompilerStep step) {
      line_.step = std::min(line_.step, step);
      return true;
    };
    if (word == "-o" || (Begins(word, "-o") && !Begins(word, "-objc"))) {
      line_.output = Value("-o");
      return true;
    }
    if (word == "--output" || Begins(word, "--output=")) {
      line_.output = Value("--output");
      return true;
    }
    if (Begins(word, "-x")) {
      language_ = Value("-x");
      language_ = language_ == "none" ? "" : language_;
      return true;
    }
    return word == "-c"              ? goes_to(CompilerStep::kObject)
           : word == "-S"            ? goes_to(CompilerStep::kAssembly)
           : word == "-fsyntax-only" ? goes_to(CompilerStep::kCheck)
           : word == "-E"            ? goes_to(CompilerStep::kPreprocess)
                                     : false;
  }

  bool Preprocessing(const std::string& word) {
    if (IsIn(kDependencies, word)) {
      line_.dependencies.push_back(word);
      if (word == "-M" || word == "-MM") {
        line_.step = CompilerStep::kPreprocess;
      }
      return true;
    }
    for (const std::string_view option : kDependenciesWithValue) {
      if (Begins(word, option)) {
        line_.dependencies.emplace_back(option);
        line_.dependencies.push_back(Value(option));
        return true;
      }
    }
    for (const std::string_view option : kPreprocessing) {
      if (Begins(word, option)) {
        line_.preprocessing.push_back(word);
        if (word == option) {
          line_.preprocessing.push_back(Value(option));
        }
        return true;
      }
    }
    if (Begins(word, "-Wp,") || word == "-undef" || Begins(word, "-nostdinc") || Begins(word, "--sysroot=")) {
      line_.preprocessing.push_back(word);
      return !Begins(word, "--sysroot=");
    }
    return false;
  }

  bool Linking(const std::string& word) {
    for (const std::string_view option : kLinkingWithValue) {
      if (!IsLinkOption(word, option)) {
        continue;
      }
      if (option == "-l") {
        const std::string library = Value(option);
        if (!IsIn(kVendorLibraries, library)) {
          line_.linked.push_back({.word = "-l" + library});
        }
        return true;
      }
      line_.linked.push_back({.word = word});
      if (word == option) {
        line_.linked.push_back({.word = Value(option)});
      }
      return true;
    }
    if (Begins(word, "-Wl,")) {
      line_.linked.push_back({.word = word});
      return true;
    }
    if (word == "-shared") {
      line_.is_shared = true;
      return true;
    }
    return false;
  }

  void Other(const std::string& word) {
    if (Begins(word, "-std=")) {
      Language(word);
      return;
    }
    line_.has_pic = line_.has_pic || word == "-fPIC" || word == "-fpic" || word == "-fPIE" || word == "-fpie";
    line_.has_optimisation = line_.has_optimisation || Begins(word, "-O");
    line_.options.push_back(word);
    if (IsIn(kWithValue, word)) {
      line_.options.push_back(Value(word));
    }
  }

  // Sources older than C++20 are compiled as C++20: the simulator's headers are written in it.
  void Language(const std::string& word) {
    std::string_view name = std::string_view(word).substr(5);
    const bool gnu = name.starts_with("gnu");
    const size_t plus = name.rfind('+');
    const std::string_view year = plus == std::string_view::npos ? name : name.substr(plus + 1);
    line_.old_language = IsIn(kOldLanguages, year);
    line_.language = line_.old_language ? (gnu ? "-std=gnu++20" : "-std=c++20") : word;
    line_.other_language = line_.old_language ? word : "";
  }

  std::span<const std::string> words_;
  size_t at_ = 0;
  std::string language_;  // of -x; empty: by the files' names
  CompilerLine line_;
};

}  // namespace

bool TakesNextWord(std::string_view word) {
  return IsIn(kPreprocessing, word) || IsIn(kDependenciesWithValue, word) || IsIn(kWithValue, word) ||
         IsIn(kLinkingWithValue, word) || IsIn(kOfDriver, word);
}

bool IsForLinker(std::string_view word) {
  return Begins(word, "-Wl,") || std::ranges::any_of(kLinkingWithValue, [&](std::string_view option) {
           return IsLinkOption(word, option);
         });
}

CompilerLine ReadCompilerLine(std::span<const std::string> words) { return Reader(words).Run(); }

}  // namespace tilesim

#include "cli/cc/driver.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "cli/cc/command_line.h"
#include "cli/cc/compile_folder.h"
#include "cli/cc/compiler_messages.h"
#include "cli/cc/kept_files.h"
#include "cli/cc/launch_headers.h"
#include "cli/cc/line_markers.h"
#include "cli/cc/own_names.h"
#include "cli/cc/pass_macros.h"
#include "cli/cc/precompiled.h"
#include "cli/cc/process.h"
#include "cli/cc/program_file.h"
#include "cli/cc/tokens.h"
#include "cli/cc/toolkit.h"
#include "cli/cc/unit_text.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using Line = std::vector<std::string>;

// What the device compiler predefines.
constexpr std::array<std::string_view, 2> kPredefined = {"-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220"};
// Sources that are older than C++20 keep what it changes, and are not told of it.
constexpr std::array<std::string_view, 5> kAsBefore = {
    "-fno-char8_t", "-Wno-volatile", "-Wno-comma-subscript", "-Wno-deprecated-enum-enum-conversion",
    "-Wno-deprecated-enum-float-conversion"};
constexpr std::array<std::string_view, 5> kAsBeforeOfClang = {
    "-fno-char8_t", "-Wno-deprecated-volatile", "-Wno-deprecated-comma-subscript",
    "-Wno-deprecated-enum-enum-conversion", "-Wno-deprecated-enum-float-conversion"};
constexpr std::string_view kDefaultOptimisation = "-O1";

template <class T, class Range>
void Append(std::vector<T>& words, const Range& more) {
  words.insert(words.end(), std::begin(more), std::end(more));
}

// What stands in a source; nothing of standard input, which can be read once only.
std::string OwnText(const fs::path& source) { return source == "-" ? std::string() : ReadText(source); }

class Compilation {
 public:
  explicit Compilation(const CcRequest& request)
      : request_(request),
        compiler_(FindCompiler()),
        toolkit_(FindToolkit()),
        line_(ReadCompilerLine(request.words)),
        replaces_macros_(IsClang(compiler_)) {
    Append(instances_, request.pass.instances);
    Append(instances_, line_.instances);
    tiling_key_ = request.pass.tiling_key.has_value() ? request.pass.tiling_key : line_.tiling_key;
    if (tiling_key_.has_value()) {
      WriteText(KeyHeader(), Say("#undef TILING_KEY_VAR\n#define ", KeyMacro(" "), "\n"));
    }
  }

  CcResult Run() && {
    for (const SourceFile& source : line_.sources) {
      std::error_code ignored;
      RequireUser(source.path == "-" || fs::exists(source.path, ignored), source.path, ": no such file");
    }
    if (line_.step == CompilerStep::kPreprocess) {
      result_.ok = Step(PreprocessOnly());
      return std::move(result_);
    }
    // Sources that call the launch functions of others' kernels come last.
    std::vector<size_t> order;
    std::vector<size_t> callers;
    for (size_t i = 0; i < line_.sources.size(); ++i) {
      const bool alone = line_.sources.size() + line_.kernels_of.size() == 1;
      const std::string text = OwnText(line_.sources[i].path);
      const bool calls = text.find("aclrtlaunch_") != std::string::npos;
      if (calls) {
        launch_headers_.Write(RewriteKernels(text));  // it may call its own kernels
      }
      (calls && !alone ? callers : order).push_back(i);
    }
    order.insert(order.end(), callers.begin(), callers.end());
    if (!callers.empty() && !ReadOthersKernels()) {
      return std::move(result_);
    }
    objects_.resize(line_.sources.size());
    for (const size_t i : order) {
      if (!Compile(i)) {
        return std::move(result_);
      }
    }
    result_.ok = line_.step != CompilerStep::kLink || Step(Link());
    if (result_.ok && NotesLinked()) {
      NoteLinked();
    }
    return std::move(result_);
  }

 private:
  // Runs the compiler; false where it fails. What it says goes on as it is.
  bool Step(const Line& words) { return TakeEnd(RunCompiler(words)); }

  bool TakeEnd(const ProcessEnd& end, const KernelPassResult& unit = {}) {
    std::string said;
    KernelNames names;
    if (end.code != 0) {
      names = KernelNameExplanation(end.err, unit.kernels);
      said = names.text;
      said += AssertionExplanation(end.err, toolkit_.own, unit.launches) +
              Explanation(end.err, AclHeaders()) +
              MacroExplanation(end.err, toolkit_.own, NamesDefinedBy(line_.preprocessing));
    }
    if (end.code != 0 && !line_.other_language.empty()) {
      said += Say("tilesim: ", line_.other_language, ": the simulator's headers need C++20; compiled as ",
                  line_.language.substr(line_.language.find('=') + 1), "\n");
    }
    for (const KernelPassNote& note : unit.notes) {
      said += end.code == 0 ? "" : Say("tilesim: ", note.file, ":", note.line, ": ", note.text, "\n");
    }
    Tell(names.is_all ? said : said + end.err);
    return end.code == 0;
  }

  void Tell(const std::string& said) {
    if (request_.keep_messages) {
      result_.messages += said;
    } else {
      std::fwrite(said.data(), 1, said.size(), stderr);
    }
  }

  std::string AclHeaders() const {
    std::string text;
    for (const auto& entry : fs::directory_iterator(toolkit_.root / "sim/host/acl")) {
      text += entry.path().filename() == "acl_absent.h" ? std::string() : ReadText(entry.path());
    }
    return text;
  }

  Line Begin() const {
    Line words = compiler_.words;
    words.push_back(line_.language);
    if (line_.old_language) {
      Append(words, IsClang(compiler_) ? kAsBeforeOfClang : kAsBefore);
    }
    if (IsClang(compiler_)) {
      words.emplace_back("-Qunused-arguments");
    }
    if (request_.keep_messages ? false : ErrIsTerminal()) {
      words.emplace_back(IsClang(compiler_) ? "-fcolor-diagnostics" : "-fdiagnostics-color");
    }
    return words;
  }

  // What finds and reads headers. `launches`: the header with the words that the pass writes; empty where
  // there are none. `type_numbers`: with DT_* and FORMAT_* as macros.
  Line Preprocessing(const fs::path& launches, bool type_numbers) const {
    Line words(kPredefined.begin(), kPredefined.end());
    for (const std::string& name : own_names_) {
      words.push_back(Say("-DTILESIM_OWN_", name, "=~,TILESIM_LEAVE_OUT"));
    }
    if (!launches.empty()) {
      Append(words, Line{"-include", launches.string()});
      if (!request_.pass.extra.empty()) {
        Append(words, Line{"-include", (toolkit_.root / "sim/host/struct_fields.h").string()});
      }
    }
    if (!launches.empty() && tiling_key_.has_value()) {
      if (line_.dependencies.empty()) {  // behind what may be precompiled
        Append(words, Line{"-include", KeyHeader().string()});
      } else {  // a file of this call's would be noted
        words.push_back("-D" + KeyMacro("="));
      }
    }
    Append(words, line_.preprocessing);
    if (type_numbers) {  // behind the host's headers that the line includes, whose types are enumerators
      Append(words, Line{"-include", (toolkit_.root / "sim/ascendc/type_macros.h").string()});
    }
    Append(words, ToolkitFolders());
    if (!launch_headers_.IsEmpty()) {
      Append(words, Line{"-isystem", scratch_.path().string()});
    }
    return words;
  }

  fs::path KeyHeader() const { return scratch_.path() / "tiling_key.h"; }

  std::string KeyMacro(std::string_view between) const {
    return Say("TILING_KEY_VAR", between, *tiling_key_, "ULL");
  }

  // A program that is compiled for a key runs with no other.
  std::string TextOfKey() const {
    return Say(
        "namespace AscendC::simulator {\nbool CompileForTilingKey(unsigned long key);\n"
        "[[maybe_unused]] static const bool is_compiled_for_key = CompileForTilingKey(",
        *tiling_key_, "ULL);\n}\n");
  }

  Line ToolkitFolders() const {
    Line words;
    for (const fs::path& folder : toolkit_.folders) {
      Append(words, Line{"-isystem", folder.string()});
    }
    return words;
  }

  fs::path LaunchHeader() const { return toolkit_.root / "sim/host/kernel_launch.h"; }

  // kernel_launch.h and kernel_operator.h together, precompiled, for a source that begins with the latter,
  // where that makes no difference but of time.
  std::optional<PrecompiledHeader> Precompiled(const std::string& source, const std::string& own_text) const {
    constexpr std::string_view kOperator = "kernel_operator.h";
    constexpr std::string_view kAcl = "acl/acl.h";
    const std::vector<std::string_view> includes = LeadingIncludes(own_text);
    const auto name_of = [](std::string_view include) { return include.substr(1, include.size() - 2); };
    const auto found = std::ranges::find(includes, kOperator, name_of);
    const auto may_come_later = [&](std::string_view include) {
      return name_of(include) == kAcl || (include.front() == '<' && MayComeLater(name_of(include)));
    };
    const auto allows = [](const std::string& word) { return AllowsPrecompiled(word); };
    const Line options = CompileOptions();
    const std::optional<std::vector<fs::path>> folders = FoldersOfUser(compiler_.words, line_.preprocessing);
    if (found == includes.end() || !std::all_of(includes.begin(), found, may_come_later) ||
        !std::ranges::all_of(options, allows) || !folders.has_value() || replaces_macros_ ||
        !line_.dependencies.empty()) {
      return std::nullopt;
    }
    const fs::path beside = fs::path(source).parent_path();
    std::error_code ignored;
    if (fs::exists(beside / kOperator, ignored) || fs::exists(beside / kAcl, ignored)) {
      return std::nullopt;  // the source's own, in place of ours
    }
    PrecompiledRequest request{.folder = request_.headers_folder,
                               .identity = IdentityOf(compiler_.program),
                               .compiler = compiler_.words,
                               .headers = {LaunchHeader(), toolkit_.root / "sim/ascendc" / kOperator}};
    request.compiler.push_back(line_.language);
    Append(request.compiler, line_.old_language ? Line(kAsBefore.begin(), kAsBefore.end()) : Line{});
    Append(request.compiler, kPredefined);
    Append(request.compiler, ToolkitFolders());
    Append(request.compiler, options);
    std::erase_if(request.compiler, [](const std::string& word) { return word.starts_with("-W"); });
    try {
      if (request.folder.empty()) {
        request.folder = toolkit_.kept.empty() ? CacheFolder().parent_path() / "headers" : toolkit_.kept;
      }
      std::optional<PrecompiledHeader> header = FindPrecompiled(request);
      return header.has_value() && AnyStandsBefore(*folders, header->files) ? std::nullopt : header;
    } catch (const UserError&) {  // no folder that can be written, a full disk: the compile takes longer
      return std::nullopt;
    } catch (const fs::filesystem_error&) {
      return std::nullopt;
    }
  }

  Line PreprocessOnly() const {
    Line words = Begin();
    Append(words, Preprocessing({}, std::ranges::any_of(line_.sources, [&](const SourceFile& source) {
                                  return GivesTypeNumbers(line_.preprocessing, OwnText(source.path));
                                })));
    Append(words, CompileOptions());
    words.emplace_back("-E");
    Append(words, line_.dependencies);
    if (!line_.output.empty()) {
      Append(words, Line{"-o", line_.output});
    }
    for (const SourceFile& source : line_.sources) {
      Append(words, Line{"-x",
                         source.is_kernel_source   ? "c++"
                         : source.language.empty() ? "none"
                                                   : source.language,
                         source.path});
    }
    return words;
  }

  bool Compile(size_t number) {
    const SourceFile& source = line_.sources[number];
    objects_[number] = ObjectOf(number);
    own_names_.clear();
    return source.is_kernel_source ? CompileKernels(source, number) : Step(CompilePlain(source, number));
  }

  // Where the result of a source goes.
  std::string ObjectOf(size_t number) const {
    if (line_.step == CompilerStep::kLink) {
      return (scratch_.path() / Say(fs::path(line_.sources[number].path).stem().string(), "-", number, ".o"))
          .string();
    }
    if (!line_.output.empty()) {
      return line_.output;
    }
    const char* const ending = line_.step == CompilerStep::kAssembly ? ".s" : ".o";
    return fs::path(line_.sources[number].path).stem().string() + ending;
  }

  Line CompileOptions() const {
    Line words;
    if (!line_.has_optimisation) {
      words.emplace_back(kDefaultOptimisation);
    }
    if (line_.is_shared && !line_.has_pic) {
      words.emplace_back("-fPIC");
    }
    words.emplace_back("-pthread");
    Append(words, line_.options);
    return words;
  }

  Line Ending(const std::string& object) const {
    switch (line_.step) {
      case CompilerStep::kCheck:
        return {"-fsyntax-only"};
      case CompilerStep::kAssembly:
        return {"-S", "-o", object};
      default:
        return {"-c", "-o", object};
    }
  }

  Line CompilePlain(const SourceFile& source, size_t number) const {
    Line words = compiler_.words;
    Append(words, line_.preprocessing);
    Append(words, ToolkitFolders());
    Append(words, CompileOptions());
    Append(words, line_.dependencies);
    if (!source.language.empty()) {
      Append(words, Line{"-x", source.language});
    }
    words.push_back(source.path);
    Append(words, Ending(objects_[number]));
    return words;
  }

  // The dependencies that a compile of the source would write are those of its preprocessing.
  Line Dependencies(size_t number) const {
    Line words = line_.dependencies;
    const auto has = [&](std::string_view option) { return std::ranges::find(words, option) != words.end(); };
    if (!has("-MD") && !has("-MMD")) {
      return {};
    }
    const fs::path object = line_.step == CompilerStep::kLink && line_.output.empty()
                                ? fs::path(objects_[number]).filename()
                            : line_.step == CompilerStep::kLink ? fs::path(line_.output)
                                                                : fs::path(objects_[number]);
    if (!has("-MF")) {
      Append(words, Line{"-MF", fs::path(object).replace_extension(".d").string()});
    }
    if (!has("-MT") && !has("-MQ")) {
      Append(words, Line{"-MT", object.string()});
    }
    return words;
  }

  // A source with its includes in it, through the pass; nullopt where the preprocessor refuses it.
  std::optional<KernelPassResult> ReadUnit(const std::string& source, const fs::path& whole,
                                           const Line& dependencies) {
    const std::string own_text = OwnText(source);
    bool launches = source == "-" || own_text.find("<<<") != std::string::npos ||
                    own_text.find("__global__") != std::string::npos;
    const bool type_numbers = GivesTypeNumbers(line_.preprocessing, own_text);
    replaces_macros_ = IsClang(compiler_);
    for (;;) {
      Line words = Begin();
      std::optional<PrecompiledHeader> precompiled;
      if (launches && takes_precompiled_ && !type_numbers) {
        precompiled = Precompiled(source, own_text);
      }
      Append(words, Preprocessing(!launches                 ? fs::path()
                                  : precompiled.has_value() ? precompiled->header
                                                            : LaunchHeader(),
                                  type_numbers));
      Append(words, CompileOptions());
      Append(words, dependencies);
      words.emplace_back("-E");
      if (replaces_macros_) {
        Append(words, OptionsThatKeepMacros(own_text));
      } else {
        words.emplace_back("-fdirectives-only");
      }
      if (precompiled.has_value()) {
        words.emplace_back("-fpch-preprocess");
      }
      Append(words, Line{"-x", "c++", source, "-o", whole.string()});
      const ProcessEnd end = RunCompiler(words);
      if (end.code != 0 && precompiled.has_value()) {
        takes_precompiled_ = false;  // what is wrong is said of the source's own includes
        continue;
      }
      if (end.code != 0 && !replaces_macros_ && source != "-") {
        replaces_macros_ = true;  // g++ -fdirectives-only refuses "#if 0 / don't / #endif", which g++ takes
        continue;
      }
      if (end.code != 0) {
        TakeEnd(end);
        return std::nullopt;
      }
      said_of_unit_ = end.err;
      const std::string text = ReadText(whole);
      KernelPassResult unit =
          RewriteKernels(text, {.instances = instances_,
                                .extra = request_.pass.extra,
                                .tiling_key = tiling_key_,
                                .has_workspace = IsDefined(line_.preprocessing, text, "HAVE_WORKSPACE"),
                                .has_tiling = IsDefined(line_.preprocessing, text, "HAVE_TILING")});
      const bool needs_launches = unit.has_launches || !unit.kernels.empty();
      if (launches || !needs_launches) {
        NoteFiles(text, precompiled);
        is_precompiled_ = precompiled.has_value();
        return unit;
      }
      launches = true;  // they are in the source's own headers
    }
  }

  // Prepares another try of the unit, which does not compile: without the calls that this part lacks and of
  // which the unit has its own, and with what is wrong said of the source's own includes. False: the last try
  // was such a one.
  bool PrepareAnotherTry(const std::string& unit) {
    std::vector<std::string> own =
        OwnNamesAmongAbsent(unit, ReadText(toolkit_.root / "sim/ascendc/absent.h"));
    const bool is_other = is_precompiled_ || own != own_names_;
    own_names_ = std::move(own);
    takes_precompiled_ = false;
    return is_other;
  }

  bool CompileKernels(const SourceFile& source, size_t number) {
    const fs::path whole = scratch_.path() / Say(fs::path(source.path).stem().string(), "-", number, ".ii");
    std::optional<KernelPassResult> unit = ReadUnit(source.path, whole, Dependencies(number));
    if (!unit.has_value()) {
      return false;
    }
    if (line_.step != CompilerStep::kCheck) {
      unit->text += ProgramNote();
    }
    if (tiling_key_.has_value() && !unit->kernels.empty()) {
      unit->text += TextOfKey();
    }
    WriteText(whole, unit->text);
    Line words = Begin();
    Append(words, CompileOptions());
    if (replaces_macros_) {
      const fs::path macros = scratch_.path() / "macros.h";
      WriteText(macros, DefinitionsOfKeptMacros(toolkit_.root));
      Append(words, Line{"-include", macros.string()});
    } else {
      Append(words, Line{"-fpreprocessed", "-fdirectives-only"});
    }
    Append(words, Line{"-x", "c++", whole.string()});
    Append(words, Ending(objects_[number]));
    const ProcessEnd end = RunCompiler(words);
    if (end.code != 0 && PrepareAnotherTry(unit->text)) {
      return CompileKernels(source, number);
    }
    Tell(said_of_unit_);
    TellCoreKind(source.path, *unit);
    Take(*unit);
    return TakeEnd(end, *unit);
  }

  // Where the text of neither kind of cores is compiled.
  void TellCoreKind(const std::string& source, const KernelPassResult& unit) {
    const auto is_defined = [&](const std::string& macro) {
      return IsDefined(line_.preprocessing, unit.text, macro);
    };
    if (!unit.core_kind_macros.empty() && std::ranges::none_of(unit.core_kind_macros, is_defined)) {
      Tell(Say("tilesim: ", source, ": ", *unit.core_kind_macros.begin(),
               " is not defined: one compile serves both kinds of cores; choose by ASCEND_IS_AIV and "
               "ASCEND_IS_AIC, or give -D",
               *unit.core_kind_macros.begin(), " for a kernel of one kind\n"));
    }
  }

  // Headers for the kernels of files that are compiled elsewhere.
  bool ReadOthersKernels() {
    for (const std::string& file : line_.kernels_of) {
      const std::optional<KernelPassResult> unit = ReadUnit(file, scratch_.path() / "other.ii", {});
      if (!unit.has_value()) {
        return false;
      }
      Tell(said_of_unit_);
      launch_headers_.Write(*unit);
    }
    return true;
  }

  // What was read for a unit: its markers say it, but for what stands in the precompiled header.
  void NoteFiles(const std::string& text, const std::optional<PrecompiledHeader>& precompiled) {
    std::set<fs::path> files = FilesOfMarkers(text);
    std::erase_if(files, [&](const fs::path& file) {
      return file.string().starts_with(scratch_.path().string()) ||
             (precompiled.has_value() && file == precompiled->header);
    });
    if (precompiled.has_value()) {
      files.insert(precompiled->files.begin(), precompiled->files.end());
    }
    files.insert(result_.files.begin(), result_.files.end());
    result_.files.assign(files.begin(), files.end());
  }

  void Take(const KernelPassResult& unit) {
    Append(result_.kernels, unit.kernels);
    Append(result_.instances_found, unit.instances_found);
    result_.defines_main = result_.defines_main || unit.defines_main;
    launch_headers_.Write(unit);
  }

  // Objects and libraries that are not made here, and that somebody asks for.
  bool NotesLinked() const {
    return request_.notes_linked && line_.step == CompilerStep::kLink &&
           std::ranges::any_of(line_.linked,
                               [](const CompilerLine::Linked& linked) { return linked.source < 0; });
  }

  fs::path LinkedFiles() const { return scratch_.path() / "linked.d"; }

  // What the linker says that it has read: "a.out: \\", then "  main.o \\" and its like, a line each, and an
  // empty line. Blanks of names stand as they are.
  void NoteLinked() {
    std::istringstream lines(ReadText(LinkedFiles()));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && !line.empty()) {
      const size_t end = line.ends_with(" \\") ? line.size() - 2 : line.size();
      const std::string name = line.substr(line.find_first_not_of(' '), end - line.find_first_not_of(' '));
      if (!name.starts_with(scratch_.path().string())) {
        result_.files.push_back(fs::absolute(name));
      }
    }
  }

  Line Link() const {
    Line words = compiler_.words;
    Append(words, line_.options);
    if (NotesLinked()) {
      Append(words, Line{"-Xlinker", Say("--dependency-file=", LinkedFiles().string())});
    }
    if (line_.is_shared) {  // its threads and what it does at the end of the process outlive dlclose
      Append(words, Line{"-shared", "-Wl,-u,tilesim_register", "-Wl,-z,nodelete"});
    }
    words.emplace_back("-pthread");
    for (const CompilerLine::Linked& linked : line_.linked) {
      words.push_back(linked.source >= 0 ? objects_[static_cast<size_t>(linked.source)] : linked.word);
    }
    for (const fs::path& library : toolkit_.libraries) {
      if (!(line_.is_shared && library.filename() == kMainLibrary)) {
        words.push_back(library.string());
      }
    }
    Append(words, Line{"-o", line_.output.empty() ? "a.out" : line_.output});
    return words;
  }

  const CcRequest& request_;
  Compiler compiler_;
  const Toolkit& toolkit_;
  CompilerLine line_;
  bool replaces_macros_;  // of the unit in hand: its text has no macros left
  bool takes_precompiled_ = true;
  bool is_precompiled_ = false;         // the headers of the unit in hand
  std::string said_of_unit_;            // by the preprocessor, of the unit in hand
  std::vector<std::string> own_names_;  // that the source in hand has in place of calls that this part lacks
  Line instances_;
  std::optional<uint64_t> tiling_key_;
  CompileFolder scratch_;
  Line objects_;  // of each source
  LaunchHeaders launch_headers_{scratch_.path()};
  CcResult result_;
};

}  // namespace

CcResult RunCc(const CcRequest& request) { return Compilation(request).Run(); }

bool IsKernelSource(const fs::path& file) {
  constexpr std::array<std::string_view, 9> kEndings = {".asc", ".cpp", ".cc",  ".cxx", ".c++",
                                                        ".C",   ".cp",  ".CPP", ".cce"};
  return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

}  // namespace tilesim

#include "cli/kernel_file.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/cc/driver.h"
#include "cli/cc/process.h"
#include "cli/cc/program_file.h"
#include "cli/cc/words.h"
#include "cli/kernel_words.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/verdict_outcome.h"
#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/harness/harness_steps.h"
#include "sim/core/summary.h"
#include "sim/host/acl/acl_base.h"
#include "sim/host/program.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// A file that is gone with this object, with what the program has written to it.
class ScratchFile {
 public:
  ScratchFile() {
    std::string name = (TemporaryFolder() / "tilesim-launches-XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    RequireUser(descriptor >= 0, name, ": cannot be made (", std::generic_category().message(errno),
                "); give TMPDIR a folder that can be written");
    close(descriptor);
    path_ = name;
  }
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

FileLaunch LaunchOf(host::FiledLaunch filed, size_t number, const SocConfig& soc) {
  FileLaunch launch;
  launch.watched = std::move(filed.watched);
  CaseResult& result = launch.result;
  result.id = Say(filed.title.kernel, "#", number);
  result.soc = soc.name;
  result.hazards_checked = filed.title.hazards_checked;
  result.launch = launch.watched.result;
  const int64_t each = HasAics(filed.title.type) ? 1 : AivsPerBlock(filed.title.type);
  const int64_t part = HasAics(filed.title.type) ? soc.aic_cores : soc.aic_cores * soc.aiv_per_aic;
  result.launched_cores = std::min(filed.title.blocks * each, part);
  if (result.launch->completed && result.launch->cycles > 0) {
    result.summary = Summarise(soc, *result.launch);
  }
  JudgeFaults(result);
  return launch;
}

bool HasLastName(std::string_view full, std::string_view name) {
  return full == name || full.ends_with(Say("::", name));
}

// --kernel must name a kernel, or one instance of a template. The program that is made knows of no others.
void RequireKernelOrInstance(const std::string& name, const fs::path& file,
                             const std::vector<KernelDeclaration>& kernels) {
  const auto is_named = [&](const KernelDeclaration& kernel) { return HasLastName(kernel.name, name); };
  const bool is_kernel = std::ranges::any_of(
      kernels, [&](const KernelDeclaration& kernel) { return is_named(kernel) && !kernel.is_template(); });
  const auto found = std::ranges::find_if(kernels, is_named);
  if (!is_kernel && found != kernels.end()) {
    throw UserError(Say("--kernel ", name, ": is a template, ", found->template_head,
                        "; name an instance with its arguments: --kernel '", name, "<...>'"));
  }
  std::string plain;
  std::string templates;
  for (const KernelDeclaration& kernel : kernels) {
    if (HasLastName(kernel.name, WithoutArguments(name))) {
      return;
    }
    if (!kernel.is_definition) {
      continue;
    }
    if (kernel.is_template()) {
      templates += Say("\n  template ", kernel.template_head, " ", kernel.name);
    } else {
      plain += Say("\n  ", kernel.name);
    }
  }
  RequireUser(templates.empty(), "--kernel ", name, ": there is none; kernels of ", file.string(), ":", plain,
              templates);
}

// --launch: a number, from 1 on, or a kernel's name, with the arguments of its template or without.
bool IsChosen(const std::string& chosen, const std::string& id) {
  const size_t mark = id.rfind('#');
  const std::string name = id.substr(0, mark);
  return chosen.empty() || chosen == id || chosen == id.substr(mark + 1) || HasLastName(name, chosen) ||
         HasLastName(WithoutArguments(name), chosen);
}

}  // namespace

Compiled BuildForKernels(const fs::path& file, std::vector<std::string> compiler_options,
                         const KernelPassOptions& pass, bool keep_messages) {
  compiler_options.emplace_back("-Wl,--wrap=main");  // the program begins in wrapped_main.cpp of sim/host
  return BuildProgram({.files = {file.string()},
                       .options = std::move(compiler_options),
                       .pass = pass,
                       .keep_messages = keep_messages});
}

std::string ProgramOptions(const Arguments& arguments, const FileRunSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view option) { text += Say(text.empty() ? "" : " ", option); };
  for (const std::string_view name : {"soc", "set", "cores", "mode", "threads", "watchdog"}) {
    if (name == "mode" && !settings.mode.empty()) {
      add(Say("--mode=", settings.mode));
    } else if (name == "threads" && settings.threads) {
      add(Say("--threads=", *settings.threads));
    } else {
      for (const std::string& value : arguments.All(name)) {
        RequireUser(
            value.find_first_of(" \t\n") == std::string::npos, "--", name, " = '", value,
            "': holds a blank, which a program of `tilesim cc` cannot be told; give a name or path without");
        add(Say("--", name, "=", value));
      }
    }
  }
  if (arguments.Has("strict-sync")) {
    add("--strict-sync");
  }
  return text;
}

FileCall FileCallOf(const Arguments& arguments) {
  return {.file = arguments.words().front(),
          .compiler_options = arguments.compiler_options(),
          .kernel = KernelWordsOf(arguments),
          .program_words = arguments.program_words()};
}

void RequireKernelFile(const fs::path& file) {
  std::error_code ignored;
  RequireUser(fs::exists(file, ignored), file.string(),
              ": no such file; give a source with kernels (.asc, .cpp), or a program that `tilesim cc` made");
  RequireUser(IsProgramOfCc(file) || IsKernelSource(file), file.string(),
              ": is neither a source with kernels (.asc, .cpp, ...) nor a program that `tilesim cc` made; "
              "compile it with "
              "`tilesim cc`");
  RequireUser(!IsLibrary(file), file.string(),
              ": is a shared library, which has no main to run; load it where it is called (Python: "
              "ctypes.CDLL(...), or tilesim.py on the source), or give the source");
}

fs::path ProgramOf(const FileCall& call, bool keep_messages) {
  const std::string file = call.file.string();
  RequireKernelFile(call.file);
  if (IsProgramOfCc(call.file)) {
    RequireUser(call.compiler_options.empty(), file, ": is a program already, '",
                call.compiler_options.empty() ? "" : call.compiler_options.front(),
                "' is for a source; give the source, or leave it out");
    return fs::absolute(call.file);
  }
  if (!call.kernel.words.empty()) {
    const Compiled compiled =
        BuildForKernels(call.file, call.compiler_options, call.kernel.pass, keep_messages);
    RequireKernelOrInstance(call.kernel.words.at(1), call.file, compiled.kernels);
    return compiled.program;
  }
  Compiled compiled = BuildProgram(
      {.files = {file}, .options = call.compiler_options, .pass = {}, .keep_messages = keep_messages});
  if (!compiled.defines_main) {
    std::string names;
    for (const KernelDeclaration& declared : compiled.kernels) {
      names += Say(names.empty() ? "" : ", ", declared.name);
    }
    RequireUser(!names.empty(), file, ": has no main and no kernel (a __global__ function): nothing to run");
    throw UserError(Say(file,
                        ": has no main, so this command line is its host: give --kernel NAME and an --arg "
                        "NAME=VALUE for each parameter; its kernels: ",
                        names));
  }
  return std::move(compiled.program);
}

SocConfig SocOf(const Arguments& arguments) {
  return LoadSoc(arguments.Text("soc", "ascend910b2"), arguments.All("set"));
}

bool IsOnFile(const Arguments& arguments) {
  const std::string& command = std::string(arguments.command().name);
  if (arguments.words().empty()) {
    RequireUser(arguments.compiler_options().empty() && arguments.program_words().empty(), command, ": '",
                arguments.compiler_options().empty() ? "--" : arguments.compiler_options().front(),
                "' is for a kernel file; name it: tilesim ", command, " add.asc");
    for (const Option& option : AllOptions()) {
      RequireUser(
          option.subject != Subject::kFile || !option.BelongsTo(command) || !arguments.Has(option.name), "--",
          option.name, ": is for a kernel file; name it: tilesim ", command, " add.asc --", option.name,
          " ...");
    }
    return false;
  }
  for (const Option& option : AllOptions()) {
    RequireUser(option.subject != Subject::kCase || !option.BelongsTo(command) || !arguments.Has(option.name),
                "--", option.name, ": is for cases of operators; ", arguments.words().front(),
                " has its own kernel: leave the one or the other out");
  }
  return true;
}

FileRun RunProgram(const fs::path& program, const FileCall& call, const Arguments& arguments,
                   const SocConfig& soc, const FileRunSettings& settings) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), call.kernel.words.begin(), call.kernel.words.end());
  words.insert(words.end(), call.program_words.begin(), call.program_words.end());
  const ScratchFile scratch;
  ProcessSettings process = {
      .keep = settings.keep,
      .output_aside = settings.output_aside,
      .variables = {{"TILESIM_OPTIONS", ProgramOptions(arguments, settings)},
                    {"TILESIM_LAUNCHES", Say(scratch.path().string(), ":", host::Name(settings.depth))}}};
  if (!call.kernel.words.empty()) {
    process.variables["TILESIM_KERNEL"] = "1";  // a program with a main of its own refuses
  }
  ProcessEnd end = RunProcess(words, process);
  SocConfig used = soc;
  used.aic_cores = std::min(soc.aic_cores, arguments.Whole("cores", soc.aic_cores, 0, INT32_MAX));
  FileRun run;
  run.exit_code = end.code;
  run.signal = end.signal;
  run.said = std::move(end.out) + end.err;
  std::vector<host::FiledLaunch> filed = host::ReadLaunches(scratch.path());
  const std::string chosen = arguments.Text("launch", "");
  std::vector<std::string> ids;
  for (size_t i = 0; i < filed.size(); ++i) {
    FileLaunch launch = LaunchOf(std::move(filed[i]), i + 1, used);
    ids.push_back(launch.result.id);
    if (IsChosen(chosen, launch.result.id)) {
      run.launches.push_back(std::move(launch));
    }
  }
  if (run.exit_code == 1 && arguments.Has("kernel") && !run.launches.empty()) {
    CaseResult& result = run.launches.back().result;
    if (result.verdict == Verdict::kOk) {
      result.verdict = Verdict::kMismatch;
      result.message = arguments.Has("expect") ? "an output is not what --expect gives, or was not written"
                                               : "an output was not written";
    }
  }
  RequireUser(chosen.empty() || !run.launches.empty(), "--launch = '", chosen, "': ", call.file.string(),
              ids.empty() ? " launched no kernel" : " has no such launch; its launches: ",
              JoinedNames(std::vector<std::string_view>(ids.begin(), ids.end())),
              ids.empty() ? "" : "; give a number or a kernel's name");
  return run;
}

FileRun RunFile(const Arguments& arguments, const SocConfig& soc, host::WatchDepth depth, bool output_aside) {
  (void)HarnessOptionsOf(arguments, soc);  // a mistake in an option is told before anything is compiled
  (void)arguments.Whole("watchdog", host::ProgramOptions().watchdog, 0, INT64_MAX);
  const FileCall call = FileCallOf(arguments);
  return RunProgram(ProgramOf(call), call, arguments, soc, {.depth = depth, .output_aside = output_aside});
}

std::string FileNameOf(const FileLaunch& launch) {
  std::string name = launch.result.id;
  name[name.rfind('#')] = '-';
  for (char& c : name) {
    const auto code = static_cast<unsigned char>(c);
    c = std::isalnum(code) != 0 || c == '-' ? c : '_';
  }
  return name;
}

std::vector<std::string> IdsOf(const FileRun& run) {
  std::vector<std::string> ids;
  for (const FileLaunch& launch : run.launches) {
    ids.push_back(launch.result.id);
  }
  return ids;
}

namespace {

constexpr int kFaultCode = 3;  // of a program whose own code is 0, where a launch had a fault

// What ended the program: a signal, or its exit code and where that comes from.
std::string EndText(const FileRun& run) {
  if (run.signal) {
    return Say("was ended by signal ", *run.signal, " (", strsignal(*run.signal), ")");
  }
  const std::string text = Say("ended with ", run.exit_code);
  const bool has_fault = std::ranges::any_of(run.launches, [](const FileLaunch& launch) {
    return OutcomeOf(launch.result.verdict) == Outcome::kKernelFault;
  });
  if (has_fault && run.exit_code == kFaultCode) {
    return text + ": a launch had a fault";
  }
  for (const int error : {ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION}) {
    if (has_fault && run.exit_code == error % 256) {
      return Say(text, ": its main returned ", error,
                 ", which acl calls return after a launch with a fault, and ", run.exit_code,
                 " is the last byte of that");
    }
  }
  return text + ", its own exit code";
}

}  // namespace

CommandEnd EndOf(const FileRun& run, const Arguments& arguments) {
  if (!arguments.Has("quiet") && !arguments.Has("kernel")) {  // which tells of its own end
    if (run.launches.empty() &&
        run.exit_code != kFaultCode) {  // a crash in a kernel, which the program has told
      std::fprintf(stderr, "tilesim: %s launched no kernel\n", arguments.words().front().c_str());
    }
    if (run.exit_code != 0) {
      std::fprintf(stderr, "tilesim: %s %s\n", arguments.words().front().c_str(), EndText(run).c_str());
    }
  }
  Outcome worst = Outcome::kDone;
  for (const FileLaunch& launch : run.launches) {
    worst = Worse(worst, OutcomeOf(launch.result.verdict));
  }
  if (worst == Outcome::kKernelFault || run.exit_code == 0) {
    return worst;
  }
  return CommandEnd::OfProgram(run.exit_code);
}

}  // namespace tilesim

// A user's own file on the command line of run, trace, explain and report: a source with kernels, or a
// program that `tilesim cc` made of one. It runs as a program of its own, and hands over each of its
// launches.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/cc/cache.h"
#include "cli/cc/process.h"
#include "cli/kernel_words.h"
#include "cli/outcome.h"
#include "ops/harness/harness.h"
#include "sim/explain/watched_launch.h"
#include "sim/host/launch_file.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// One launch of the program: `result` is what a row says of it.
struct FileLaunch {
  CaseResult result;  // id: the kernel's name and the launch's number, "add_custom#1"
  WatchedLaunch watched;
};

struct FileRun {
  std::vector<FileLaunch> launches;  // in the order in which they were started; those that --launch chooses
  int exit_code = 0;                 // the program's own, 128 + N where signal N ended it
  std::optional<int> signal;         // which ended it
  std::string said;                  // by the program, where that was kept: what it printed, then its errors
};

// What one run of a file is given. `tune` gives each run other values.
struct FileCall {
  std::filesystem::path file;
  std::vector<std::string> compiler_options;  // "-DTILE=64"
  KernelWords kernel;                         // of a file without main
  std::vector<std::string> program_words;     // behind --
};

struct FileRunSettings {
  host::WatchDepth depth = host::WatchDepth::kResult;
  bool output_aside = false;        // what the program prints goes to standard error
  Keep keep = Keep::kNothing;       // of what it says, in FileRun::said
  std::string_view mode = {};       // in place of --mode
  std::optional<int> threads = {};  // in place of --threads
};

// Is there a file on the command line? Throws UserError for options that the one needs and the other has not:
// columns of a case with a file, --kernel and its kin without one.
bool IsOnFile(const Arguments& arguments);

// Throws UserError for what is neither a source nor a program of `tilesim cc`.
void RequireKernelFile(const std::filesystem::path& file);

// The file, the compiler's options, kernel, arguments and words of the command line.
FileCall FileCallOf(const Arguments& arguments);

// The call's program: the file itself, or what the source is compiled to (what was compiled before is used
// again). Throws UserError where there is none, CompileError with the compiler's words where it says no and
// `keep_messages`.
std::filesystem::path ProgramOf(const FileCall& call, bool keep_messages = false);

// Runs the program of the call in the current folder and reads the launches that it handed over. Throws
// UserError where it cannot be started, or has no launch that --launch asks for.
FileRun RunProgram(const std::filesystem::path& program, const FileCall& call, const Arguments& arguments,
                   const SocConfig& soc, const FileRunSettings& settings);

// Both, of the command line's call. What the program prints passes through; with `output_aside` what it puts
// on standard output goes to standard error, where the command's own answer is a document.
FileRun RunFile(const Arguments& arguments, const SocConfig& soc, host::WatchDepth depth,
                bool output_aside = false);

// Compiles a source so that the command line is the host of its kernels: a main of its own is in the program,
// and is not called. Throws as BuildProgram does.
Compiled BuildForKernels(const std::filesystem::path& file, std::vector<std::string> compiler_options,
                         const KernelPassOptions& pass = {}, bool keep_messages = false);

// The options that a program is given through its environment: "--soc=ascend910b2 --cores=4".
std::string ProgramOptions(const Arguments& arguments, const FileRunSettings& settings = {});

// A name for files about the launch, of letters, digits, '_' and '-': "add_half_2_-1".
std::string FileNameOf(const FileLaunch& launch);

std::vector<std::string> IdsOf(const FileRun& run);

// How a command on a file ends: because of a launch's fault, else as the program ends. Says where the program
// launched nothing or its own code is not 0, but for --quiet.
CommandEnd EndOf(const FileRun& run, const Arguments& arguments);

// The part of the command line, --soc and --set.
SocConfig SocOf(const Arguments& arguments);

}  // namespace tilesim

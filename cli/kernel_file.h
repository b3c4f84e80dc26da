// A user's own file on the command line of run, trace, explain and report: a source with kernels, or a
// program that `tilesim cc` made of one. It runs as a program of its own, and hands over each of its
// launches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/cc/cache.h"
#include "ops/harness.h"
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
};

// Is there a file on the command line? Throws UserError for options that the one needs and the other has not:
// columns of a case with a file, --kernel and its kin without one.
bool IsOnFile(const Arguments& arguments);

// Compiles the file where it is a source (what was compiled before is used again), runs it in the current
// folder with the words behind --, and reads what it handed over. What the program prints passes through;
// with `output_aside` what it puts on standard output goes to standard error, where the command's own answer
// is a document. Throws UserError where it cannot be compiled or started, or has no launch that --launch asks
// for.
FileRun RunFile(const Arguments& arguments, const SocConfig& soc, host::WatchDepth depth,
                bool output_aside = false);

// Compiles a source so that the command line is the host of its kernels: a main of its own is in the program,
// and is not called. Throws as BuildProgram does.
Compiled BuildForKernels(const std::filesystem::path& file, std::vector<std::string> compiler_options,
                         const KernelPassOptions& pass = {});

// A name for files about the launch, of letters, digits, '_' and '-': "add_half_2_-1".
std::string FileNameOf(const FileLaunch& launch);

std::vector<std::string> IdsOf(const FileRun& run);

// How a command on a file ends: because of a launch's fault, else as the program ends.
CommandEnd EndOf(const FileRun& run);

// The part of the command line, --soc and --set.
SocConfig SocOf(const Arguments& arguments);

}  // namespace tilesim

#include "cli/tune_file/combination.h"

#include <algorithm>
#include <array>
#include <exception>
#include <sstream>
#include <utility>

#include "cli/cc/cache.h"
#include "cli/cc/driver.h"
#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"ok",    "timed",   "mismatch",    "hazard",
                                                    "fault", "refused", "not_compiled"};

// The last line that the program itself has said, or that tilesim has said in it.
std::string LastLine(const std::string& said, bool ours) {
  std::istringstream lines(said);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.starts_with("tilesim: ") == ours) {
      last = line;
    }
  }
  return last;
}

// The first error of the compiler.
std::string FirstError(const CompileError& error) {
  std::istringstream lines(error.messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != std::string::npos) {
      return line;
    }
  }
  return error.what();
}

Tried Judged(const FileRun& run, bool values) {
  Tried tried;
  tried.verdict = values ? TriedVerdict::kOk : TriedVerdict::kTimed;
  const auto judge = [&](TriedVerdict verdict, const std::string& message) {
    if (tried.MayBeRight()) {
      tried.verdict = verdict;
      tried.message = message;
    }
  };
  int64_t hazards = 0;
  for (const FileLaunch& launch : run.launches) {
    const CaseResult& result = launch.result;
    tried.launches += Say(result.id, " ", result.launch->cycles, " ");
    if (result.summary) {
      tried.cycles += result.launch->cycles;
      tried.time_us += result.launch->time_us;
      tried.gm_bytes += result.summary->gm_read_bytes + result.summary->gm_write_bytes;
      tried.lower_bound_us += result.summary->lower_bound.time_us;
    }
    hazards += result.Hazards();
    if (result.verdict == Verdict::kFault || result.verdict == Verdict::kHazard) {
      judge(result.verdict == Verdict::kFault ? TriedVerdict::kFault : TriedVerdict::kHazard,
            Say(result.id, ": ", result.message));
    }
  }
  if (values) {
    tried.hazards = hazards;
  }
  if (run.exit_code > 128) {
    judge(TriedVerdict::kFault, Say("signal ", run.exit_code - 128, " ended the program"));
  }
  if (run.launches.empty()) {
    judge(TriedVerdict::kRefused,
          Say("launched no kernel and ended with ", run.exit_code, "; ", LastLine(run.said, true)));
  }
  if (values && run.exit_code != 0) {  // without values the program has no result to judge
    judge(TriedVerdict::kMismatch, Say("ended with ", run.exit_code, "; ", LastLine(run.said, false)));
  }
  return tried;
}

}  // namespace

std::string_view Name(TriedVerdict verdict) { return kNames[static_cast<size_t>(verdict)]; }

std::optional<TriedVerdict> TriedVerdictNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<TriedVerdict>(found - kNames.begin()));
}

FileCall CombinationRunner::CallOf(size_t number) const {
  return CallWith(call_, space_.varied(), space_.Values(number));
}

std::filesystem::path CombinationRunner::Program(const FileCall& call) {
  std::promise<std::filesystem::path> promise;
  std::shared_future<std::filesystem::path> program;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [at, added] = programs_.try_emplace(call.compiler_options);
    is_first = added;
    if (added) {
      at->second = promise.get_future().share();
    }
    program = at->second;
  }
  if (is_first) {
    try {
      promise.set_value(ProgramOf(call, true));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }
  return program.get();
}

Tried CombinationRunner::Run(size_t number, bool values, int threads) {
  const FileCall call = CallOf(number);
  try {
    const std::filesystem::path program = Program(call);
    return Judged(
        RunProgram(program, call, arguments_, soc_,
                   {.keep = Keep::kOutAndErr, .mode = values ? "full" : "timing", .threads = threads}),
        values);
  } catch (const CompileError& error) {
    Tried tried;
    tried.verdict = TriedVerdict::kNotCompiled;
    tried.message = FirstError(error);
    return tried;
  }
}

std::string CombinationRunner::ProgramIdentity() {
  const FileCall call = CallOf(0);
  if (IsProgramOfCc(call.file)) {
    return FileDigest(call.file);
  }
  try {
    return Program(call).filename().string();  // in the cache: by what it was made of
  } catch (const CompileError&) {
    return FileDigest(call.file);
  }
}

void CombinationRunner::ForgetPrograms() {
  const std::lock_guard lock(mutex_);
  programs_.clear();
}

}  // namespace tilesim

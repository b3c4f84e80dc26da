#include "cli/tune_file/combination.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/cc/cache.h"
#include "cli/cc/driver.h"
#include "cli/cc/program_file.h"
#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"ok",    "timed",   "mismatch",    "hazard",
                                                    "fault", "refused", "not_compiled"};

constexpr std::string_view kOurs = "tilesim: ";

// The last line that the program itself has said, or that tilesim has said in it.
std::string LastLine(const std::string& said, bool ours) {
  std::istringstream lines(said);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.starts_with(kOurs) == ours) {
      last = line;
    }
  }
  return last;
}

// What tilesim has said of a crash in a kernel, of whose launch there is no row; empty: there was none.
std::string CrashIn(const std::string& said) {
  std::istringstream lines(said);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    if (line == "tilesim: the program ends here") {
      return before.substr(before.starts_with(kOurs) ? kOurs.size() : 0);
    }
  }
  return "";
}

// Made, and gone since.
bool IsGone(const std::shared_future<std::filesystem::path>& program) {
  if (program.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return false;
  }
  try {
    std::error_code ignored;
    return !std::filesystem::exists(program.get(), ignored);
  } catch (const UserError&) {  // it was never made
    return false;
  }
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
  tried.num_launches = std::ssize(run.launches);
  if (run.signal) {
    judge(TriedVerdict::kFault, Say("signal ", *run.signal, " ended the program"));
  }
  if (const std::string crash = run.exit_code == 3 ? CrashIn(run.said) : ""; !crash.empty()) {
    judge(TriedVerdict::kFault, crash);
  }
  if (run.launches.empty()) {
    judge(TriedVerdict::kRefused,
          Say("launched no kernel and ended with ", run.exit_code, "; ", LastLine(run.said, true)));
  }
  if (values && run.exit_code != 0) {  // without values the program has no result to judge
    const std::string said = LastLine(run.said, false);
    judge(TriedVerdict::kMismatch, Say("ended with ", run.exit_code, said.empty() ? "" : "; ", said));
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
    is_first = added || IsGone(at->second);
    if (is_first) {
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
    for (int times_left = 3;; --times_left) {
      const std::filesystem::path program = Program(call);
      try {
        return Judged(
            RunProgram(program, call, arguments_, soc_,
                       {.keep = Keep::kOutAndErr, .mode = values ? "full" : "timing", .threads = threads}),
            values);
      } catch (const UserError&) {
        std::error_code ignored;
        const bool is_there = std::filesystem::exists(program, ignored);
        if (is_there || times_left == 1) {
          throw;
        }  // another process has evicted it
      }
    }
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

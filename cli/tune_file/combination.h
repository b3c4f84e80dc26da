#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/kernel_file.h"
#include "cli/tune_file/varied.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

enum class TriedVerdict : uint8_t {
  kOk,           // run in full: no fault, and the program ended with 0
  kTimed,        // run without values: no fault; whether its result is right is not known
  kMismatch,     // the program's exit code says that its result is wrong
  kHazard,       // the kernel's, as for `run`
  kFault,        // likewise; or a crash in a kernel, or a signal, ended the program
  kRefused,      // it launched nothing, or could not be started
  kNotCompiled,  // the compiler refuses it
};
std::string_view Name(TriedVerdict verdict);  // "ok", "timed", ...
std::optional<TriedVerdict> TriedVerdictNamed(std::string_view name);

// What came of a combination: sums over the launches that --launch chooses.
struct Tried {
  TriedVerdict verdict = TriedVerdict::kRefused;
  int64_t cycles = 0;
  double time_us = 0;
  int64_t gm_bytes = 0;            // read and written
  double lower_bound_us = 0;       // of the bytes that were moved and the products that were done
  std::optional<int64_t> hazards;  // where they were looked for
  std::string message;             // what is wrong with it, or is not as in the default
  int64_t num_launches = 0;
  std::string launches;  // each with its cycles, to compare two runs

  [[nodiscard]] bool MayBeRight() const {
    return verdict == TriedVerdict::kOk || verdict == TriedVerdict::kTimed;
  }
};

// Compiles and runs combinations, from several threads at once. Knows no other combination.
class CombinationRunner {
 public:
  // All must outlive it.
  CombinationRunner(const Arguments& arguments, const SocConfig& soc, const CombinationSpace& space,
                    const FileCall& call)
      : arguments_(arguments), soc_(soc), space_(space), call_(call) {}

  // `values`: in full, with hazards; else without values. `threads`: of the simulator. Throws UserError where
  // the program cannot be made or started.
  Tried Run(size_t number, bool values, int threads);

  // What identifies the default's program.
  std::string ProgramIdentity();

  // Of programs whose compilation an interrupt has ended.
  void ForgetPrograms();

 private:
  [[nodiscard]] FileCall CallOf(size_t number) const;
  // Made once, whichever threads ask, and again where it has gone from the cache since.
  std::filesystem::path Program(const FileCall& call);

  const Arguments& arguments_;
  const SocConfig& soc_;
  const CombinationSpace& space_;
  const FileCall& call_;
  std::mutex mutex_;
  std::map<std::vector<std::string>, std::shared_future<std::filesystem::path>> programs_;  // by options
};

}  // namespace tilesim

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/compare.h"
#include "formats/tensor.h"
#include "ops/cases/case_file.h"
#include "ops/operator_run.h"
#include "ops/plans/choose_plan.h"
#include "sim/core/launch.h"
#include "sim/core/summary.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct HarnessOptions {
  PlanOptions plan;
  RunMode mode;
  int threads = 0;       // host threads; 0: all
  bool aclnn = false;    // with the kernels that a framework call launches around the case's own
  bool compare = false;  // with the direct loop and the expected files; needs values
  // The part's numerics.ieee was asked for: `compare` leaves it as it is whatever the inputs hold.
  bool numerics_given = false;
  std::optional<SourceLine> drop_sync = std::nullopt;
  Observer* observer = nullptr;
  LaunchRecording* recording =
      nullptr;  // filled with what the cores of the case's own kernel did; needs time
};

enum class Verdict : uint8_t {
  kOk,        // no fault, and equal where compared
  kMismatch,  // the result differs
  kNoTiling,  // nothing legal was found
  kRefused,   // the user's mistake
  kHazard,    // the kernel's: nothing orders two accesses
  kFault,     // the kernel's: any other
  kError,     // our bug
};
std::string_view Name(Verdict verdict);  // "ok", "mismatch", "no_tiling", ...

// What the kernels of a sequence add up to.
struct SequenceTotal {
  int64_t cycles = 0;
  double time_us = 0;  // each kernel's, with its own launch
  double lower_bound_us = 0;
  int64_t gm_read_bytes = 0;
  int64_t gm_write_bytes = 0;
  double host_ms = 0;

  void Add(const SequenceTotal& other);
};

// What came of one case. What a mode does not give stays empty.
struct CaseResult {
  std::string id;
  std::string op;
  std::string dtype;
  std::string soc;
  Verdict verdict = Verdict::kOk;
  std::string message;
  std::optional<Plan> plan;
  std::optional<LaunchResult> launch;
  std::optional<int64_t> launched_cores;    // that worked at a time, of a launch that no plan led to
  bool hazards_checked = false;             // the mode looked for hazards
  std::optional<LaunchSummary> summary;     // with time
  std::optional<LowerBound> lower_bound;    // of the problem, whatever the tiling; with time
  std::optional<Comparison> comparison;     // of the first output with the direct loop
  std::optional<int64_t> nan_from_padding;  // outputs that are NaN where zeros meet inf or NaN; compared
  std::vector<Tensor> outputs;              // with values; as the operator lists them
  std::string kernel;                       // of one kernel of a sequence: its name
  std::vector<CaseResult> kernels;          // of a sequence, in the order of their launches
  std::optional<SequenceTotal> total;       // of a sequence, with time
  std::optional<double> error_us_percent;   // of a call, against what was measured

  [[nodiscard]] int64_t Hazards() const;
  // That it used; nothing where it did not run, and of several kernels.
  [[nodiscard]] std::optional<int64_t> UsedCores() const;
  // Of the case's kernel or of all its kernels; nothing where some have no time.
  [[nodiscard]] std::optional<SequenceTotal> Total() const;
};

// Does one case from inputs to verdict: makes or reads its tensors, plans, runs, compares. Never throws for
// what the case itself is to blame for. Knows no file but those the case names, and prints nothing.
CaseResult RunCase(const Case& problem, const SocConfig& soc, const HarnessOptions& options);

// The result of a row that was refused when it was read.
CaseResult RefusedCase(const CaseError& error);

// The operator's inputs as the case gives them: random, or from its files.
std::vector<Tensor> MakeInputs(const Case& problem, const Operator& op);

}  // namespace tilesim

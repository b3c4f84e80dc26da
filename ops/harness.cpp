#include "ops/harness.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/comparison.h"
#include "ops/conv3d_backprop/least_work.h"
#include "ops/harness_faults.h"
#include "tiling/conv_backprop/filter_text.h"

namespace tilesim {
namespace {

// Random values are made where the device wants them, so that there is only one copy; their logical values
// are those of any layout.
Layout DeviceLayout(const Layout& layout, DType dtype) {
  return Layout(layout.rank() == 4 ? Format::kNC1HWC0 : Format::kNDC1HWC0, layout.extents(), C0Of(dtype));
}

Tensor MakeInput(const std::string& file, const Case& problem, const Layout& layout, uint64_t seed) {
  const DType dtype = problem.conv.dtype;
  if (!file.empty()) {
    return ReadNpy(file, dtype, layout);
  }
  Tensor tensor(dtype, DeviceLayout(layout, dtype));
  FillRandom(tensor, seed, problem.range_low, problem.range_high);
  return tensor;
}

std::string TilingText(const std::string& path) {
  constexpr std::string_view kMend = "give the JSON that `tilesim plan` prints for this case";
  std::error_code ignored;
  RequireUser(std::filesystem::exists(path, ignored), path, ": no such tiling file; ", kMend);
  RequireUser(!std::filesystem::is_directory(path, ignored), path, ": is a folder, must be a tiling file; ",
              kMend);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  RequireUser(file.good() || file.eof(), path, ": cannot be read; ", kMend);
  RequireUser(text.find_first_not_of(" \t\r\n") != std::string::npos, path, ": is empty; ", kMend);
  return text;
}

FilterPlan ReadTiling(const std::string& path, const Case& problem, const SocConfig& soc, int64_t cores) {
  const FilterTilingText read = ParseFilterTiling(TilingText(path), path);
  const FilterProblem filter = ToFilterProblem(problem.conv);
  return CheckFilterTiling(problem.conv,
                           {read.data, read.split ? *read.split : DealOut(filter, read.data.dwTiling, cores)},
                           soc, cores);
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += Say(text.empty() ? "" : "; ", line);
  }
  return text;
}

// The words of the faults, the worst kind as verdict.
void JudgeFaults(CaseResult& result) {
  const std::vector<Fault>& faults = result.launch->faults;
  if (!faults.empty()) {
    const bool only_hazards = result.Hazards() == std::ssize(faults);
    result.verdict = only_hazards ? Verdict::kHazard : Verdict::kFault;
    result.message = TextOf(faults);
  }
}

// A message about a row says where the row stands.
std::string AtItsPlace(const Case& problem, std::string_view message) {
  return Say(problem.place, problem.place.empty() ? "" : ": ", message);
}

void RequireSite(const std::optional<SourceLine>& dropped, const std::set<SyncSite>& sites) {
  if (!dropped) {
    return;
  }
  std::string known;
  for (const SyncSite& site : sites) {
    const std::string_view file = site.where.file;
    if (site.where.line == dropped->line && file.ends_with(dropped->file)) {
      return;
    }
    known += Say(known.empty() ? "" : ", ", file.substr(file.rfind('/') + 1), ":", site.where.line, " ",
                 site.call);
  }
  throw UserError(Say("--drop-sync = '", dropped->file, ":", dropped->line,
                      "': no synchronising call there; those of this run: ", known));
}

// Refuses what the part's memory, or with values this machine's, cannot hold: better than to be killed half
// way.
void RequireRoom(const Case& problem, const SocConfig& soc, const HarnessOptions& options,
                 const FilterPlan& plan) {
  uint64_t bytes = 0;
  const LaunchOptions launch = TimedFilterLaunch(problem.conv, plan, {});
  for (const GmBuffer& buffer : launch.gm.buffers()) {
    bytes += buffer.size_bytes;
  }
  RequireUser(bytes <= static_cast<uint64_t>(soc.gm_bytes), "x, dy and dw take ", bytes, " bytes of GM, ",
              soc.name, " has ", soc.gm_bytes, " (memory.gm_bytes); give a smaller case");
  const uint64_t machine =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  RequireUser(!options.mode.values || bytes <= machine / 4 * 3, "x, dy and dw take ", bytes,
              " bytes, this machine has ", machine, "; use --mode timing, or give a smaller case");
}

void Run(const Case& problem, const SocConfig& soc, const HarnessOptions& options, CaseResult& result) {
  std::set<SyncSite> sites;
  const FilterRunOptions run_options = {.mode = options.mode,
                                        .threads = options.threads,
                                        .observer = options.observer,
                                        .drop_sync = options.drop_sync,
                                        .sync_sites = options.drop_sync ? &sites : nullptr};
  std::optional<FilterTruth> truth;
  if (!options.mode.values) {
    result.launch = TimeFilter(problem.conv, *result.plan, soc, run_options);
  } else {
    FilterInputs inputs = MakeFilterInputs(problem);
    if (options.compare) {
      truth = MakeFilterTruth(problem, inputs.x, inputs.dy, options.threads);
    }
    FilterRun run =
        RunFilter(problem.conv, *result.plan, soc, std::move(inputs.x), std::move(inputs.dy), run_options);
    result.dw = std::move(run.dw);
    result.launch = std::move(run.launch);
  }
  RequireSite(options.drop_sync, sites);
  result.hazards_checked = options.mode.hazards;
  if (options.mode.time && result.launch->completed) {  // a stopped kernel has no time
    result.summary = Summarise(soc, *result.launch);
    result.lower_bound = LowerBoundOf(soc, LeastWork(problem.conv, soc));
  }
  JudgeFaults(result);
  if (truth) {
    const FilterVerdict verdict =
        CompareWithTruth(problem, *result.plan, soc, *result.dw, *truth, run_options);
    result.comparison = verdict.comparison;
    result.nan_from_padding = truth->nan_from_padding;
    if (!verdict.equal && result.verdict == Verdict::kOk) {
      result.verdict = Verdict::kMismatch;
    }
    result.message += Say(result.message.empty() || verdict.message.empty() ? "" : "\n", verdict.message);
  }
}

}  // namespace

std::string_view Name(Verdict verdict) {
  constexpr std::array<std::string_view, 7> kNames = {"ok",     "mismatch", "no_tiling", "refused",
                                                      "hazard", "fault",    "error"};
  return kNames[static_cast<size_t>(verdict)];
}

int64_t CaseResult::Hazards() const {
  return launch ? std::ranges::count(launch->faults, FaultKind::kHazard, &Fault::kind) : 0;
}

FilterPlan ChoosePlan(const Case& problem, const SocConfig& soc, const PlanOptions& options) {
  RequireUser(problem.gradient == ConvGradient::kFilter, "op = '", problem.op,
              "': is planned and run with a later version; its reading is checked");
  const std::string& path = problem.tiling_file.empty() ? options.tiling_file : problem.tiling_file;
  return path.empty() ? PlanFilter(problem.conv, options.planner, soc, options.cores)
                      : ReadTiling(path, problem, soc, options.cores);
}

FilterInputs MakeFilterInputs(const Case& problem) {
  const auto seed = static_cast<uint64_t>(problem.seed);
  return {MakeInput(problem.x_file, problem, problem.conv.XLayout(), seed),
          MakeInput(problem.dy_file, problem, problem.conv.DyLayout(), seed + 1)};
}

CaseResult RunCase(const Case& problem, const SocConfig& soc, const HarnessOptions& options) {
  CaseResult result;
  result.id = problem.id;
  result.op = problem.op;
  result.dtype = Name(problem.conv.dtype);
  result.soc = soc.name;
  try {
    result.plan = ChoosePlan(problem, soc, options.plan);
    if (result.plan->legal) {
      RequireRoom(problem, soc, options, *result.plan);
      Run(problem, soc, options, result);
    } else {
      result.verdict = result.plan->planner == "given" ? Verdict::kRefused : Verdict::kNoTiling;
      const std::string reasons = Joined(result.plan->reasons);
      result.message = result.verdict == Verdict::kRefused ? AtItsPlace(problem, reasons) : reasons;
    }
  } catch (const UserError& error) {
    result.verdict = Verdict::kRefused;
    result.message = AtItsPlace(problem, error.what());
  } catch (const std::bad_alloc&) {
    result.verdict = Verdict::kRefused;
    result.message =
        AtItsPlace(problem, "the machine has not enough memory for its tensors; give a smaller case");
  } catch (const std::exception& error) {
    result.verdict = Verdict::kError;
    result.message = Say("internal error (please report): ", error.what());
  }
  return result;
}

CaseResult RefusedCase(const CaseError& error) {
  CaseResult result;
  result.id = error.id;
  result.verdict = Verdict::kRefused;
  result.message = Sentence(error);
  return result;
}

}  // namespace tilesim

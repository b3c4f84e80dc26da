#include "sim/core/time_basis.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "formats/error.h"
#include "sim/core/pipe.h"

namespace tilesim {
namespace {

// The figures in the busy cycles of a pipe (sim/isa/cost.cpp). Figures of paths that a launch did not take
// count, too: shares of L2 only where something hit it.
struct PipeFigure {
  Pipe pipe;
  std::string_view key;
  enum class When : uint8_t { kAlways, kHit, kMiss, kAic, kAiv } when = When::kAlways;
};
using When = PipeFigure::When;
constexpr PipeFigure kFigures[] = {
    {Pipe::kS, "scalar.issue_cycles"},
    {Pipe::kS, "scalar.ub_access_cycles", When::kAiv},
    {Pipe::kV, "vector.startup_cycles"},
    {Pipe::kM, "cube.mmad_issue_cycles"},
    {Pipe::kM, "cube.mmad_fractal_cycles"},
    {Pipe::kMte1, "mte1.load_issue_cycles"},
    {Pipe::kMte1, "mte1.l0a_bytes_per_cycle"},
    {Pipe::kMte1, "mte1.l0b_bytes_per_cycle"},
    {Pipe::kMte1, "mte1.load3d_slow_bytes_per_cycle"},
    {Pipe::kMte2, "gm.l1_core_bytes_per_cycle", When::kAic},
    {Pipe::kMte2, "gm.ub_core_bytes_per_cycle", When::kAiv},
    {Pipe::kMte2, "gm.l2_total_bytes_per_cycle", When::kHit},
    {Pipe::kMte2, "gm.hbm_total_bytes_per_cycle", When::kMiss},
    {Pipe::kMte3, "gm.write_core_bytes_per_cycle"},
    {Pipe::kMte3, "gm.hbm_total_bytes_per_cycle"},
    {Pipe::kFix, "fixpipe.bytes_per_cycle"},
    {Pipe::kFix, "fixpipe.floor_cycles"},
};

bool Holds(When when, const CoreResult& core) {
  switch (when) {
    case When::kHit:
      return core.statistics.l2_hit_bytes > 0;
    case When::kMiss:
      return core.statistics.l2_miss_bytes > 0;
    case When::kAic:
      return core.identity.kind == CoreKind::kAic;
    case When::kAiv:
      return core.identity.kind == CoreKind::kAiv;
    case When::kAlways:
      break;
  }
  return true;
}

Provenance WeakestOf(const SocConfig& soc, const CoreResult& core, Pipe pipe) {
  Provenance weakest = Provenance::kMeasured;
  for (const PipeFigure& figure : kFigures) {
    if (figure.pipe == pipe && Holds(figure.when, core)) {
      weakest = std::max(weakest, soc.ProvenanceOf(figure.key));
    }
  }
  return weakest;
}

}  // namespace

std::string TimeBasis::Text() const {
  std::string text;
  for (int i = 0; i < kNumProvenances; ++i) {
    const auto provenance = static_cast<Provenance>(i);
    if (const auto percent = std::lround(100 * of(provenance)); percent > 0) {
      text += Say(text.empty() ? "" : ", ", Name(provenance), " ", percent, " %");
    }
  }
  return text;
}

TimeBasis BasisOf(const SocConfig& soc, const LaunchResult& result) {
  TimeBasis basis;
  if (result.cores.empty() || result.time_us <= 0) {
    return basis;
  }
  const CoreResult& core = *std::ranges::max_element(
      result.cores, {}, [](const CoreResult& one) { return one.statistics.end_cycle; });
  const double on_cores = static_cast<double>(result.cycles) / soc.clock_mhz / result.time_us;
  const Provenance launch = std::max(soc.ProvenanceOf("launch.us"), soc.ProvenanceOf("launch.us_per_core"));
  basis.share[static_cast<size_t>(launch)] += 1 - on_cores;
  std::array<double, kNumPipes> busy{};
  double all = 0;
  for (int p = 0; p < kNumPipes; ++p) {
    const auto place = static_cast<size_t>(p);
    busy[place] = static_cast<double>(core.statistics.busy_cycles[place]);
    if (static_cast<Pipe>(p) == Pipe::kS) {
      busy[place] += static_cast<double>(core.statistics.TotalInstructions() * soc.scalar_issue_cycles);
    }
    all += busy[place];
  }
  for (int p = 0; p < kNumPipes && all > 0; ++p) {
    const Provenance weakest = WeakestOf(soc, core, static_cast<Pipe>(p));
    basis.share[static_cast<size_t>(weakest)] += on_cores * busy[static_cast<size_t>(p)] / all;
  }
  return basis;
}

}  // namespace tilesim

#include "sim/core/time_basis.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "formats/error.h"
#include "sim/core/pipe.h"

namespace tilesim {
namespace {

// The figures that cycles depend on: all that the clock reads. The chief ones of a pipe say what its busy
// cycles rest on. The others (latencies, floors, queues, rates that bind seldom) count where they are given.
// Figures of paths that a launch did not take count, too, but those of L2 and HBM only where something hit or
// missed it, and those of L2's slices for the cycles that these add.
struct Figure {
  enum class On : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kAll };
  enum class When : uint8_t { kAlways, kHit, kMiss, kAic, kAiv, kAivMiss, kGiven };
  On on;
  std::string_view key;
  When when = When::kAlways;
};
using On = Figure::On;
using When = Figure::When;
constexpr Figure kFigures[] = {
    {On::kAll, "memory.l2_bytes", When::kGiven},
    {On::kAll, "l2.line_bytes", When::kGiven},
    {On::kAll, "l2.sector_bytes", When::kGiven},
    {On::kAll, "l2.write_allocate", When::kGiven},
    {On::kAll, "l2.slices", When::kGiven},
    {On::kAll, "l2.slice_bytes", When::kGiven},
    {On::kAll, "l2.slice_lines_per_cycle", When::kGiven},
    {On::kAll, "l2.lines_ahead", When::kGiven},
    {On::kAll, "sync.flag_cycles", When::kGiven},
    {On::kAll, "sync.barrier_cycles", When::kGiven},
    {On::kAll, "sync.cross_core_cycles", When::kGiven},
    {On::kAll, "queue.mte1", When::kGiven},
    {On::kAll, "queue.m", When::kGiven},
    {On::kAll, "queue.mte2", When::kGiven},
    {On::kAll, "queue.mte3", When::kGiven},
    {On::kAll, "queue.fix", When::kGiven},
    {On::kAll, "queue.v", When::kGiven},
    // GM, whoever moves
    {On::kAll, "gm.l2_same_total_bytes_per_cycle", When::kGiven},
    {On::kAll, "gm.l2_atomic_total_bytes_per_cycle", When::kGiven},
    {On::kAll, "gm.hbm_write_total_bytes_per_cycle", When::kGiven},
    {On::kAll, "gm.l2_total_bytes_per_cycle", When::kGiven},
    {On::kAll, "gm.hbm_total_bytes_per_cycle", When::kGiven},
    {On::kAll, "gm.unaligned_part", When::kGiven},
    {On::kAll, "gm.burst_cycles", When::kGiven},
    {On::kAll, "gm.read_latency_cycles", When::kGiven},
    {On::kAll, "gm.ub_read_latency_cycles", When::kGiven},
    {On::kAll, "gm.miss_latency_cycles", When::kGiven},
    {On::kAll, "gm.write_latency_cycles", When::kGiven},

    {On::kS, "scalar.issue_cycles"},
    {On::kAll, "scalar.issue_cycles", When::kGiven},
    {On::kS, "scalar.ub_access_cycles", When::kAiv},
    {On::kV, "vector.startup_cycles"},
    {On::kV, "vector.partial_block_cycles", When::kGiven},
    {On::kAll, "vector.latency_cycles", When::kGiven},
    {On::kM, "cube.mmad_issue_cycles"},
    {On::kM, "cube.mmad_fractal_cycles"},
    {On::kM, "cube.mmad_fractal_fp32_cycles", When::kGiven},
    {On::kM, "cube.mmad_fractal_hf32_cycles", When::kGiven},
    {On::kAll, "cube.mmad_latency_cycles", When::kGiven},
    {On::kMte1, "mte1.load_issue_cycles"},
    {On::kMte1, "mte1.l0a_bytes_per_cycle"},
    {On::kMte1, "mte1.l0b_bytes_per_cycle"},
    {On::kMte1, "mte1.load3d_slow_bytes_per_cycle"},
    {On::kMte1, "mte1.load3d_l0b_slow_bytes_per_cycle", When::kGiven},
    {On::kMte1, "mte1.load_min_l0a_cycles", When::kGiven},
    {On::kMte1, "mte1.load_min_l0b_cycles", When::kGiven},
    {On::kMte1, "mte1.bt_bytes_per_cycle", When::kGiven},
    {On::kMte1, "mte1.bt_min_cycles", When::kGiven},
    {On::kFix, "mte1.fb_bytes_per_cycle", When::kGiven},
    {On::kFix, "mte1.fb_latency_cycles", When::kGiven},
    {On::kAll, "mte1.load_latency_cycles", When::kGiven},
    {On::kAll, "mte1.l1_fill_bytes_per_cycle", When::kGiven},
    {On::kMte2, "gm.l1_core_bytes_per_cycle", When::kAic},
    {On::kMte2, "gm.nd2nz_row_cycles", When::kGiven},
    {On::kMte2, "gm.nd2nz_read_cycles", When::kGiven},
    {On::kMte2, "gm.nd2nz_rows_in_flight", When::kGiven},
    {On::kMte2, "gm.l0a_core_bytes_per_cycle", When::kGiven},
    {On::kMte2, "gm.l0b_core_bytes_per_cycle", When::kGiven},
    {On::kMte2, "gm.l0_move_cycles", When::kGiven},
    {On::kMte2, "gm.hbm_core_bytes_per_cycle", When::kGiven},
    {On::kMte2, "gm.ub_core_bytes_per_cycle", When::kAiv},
    {On::kMte2, "gm.hbm_ub_core_bytes_per_cycle", When::kAivMiss},
    {On::kMte2, "gm.ub_move_cycles", When::kGiven},
    {On::kMte2, "gm.l2_total_bytes_per_cycle", When::kHit},
    {On::kMte2, "gm.hbm_total_bytes_per_cycle", When::kMiss},
    {On::kMte3, "gm.write_core_bytes_per_cycle"},
    {On::kMte3, "gm.l2_total_bytes_per_cycle"},
    {On::kAll, "gm.write_burst_bytes_per_cycle", When::kGiven},
    {On::kFix, "fixpipe.bytes_per_cycle"},
    {On::kFix, "fixpipe.floor_cycles"},
};
constexpr std::string_view kLaunchFigures[] = {"launch.us", "launch.us_per_core", "launch.start_us"};
constexpr std::string_view kSliceFigures[] = {"l2.slices", "l2.slice_bytes", "l2.slice_lines_per_cycle",
                                              "l2.lines_ahead"};

bool Holds(const Figure& figure, const SocConfig& soc, const CoreResult& core) {
  const bool aiv = core.identity.kind == CoreKind::kAiv;
  switch (figure.when) {
    case When::kGiven:
      return soc.provenances.Of(figure.key) == Provenance::kGiven;
    case When::kAivMiss:
      return aiv && core.statistics.l2_miss_bytes > 0;
    case When::kHit:
      return core.statistics.l2_hit_bytes > 0;
    case When::kMiss:
      return core.statistics.l2_miss_bytes > 0;
    case When::kAic:
      return !aiv;
    case When::kAiv:
      return aiv;
    case When::kAlways:
      break;
  }
  return true;
}

Provenance WeakestOf(const SocConfig& soc, const CoreResult& core, Pipe pipe) {
  Provenance weakest = Provenance::kMeasured;
  for (const Figure& figure : kFigures) {
    if ((figure.on == On::kAll || static_cast<int>(figure.on) == Index(pipe)) && Holds(figure, soc, core)) {
      weakest = std::max(weakest, soc.provenances.Of(figure.key));
    }
  }
  return weakest;
}

Provenance WeakestOf(const SocConfig& soc, std::span<const std::string_view> keys) {
  Provenance weakest = Provenance::kMeasured;
  for (const std::string_view key : keys) {
    weakest = std::max(weakest, soc.provenances.Of(key));
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
  const auto add = [&basis](Provenance provenance, double share) {
    basis.share[static_cast<size_t>(provenance)] += share;
  };
  add(WeakestOf(soc, kLaunchFigures), 1 - on_cores);
  std::array<double, kNumPipes> busy{};
  double all = 0;
  for (int p = 0; p < kNumPipes; ++p) {
    const auto place = static_cast<size_t>(p);
    busy[place] = static_cast<double>(core.statistics.busy_cycles[place]);
    all += busy[place];
  }
  if (all == 0) {
    return basis;
  }
  const auto slices = static_cast<double>(core.statistics.l2_slice_cycles);
  busy[static_cast<size_t>(Pipe::kMte2)] -= slices;
  add(std::max(WeakestOf(soc, kSliceFigures), WeakestOf(soc, core, Pipe::kMte2)), on_cores * slices / all);
  const auto v = static_cast<size_t>(Pipe::kV);
  if (core.statistics.instructions[v] > 0) {
    const double library = busy[v] * static_cast<double>(core.statistics.library_instructions) /
                           static_cast<double>(core.statistics.instructions[v]);
    busy[v] -= library;
    add(std::max(Provenance::kAssumed, WeakestOf(soc, core, Pipe::kV)), on_cores * library / all);
  }
  for (int p = 0; p < kNumPipes; ++p) {
    add(WeakestOf(soc, core, static_cast<Pipe>(p)), on_cores * busy[static_cast<size_t>(p)] / all);
  }
  return basis;
}

}  // namespace tilesim

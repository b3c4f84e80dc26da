#include "tiling/conv_backprop/filter_estimate.h"

#include <algorithm>
#include <array>

#include "formats/units.h"
#include "sim/isa/cost.h"

namespace tilesim {
namespace {

// The tile program's start: each core zeroes its slice of dw from a zeroed part of L1, then all meet.
double ZeroFillCycles(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto dw_bytes = static_cast<int64_t>(TensorBytesOf(problem).dw);
  const int64_t slice = CeilDiv(dw_bytes, cores * kGrainBytes) * kGrainBytes;
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const Cost write =
      isa::GmWriteCost(soc, {.bytes = {.hit = 0, .miss = slice}, .bursts = CeilDiv(slice, zeros), .cores = cores});
  return static_cast<double>(fill.busy_cycles + fill.latency_cycles + write.busy_cycles + write.latency_cycles +
                             soc.cross_core_cycles);
}

FilterMisses MissesOf(const FilterProblem& problem, const FilterCoreWork& work, const FilterClock& clock,
                      const SocConfig& soc) {
  const FilterTensorBytes bytes = TensorBytesOf(problem);
  if (bytes.x + bytes.dy + bytes.dw > static_cast<double>(soc.l2_bytes)) {
    return {.x = 1, .dy = 1, .dw = 1};
  }
  FilterClock::Loads loads;
  for (const FilterCoreWork::Tasks& tasks : work.tasks) {
    const FilterClock::Loads each = clock.LoadsOf(tasks.size);
    loads.a_bytes += each.a_bytes * tasks.count;
    loads.b_bytes += each.b_bytes * tasks.count;
    loads.c_bytes += each.c_bytes * tasks.count;
  }
  const auto share = [](double distinct, double all) { return all > 0 ? std::min(1.0, distinct / all) : 0; };
  return {.x = share(work.x_bytes, loads.b_bytes),
          .dy = share(work.dy_bytes, loads.a_bytes),
          .dw = share(work.dw_bytes, loads.c_bytes)};
}

FilterClock::Busy Scaled(const FilterClock::Busy& before, const FilterClock::Busy& after, double times) {
  return {.cube = after.cube + (after.cube - before.cube) * times,
          .mte1 = after.mte1 + (after.mte1 - before.mte1) * times,
          .mte2 = after.mte2 + (after.mte2 - before.mte2) * times,
          .fix = after.fix + (after.fix - before.fix) * times};
}

}  // namespace

std::string_view FilterEstimate::bound_by() const {
  const std::array<std::pair<double, std::string_view>, 4> pipes = {
      {{busy.cube, "cube"}, {busy.mte1, "mte1"}, {busy.mte2, "mte2"}, {busy.fix, "fixpipe"}}};
  return std::ranges::max_element(pipes, {}, [](const auto& pipe) { return pipe.first; })->second;
}

FilterTensorBytes TensorBytesOf(const FilterProblem& p) {
  const FilterExtents e = ExtentsOf(p);
  const auto bytes = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  return {.x = bytes(p.batch * p.di * CeilDiv(p.cin, e.c0) * 32, p.hi * p.wi),
          .dy = bytes(p.batch * p.dout * CeilDiv(p.cout, e.c0) * 32, p.ho * p.wo),
          .dw = bytes(e.real_groups * p.dk * e.n, e.m * 4)};
}

FilterEstimate Estimate(const FilterProblem& problem, const FilterTiling& tiling, const FilterCoreWork& work,
                        const SocConfig& soc) {
  constexpr double kPlayed = 3;  // tasks of one size; the others take what the last of these took
  FilterClock clock(problem, tiling.data.dwTiling, soc, tiling.split.used_cores);
  clock.set_misses(MissesOf(problem, work, clock, soc));
  FilterEstimate estimate;
  double not_played = 0;
  FilterClock::Busy busy_not_played;
  for (const FilterCoreWork::Tasks& tasks : work.tasks) {
    double before = clock.now();
    FilterClock::Busy busy_before = clock.busy();
    for (double i = 0; i < std::min(tasks.count, kPlayed); ++i) {
      before = clock.now();
      busy_before = clock.busy();
      clock.Play(tasks.size);
    }
    const double rest = std::max(0.0, tasks.count - kPlayed);
    not_played += rest * (clock.now() - before);
    const FilterClock::Busy scaled = Scaled(busy_before, clock.busy(), rest);
    busy_not_played = {.cube = busy_not_played.cube + scaled.cube - clock.busy().cube,
                       .mte1 = busy_not_played.mte1 + scaled.mte1 - clock.busy().mte1,
                       .mte2 = busy_not_played.mte2 + scaled.mte2 - clock.busy().mte2,
                       .fix = busy_not_played.fix + scaled.fix - clock.busy().fix};
  }
  estimate.busy = {.cube = clock.busy().cube + busy_not_played.cube,
                   .mte1 = clock.busy().mte1 + busy_not_played.mte1,
                   .mte2 = clock.busy().mte2 + busy_not_played.mte2,
                   .fix = clock.busy().fix + busy_not_played.fix};
  estimate.zero_fill_cycles = ZeroFillCycles(problem, soc, tiling.split.used_cores);
  estimate.cycles = estimate.zero_fill_cycles + clock.now() + not_played;
  return estimate;
}

}  // namespace tilesim

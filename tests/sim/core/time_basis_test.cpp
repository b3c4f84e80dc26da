#include "sim/core/time_basis.h"

#include <gtest/gtest.h>

namespace tilesim {
namespace {

// 100 cycles at 1 MHz and a launch of 100 us: half of the time each.
struct HalfLaunch {
  SocConfig soc =
      LoadSoc("unit", std::vector<std::string>{"chip.clock_mhz=1", "launch.us=100", "launch.us_per_core=0"});
  LaunchResult result;

  HalfLaunch() {
    soc.provenances.Set("launch.us", Provenance::kDerived);
    soc.provenances.Set("launch.us_per_core", Provenance::kMeasured);
    soc.provenances.Set("launch.start_us", Provenance::kMeasured);
    soc.provenances.Set("cube.mmad_issue_cycles", Provenance::kMeasured);
    soc.provenances.Set("cube.mmad_fractal_cycles", Provenance::kDocumented);
    soc.provenances.Set("fixpipe.floor_cycles", Provenance::kMeasured);
    soc.provenances.Set("fixpipe.bytes_per_cycle", Provenance::kMeasured);
    result.cycles = 100;
    result.time_us = 200;
    result.cores.resize(2);
    result.cores[0].statistics.end_cycle = 100;
    result.cores[1].statistics.end_cycle = 90;
    result.cores[1].statistics.busy_cycles[static_cast<size_t>(Pipe::kV)] = 90;
  }
  int64_t& busy(Pipe pipe) { return result.cores[0].statistics.busy_cycles[static_cast<size_t>(pipe)]; }
};

TEST(TimeBasis, WeighsPipesOfTheBusiestCoreByTheirWeakestFigure) {
  HalfLaunch run;
  run.busy(Pipe::kM) = 60;
  run.busy(Pipe::kFix) = 20;
  const TimeBasis basis = BasisOf(run.soc, run.result);
  EXPECT_NEAR(basis.of(Provenance::kDerived), 0.5, 1e-12);
  EXPECT_NEAR(basis.of(Provenance::kDocumented), 0.5 * 0.75, 1e-12);
  EXPECT_NEAR(basis.of(Provenance::kMeasured), 0.5 * 0.25, 1e-12);
  EXPECT_EQ(basis.Text(), "measured 13 %, documented 38 %, derived 50 %");
}

// How the device's library does what its functions say is not published.
TEST(TimeBasis, CountsStepsOfTheLibraryAsAssumed) {
  HalfLaunch run;
  run.soc.provenances.Set("vector.startup_cycles", Provenance::kMeasured);
  run.busy(Pipe::kV) = 80;
  run.result.cores[0].statistics.instructions[static_cast<size_t>(Pipe::kV)] = 40;
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kMeasured), 0.5, 1e-12);
  run.result.cores[0].statistics.library_instructions = 10;
  const TimeBasis basis = BasisOf(run.soc, run.result);
  EXPECT_NEAR(basis.of(Provenance::kMeasured), 0.375, 1e-12);
  EXPECT_NEAR(basis.of(Provenance::kAssumed), 0.125, 1e-12);
}

TEST(TimeBasis, CountsWhatIsGivenAsSuch) {
  HalfLaunch run;
  run.busy(Pipe::kM) = 60;
  run.soc.provenances.Set("cube.mmad_issue_cycles", Provenance::kGiven);
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kGiven), 0.5, 1e-12);
}

TEST(TimeBasis, LooksAtSharesOfL2OnlyWhereSomethingHit) {
  HalfLaunch run;
  run.busy(Pipe::kMte2) = 10;
  run.soc.provenances.Set("gm.l1_core_bytes_per_cycle", Provenance::kMeasured);
  run.soc.provenances.Set("gm.hbm_total_bytes_per_cycle", Provenance::kMeasured);
  run.soc.provenances.Set("gm.l2_total_bytes_per_cycle", Provenance::kAssumed);
  run.result.cores[0].statistics.l2_miss_bytes = 1;
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kMeasured), 0.5, 1e-12);
  run.result.cores[0].statistics.l2_hit_bytes = 1;
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kAssumed), 0.5, 1e-12);
}

TEST(TimeBasis, CountsWhatL2sSlicesAddAsTheirFigures) {
  HalfLaunch run;
  run.busy(Pipe::kMte2) = 100;
  for (const std::string_view key : {"gm.l1_core_bytes_per_cycle", "gm.l2_total_bytes_per_cycle", "l2.slices",
                                     "l2.slice_bytes", "l2.slice_lines_per_cycle", "l2.lines_ahead"}) {
    run.soc.provenances.Set(key, Provenance::kMeasured);
  }
  run.soc.provenances.Set("l2.lines_ahead", Provenance::kAssumed);
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kAssumed), 0, 1e-12);
  run.result.cores[0].statistics.l2_slice_cycles = 30;
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kAssumed), 0.5 * 0.3, 1e-12);
  EXPECT_NEAR(BasisOf(run.soc, run.result).of(Provenance::kMeasured), 0.5 * 0.7, 1e-12);
}

TEST(TimeBasis, IsEmptyWithoutTime) { EXPECT_EQ(BasisOf(LoadSoc("unit"), {}).Text(), ""); }

}  // namespace
}  // namespace tilesim

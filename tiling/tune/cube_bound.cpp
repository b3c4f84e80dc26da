#include "tiling/tune/cube_bound.h"

#include <algorithm>

#include "sim/isa/cost.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

// Cycles by which a move may undercut its bytes over the rate.
constexpr double kMoveRounding = 1e-3;

// What a byte that L2 gives takes of it at least, whoever read it last.
double LeastL2Load(const SocConfig& soc) {
  return std::min(1.0, soc.l2_total_bytes_per_cycle / soc.l2_same_total_bytes_per_cycle);
}

}  // namespace

CubeCycles& CubeCycles::Add(const CubeCycles& more, double times) {
  m += more.m * times;
  waits += more.waits * times;
  mte1 += more.mte1 * times;
  fix += more.fix * times;
  products += more.products * times;
  blocks += more.blocks * times;
  return *this;
}

CubeBound::CubeBound(const SocConfig& soc, DType dtype, bool hf32) : soc_(soc), dtype_(dtype), hf32_(hf32) {}

double CubeBound::Tail(double last_fix) const {
  const double multiply = Real(isa::MmadCost(soc_, dtype_, hf32_, 1, 1, 1).busy_cycles);
  return Real(soc_.load_latency_cycles) + FlagCycles(soc_) + multiply + Real(soc_.mmad_latency_cycles) +
         FlagCycles(soc_) + std::max(Real(soc_.fixpipe_floor_cycles), last_fix) +
         Real(soc_.gm_write_latency_cycles);
}

double CubeBound::Longest(const CubeCycles& c, const CubeStart& s) const {
  const double arrival = Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_);
  const double to_cube = std::max(arrival + s.tile_a + s.first_a, arrival + s.tile_a + s.tile_b) + s.first_b +
                         Real(soc_.load_latency_cycles) + FlagCycles(soc_);
  const double from_cube = Real(soc_.mmad_latency_cycles) + FlagCycles(soc_);
  const auto write = Real(soc_.gm_write_latency_cycles);
  const double fix = std::max(Real(soc_.fixpipe_floor_cycles), s.last_fix);
  const double to_loads = arrival + s.tile_a + std::max(0.0, s.tile_b - s.first_a);
  return s.begin +
         std::max({to_cube + c.m + c.waits + from_cube + fix + write, to_loads + c.mte1 + Tail(s.last_fix),
                   to_cube + from_cube + c.fix + write, TurnsOfL0(c, s, 2) - s.begin});
}

double CubeBound::Pipes(const CubeCycles& c) const {
  const double to_cube = Real(soc_.load_latency_cycles) + FlagCycles(soc_);
  const double from_cube = Real(soc_.mmad_latency_cycles) + FlagCycles(soc_);
  const auto write = Real(soc_.gm_write_latency_cycles);
  return std::max({to_cube + c.m + from_cube + Real(soc_.fixpipe_floor_cycles) + write, c.mte1 + Tail(),
                   to_cube + from_cube + c.fix + write});
}

double CubeBound::TurnsOfL0(const CubeCycles& c, const CubeStart& s, int64_t copies) const {
  const double hand = Real(soc_.load_latency_cycles + soc_.mmad_latency_cycles) + 2 * FlagCycles(soc_);
  return s.begin + Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_) + s.tile_a +
         std::max(0.0, s.tile_b - s.first_a) + (c.mte1 + c.m + c.products * hand) / Real(copies) +
         std::max(Real(soc_.fixpipe_floor_cycles), s.last_fix) + Real(soc_.gm_write_latency_cycles) -
         FlagCycles(soc_);
}

double CubeBound::TurnsOfL0c(const CubeCycles& c, const CubeStart& s, int64_t copies) const {
  const double hand = Real(soc_.mmad_latency_cycles + soc_.gm_write_latency_cycles) + 2 * FlagCycles(soc_);
  return s.begin + Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_) + s.tile_a +
         (c.m + c.waits + c.fix + c.blocks * hand) / Real(copies) - 2 * FlagCycles(soc_);
}

double CubeBound::TurnsOfL1(const CubeCycles& c, const CubeStart& s, double loads, double move_cycles,
                            double other_load, int64_t copies) const {
  const auto load = Real(soc_.load_latency_cycles);
  const double hand = Real(soc_.gm_read_latency_cycles) + load + 2 * FlagCycles(soc_);
  return s.begin + (loads * (hand - other_load) + move_cycles + c.mte1) / Real(copies) + Tail(s.last_fix) -
         load - other_load;
}

double CubeBound::Moves(const CubeStart& s, double move_cycles) const {
  return s.begin + move_cycles + Real(soc_.gm_read_latency_cycles) + FlagCycles(soc_) + Tail(s.last_fix);
}

double CubeBound::ReadCycles(int64_t bytes, int64_t bursts) const {
  return Real(
      isa::GmReadCost(soc_, Memory::kL1, {.bytes = {.hit = bytes, .miss = 0}, .bursts = bursts}).busy_cycles);
}

double CubeBound::ReadCycles(double bytes, double moves) const {
  return bytes / std::min(soc_.gm_l1_core_bytes_per_cycle, soc_.l2_total_bytes_per_cycle) -
         moves * kMoveRounding;
}

double SharedTraffic::Cycles(const SocConfig& soc) const {
  constexpr double kRoundedShare = 1 - 1e-5;  // of these cycles, what rounding of the moves leaves at least
  const double l2 = soc.l2_total_bytes_per_cycle;
  const double hbm = soc.hbm_total_bytes_per_cycle;
  // Bytes that are fetched take nothing of L2: as many are as make L2 and HBM end together.
  const double found = std::max(0.0, read_bytes - least_fetched);
  const double updates = update_bytes * l2 / soc.l2_atomic_total_bytes_per_cycle;
  const double weight = LeastL2Load(soc);
  const double even = ((weight * found + updates) * hbm - least_fetched * l2) / (l2 + weight * hbm);
  const double more = std::clamp(even, 0.0, std::max(0.0, std::min(found, most_fetched - least_fetched)));
  const double fetched = least_fetched + more;
  const double load = weight * (found - more) + updates;
  return std::max(fetched / hbm, load / l2) * kRoundedShare - kSlotSlack;
}

double CoresMoveCycles(const SocConfig& soc, int64_t cores, double read_bytes, double least_fetched,
                       double moves) {
  const double port = std::min(soc.gm_l1_core_bytes_per_cycle, soc.l2_total_bytes_per_cycle);
  const double hbm = std::min({port, soc.hbm_core_bytes_per_cycle, soc.hbm_total_bytes_per_cycle});
  const double found = std::max(0.0, read_bytes - least_fetched);
  return (found / port + least_fetched / hbm - moves * kMoveRounding) / static_cast<double>(cores);
}

double CoresFetchCycles(const SocConfig& soc, int64_t cores, double least_fetched) {
  // no move takes less than a cycle
  return CoresMoveCycles(soc, cores, least_fetched, least_fetched, 0) * (1 - kMoveRounding);
}

double ZeroFillCycles(double dw_bytes, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto all = static_cast<int64_t>(dw_bytes);
  const int64_t slice = std::min(all, CeilDiv(all, cores * kGrainBytes) * kGrainBytes);  // of the first core
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const Cost write = isa::GmWriteCost(soc, {.bytes = {.hit = slice, .miss = 0}});
  return Real(fill.busy_cycles + fill.latency_cycles) + CubeBound::FlagCycles(soc) +
         std::max(Real(write.busy_cycles + write.latency_cycles),
                  dw_bytes / soc.l2_total_bytes_per_cycle - kSlotSlack) +
         Real(soc.cross_core_cycles);
}

}  // namespace tilesim

// The bounds of a filter gradient's tilings with everything known.
#include <algorithm>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "tiling/rough_time.h"
#include "tiling/tune/filter_bound.h"
#include "tiling/tune/filter_rows.h"

namespace tilesim {

FilterBound::Steps::Steps(const FilterBound& bound, const Core& core, const FilterCoreTasks& all,
                          int64_t blocks_k)
    : bound_(bound), core_(core), kinds_(KindsOf(*core.tasks, blocks_k)), all_(KindsOf(all, blocks_k)) {}

std::vector<FilterBound::Steps::Kind> FilterBound::Steps::KindsOf(const FilterCoreTasks& all,
                                                                  int64_t blocks_k) const {
  const FilterProblem& p = bound_.p_;
  const CubeSize& block = core_.block;
  std::vector<Kind> kinds;
  for (const FilterSameTasks& tasks : all) {
    Kind kind{.m = tasks.size.m,
              .n = tasks.size.lines * p.hk * p.wk * bound_.e_.c0,
              .k = tasks.size.rows * p.wo,
              .count = tasks.count,
              .blocks_m = CeilDiv(tasks.size.m, block.m),
              .blocks_n = 0,
              .blocks_k = 0,
              .rows = {0},
              .first_rows = {0}};
    kind.blocks_n = CeilDiv(kind.n, block.n);
    kind.blocks_k = CeilDiv(kind.k, block.k);
    for (int64_t step = 1; step <= blocks_k; ++step) {
      double rows = 0;
      for (int64_t at = 0; at < kind.k; at += step * block.k) {
        const int64_t last = std::min(at + step * block.k, kind.k) - 1;
        const FilterRowSpan span = RowsBehind(p, tasks.first_row + at / p.wo, tasks.first_row + last / p.wo);
        rows += Real(span.count());
        if (at == 0) {
          kind.first_rows.push_back(rows);
        }
      }
      kind.rows.push_back(rows);
    }
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

FilterBound::Steps::Moves FilterBound::Steps::MovesOfA(const std::vector<Kind>& kinds,
                                                       const CubeChoice& choice) const {
  Moves all;
  for (const Kind& kind : kinds) {
    const double steps_k = Real(CeilDiv(kind.blocks_k, choice.step_ka));
    const double steps_m = Real(CeilDiv(kind.blocks_m, choice.step_m));
    const double steps_n = Real(CeilDiv(kind.blocks_n, choice.step_n));
    const bool keeps = kind.blocks_k <= choice.step_ka * choice.l1_copies_a;
    const double times = !keeps                                     ? Real(kind.blocks_n)
                         : choice.iterate_order == 1 && steps_m > 1 ? steps_n
                                                                    : 1;
    all.loads += Real(kind.count) * (keeps ? steps_m : Real(kind.blocks_m)) * times * steps_k;
    all.bytes += Real(kind.count) * times * Real(kind.m / bound_.e_.c0) * Real(kind.k * kDataBlockBytes);
  }
  return all;
}

// Lines that steps of `columns` touch, all together.
double FilterBound::Steps::LinesOf(const Kind& kind, int64_t columns) const {
  const int64_t line = bound_.p_.hk * bound_.p_.wk * bound_.e_.c0;
  double lines = 0;
  for (int64_t at = 0; at < kind.n; at += columns) {
    lines += Real((std::min(at + columns, kind.n) - 1) / line - at / line + 1);
  }
  return lines;
}

FilterBound::Steps::Moves FilterBound::Steps::MovesOfB(const std::vector<Kind>& kinds,
                                                       const CubeChoice& choice) const {
  Moves all;
  for (const Kind& kind : kinds) {
    const double steps_k = Real(CeilDiv(kind.blocks_k, choice.step_kb));
    const double steps_m = Real(CeilDiv(kind.blocks_m, choice.step_m));
    const double steps_n = Real(CeilDiv(kind.blocks_n, choice.step_n));
    const bool keeps = kind.blocks_k <= choice.step_kb * choice.l1_copies_b;
    const double times = !keeps                                     ? Real(kind.blocks_m)
                         : choice.iterate_order == 0 && steps_n > 1 ? steps_m
                                                                    : 1;
    const double lines = LinesOf(kind, (keeps ? choice.step_n : 1) * choice.base_n);
    all.loads += Real(kind.count) * (keeps ? steps_n : Real(kind.blocks_n)) * times * steps_k;
    all.bytes += Real(kind.count) * times * lines * kind.rows[static_cast<size_t>(choice.step_kb)] *
                 Real(bound_.p_.wi * kDataBlockBytes);
  }
  return all;
}

double FilterBound::Steps::AllCycles(const CubeChoice& choice) const {
  const Moves all_a = MovesOfA(all_, choice);
  const Moves all_b = MovesOfB(all_, choice);
  SharedTraffic traffic = bound_.Reads(all_b.bytes, all_a.bytes);
  traffic.update_bytes = bound_.update_bytes_ * Real(CeilDiv(bound_.p_.ho, core_.part_rows));
  const double moves = CoresMoveCycles(bound_.soc_, core_.cores, traffic.read_bytes, traffic.least_fetched,
                                       all_a.loads + all_b.loads);
  return std::max(moves, traffic.Cycles(bound_.soc_));
}

FilterBound::Steps::Walk FilterBound::Steps::WalkOf(const CubeChoice& choice, double cutoff) const {
  const CubeBound& cube = bound_.cube_;
  const Moves moves_a = MovesOfA(kinds_, choice);
  const Moves moves_b = MovesOfB(kinds_, choice);
  const double busy_a = cube.ReadCycles(moves_a.bytes, moves_a.loads);
  const double busy_b = cube.ReadCycles(moves_b.bytes, moves_b.loads);

  const Kind& first = kinds_.front();
  const int64_t planes = std::min(choice.step_m * choice.base_m, first.m) / bound_.e_.c0;
  const int64_t pixels = std::min(choice.step_ka * choice.base_k, first.k);
  const int64_t line = bound_.p_.hk * bound_.p_.wk * bound_.e_.c0;
  const int64_t lines = (std::min(choice.step_n * choice.base_n, first.n) - 1) / line + 1;
  const auto rows = static_cast<int64_t>(first.first_rows[static_cast<size_t>(choice.step_kb)]);
  const CubeStart start = {.begin = bound_.StartCycles(core_.cores),
                           .tile_a = cube.ReadCycles(planes * pixels * kDataBlockBytes,
                                                     pixels == bound_.p_.ho * bound_.p_.wo ? 1 : planes),
                           .tile_b = cube.ReadCycles(lines * rows * bound_.p_.wi * kDataBlockBytes,
                                                     rows == bound_.p_.hi ? 1 : lines),
                           .first_a = core_.load.first_a,
                           .first_b = core_.load.first_b};
  const CubeCycles& c = core_.cycles;
  Walk walk = {
      .start = start,
      .cycles = std::max(
          {bound_.Longest(core_, start), cube.Moves(start, busy_a + busy_b),
           cube.TurnsOfL1(c, start, moves_a.loads, busy_a, core_.load.longest_b, choice.l1_copies_a),
           cube.TurnsOfL1(c, start, moves_b.loads, busy_b, core_.load.longest_a, choice.l1_copies_b)})};
  if (walk.cycles < cutoff) {
    const double around = start.begin + Real(bound_.soc_.gm_write_latency_cycles);
    walk.cycles = std::max(walk.cycles, around + AllCycles(choice));
  }
  return walk;
}

double FilterBound::Steps::Cycles(const Walk& walk, const CubeChoice& choice) const {
  const CubeBound& cube = bound_.cube_;
  return std::max({walk.cycles, cube.TurnsOfL0(core_.cycles, walk.start, choice.l0_copies),
                   cube.TurnsOfL0c(core_.cycles, walk.start, choice.l0c_copies)});
}

}  // namespace tilesim

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/units.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_spaces.h"

namespace tilesim {
namespace {

struct Moves {
  double loads = 0, bytes = 0;
};

}  // namespace

InputSpace::InputSpace(const InputProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
    : p_(problem),
      soc_(soc),
      e_(ExtentsOf(problem)),
      cores_(cores),
      hbm_bytes_(Real(least_reads)),
      dealing_(problem, cores),
      cube_(soc, problem.dtype, problem.hf32),
      taps_before_(1),
      deals_(static_cast<size_t>(dealing_.parts())) {
  const InputTileCycles whole(p_, soc_, {.rows = p_.hi, .lines = 1, .dins = 1}, kFractalEdge);
  row_taps_ = std::numeric_limits<double>::infinity();
  for (int64_t row = 0; row < p_.hi; ++row) {
    const double taps = whole.TapsOfPixels({.rows = 1, .first_row = row});
    taps_before_.push_back(taps_before_.back() + taps);
    row_taps_ = std::min(row_taps_, taps);
  }
}

TileSpace::Opened InputSpace::Open(int level, const TilePath& node, double cutoff_us) {
  return level == 0   ? OpenRoot(cutoff_us)
         : level == 1 ? OpenPart(node, cutoff_us)
                      : OpenBase(node, cutoff_us);
}

TileSpace::Opened InputSpace::OpenRoot(double cutoff_us) const {
  const double products = ProductCycles();
  Opened opened;
  for (int64_t i = 0; i < dealing_.parts(); ++i) {
    const InputPart part = dealing_.PartOf(i);
    const int64_t tasks = InputTaskList(dealing_.SpaceOf(part), InputStrategy::kBasicBlock).size();
    double bound = cube_.TimeUs(1e18, 1);
    for (int64_t cores = std::min(tasks, cores_); cores >= 1; --cores) {
      double us = cube_.TimeUs(products / Real(cores), cores);
      if (us < std::min(bound, cutoff_us)) {
        const double fractals = Real(dealing_.LeastProducts(part, cores)) * FractalsOfRow();
        us = std::max(us, LeastUs(fractals, cores));
      }
      bound = std::min(bound, us);
    }
    if (bound < cutoff_us) {
      opened.nodes.push_back({bound, {static_cast<uint64_t>(i)}});
    }
  }
  return opened;
}

TileSpace::Opened InputSpace::OpenPart(const TilePath& node, double cutoff_us) {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
  const std::vector<CubeSize> bases = BlocksOf(p_, soc_, part);
  const std::vector<InputDeal> all = dealing_.DealsOf(part);
  const double products = ProductCycles();
  std::map<uint64_t, Deal>& deals = deals_[node[0]];
  for (uint64_t i = 0; i < all.size(); ++i) {
    const InputDeal& deal = all[i];
    if (cube_.TimeUs(products / Real(deal.used_cores), deal.used_cores) >= cutoff_us) {
      continue;
    }
    const size_t busiest = dealing_.BusiestCore(part, deal);
    std::vector<InputSamePlanes> kinds = dealing_.KindsOf(part, deal, busiest);
    if (LeastUs(FractalsOf(kinds), deal.used_cores) < cutoff_us) {
      deals.emplace(i, Deal{deal, busiest, std::move(kinds)});
    }
  }
  Opened opened;
  int64_t made_m = 0;
  std::vector<InputTileCycles> tile;  // of the baseM in hand
  for (uint64_t base = 0; base < bases.size(); ++base) {
    struct Each {
      InputSamePlanes kind;
      CubeCycles work;  // of one plane and tap
      InputTileCycles::Zeros zeros;
    };
    std::vector<Each> each;
    for (const auto& [i, deal] : deals) {
      if (bases[base].m != made_m) {
        made_m = bases[base].m;
        tile.clear();
        tile.emplace_back(p_, soc_, part, made_m);
      }
      CubeCycles work, zeros;
      for (const InputSamePlanes& kind : deal.kinds) {
        auto same = std::ranges::find_if(each, [&](const auto& known) {
          return known.kind.rows == kind.rows && known.kind.lines == kind.lines &&
                 known.kind.outs == kind.outs && known.kind.first_row == kind.first_row;
        });
        if (same == each.end()) {
          each.push_back(
              {kind, tile.front().LeastOf(kind, bases[base].n), tile.front().ZerosOf(kind, bases[base].n)});
          same = each.end() - 1;
        }
        zeros.Add(InputTileCycles::AllOf(same->zeros, kind), 1);
        CubeCycles planes = same->work;
        planes.fix *= Real(kind.planes);
        planes.blocks *= Real(kind.planes);
        planes.m *= Real(kind.taps);
        planes.mte1 *= Real(kind.taps);
        planes.products *= Real(kind.taps);
        work.Add(planes, 1);
      }
      const double bound = LongestUs(work, zeros, {}, deal.deal.used_cores);
      if (bound < cutoff_us) {
        opened.nodes.push_back({bound, {node[0], i, base}});
      }
    }
  }
  return opened;
}

TileSpace::Opened InputSpace::OpenBase(const TilePath& node, double cutoff_us) const {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
  const CubeSize base = BlocksOf(p_, soc_, part)[node[2]];
  const Deal& deal = deals_[node[0]].at(node[1]);
  const InputTileCycles cycles(p_, soc_, part, base.m);
  const std::vector<InputSamePlanes>& kinds = deal.kinds;
  std::vector<Moved> moved;
  CubeCycles zeros;
  for (const InputSamePlanes& kind : kinds) {
    zeros.Add(InputTileCycles::AllOf(cycles.ZerosOf(kind, base.n), kind), 1);
    moved.push_back({kind, cycles.RowsOf(kind), CeilDiv(kind.lines * e_.c0, base.n)});
  }
  const InputTileCycles::FirstRows first = cycles.FirstRowsOf(kinds.front());
  struct Known {
    InputTile tile;
    CubeCycles work;
    InputTileCycles::Load load;
  };
  std::vector<Known> known;
  Opened opened;
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const auto look_at = [&](const CubeChoice& choice) {
    ++opened.tilings;
    const int64_t lines_a = choice.step_ka * choice.base_k / line;
    const int64_t lines_b = choice.step_kb * choice.base_k / line;
    const InputTile tile{.base_m = base.m,
                         .base_n = base.n,
                         .base_k = choice.base_k,
                         .step_lines = std::min(lines_a, lines_b)};
    if (known.empty() || known.back().tile.base_k != tile.base_k ||
        known.back().tile.step_lines != tile.step_lines) {
      Known now{tile, {}, cycles.LoadOf(kinds.front(), tile)};
      for (const InputSamePlanes& kind : kinds) {
        now.work.Add(cycles.Of(kind, tile), 1);
        const InputTileCycles::Load more = cycles.LoadOf(kind, tile);
        now.load.longest_a = std::max(now.load.longest_a, more.longest_a);
        now.load.longest_b = std::max(now.load.longest_b, more.longest_b);
      }
      known.push_back(now);
    }
    const Known& of = known.back();
    CubeStart start{.first_a = of.load.first_a, .first_b = of.load.first_b};
    if (first.pixels > 0 && kinds.front().planes > 0) {
      const int64_t outs = kinds.front().outs;
      const int64_t lines = std::min(kinds.front().lines, base.n / e_.c0);
      start.tile_a = cube_.ReadCycles(Real(std::min(outs, lines_a) * first.pixels * kDataBlockBytes), 1.0);
      start.tile_b =
          cube_.ReadCycles(Real(std::min(outs, lines_b) * lines * first.taps * e_.c0 * kDataBlockBytes), 1.0);
    } else {
      start = {};
    }
    const double us = ChoiceUs(of.work, zeros, start, of.load, moved, choice, deal.deal.used_cores);
    if (us < cutoff_us) {
      opened.nodes.push_back({us, {node[0], node[1], node[2], CodeOf(choice)}});
    }
  };
  for (const CubeSteps& steps : StepsOf(p_, soc_, part, base)) {
    steps.ForEach(soc_, look_at);
  }
  return opened;
}

int64_t InputSpace::Count(const TilePath& node) const {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
  int64_t choices = 0;
  for (const CubeSize& base : BlocksOf(p_, soc_, part)) {
    for (const CubeSteps& steps : StepsOf(p_, soc_, part, base)) {
      choices += steps.Count(soc_);
    }
  }
  return choices * static_cast<int64_t>(dealing_.DealsOf(part).size());
}

InputTiling InputSpace::TilingOf(const TilePath& path) const {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(path[0]));
  const InputDeal deal = dealing_.DealsOf(part)[path[1]];
  const CubeSize base = BlocksOf(p_, soc_, part)[path[2]];
  const CubeChoice choice = ChoiceOf(path[3], base);
  const InputCut cut{
      .strategy = deal.strategy, .rows = part.rows, .lines = part.lines, .cores = deal.used_cores};
  InputTiling tiling = tilesim::TilingOf(p_, cut, choice);
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  t.singleCoreDin = static_cast<uint32_t>(part.dins);
  tiling.split = DealOut(p_, t, deal.used_cores);
  tiling.split.strategy = deal.strategy;
  return tiling;
}

size_t InputSpace::BusiestCoreOf(const TilePath& path) const {
  const std::map<uint64_t, Deal>& deals = deals_[path[0]];
  if (const auto deal = deals.find(path[1]); deal != deals.end()) {
    return deal->second.busiest;
  }
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(path[0]));
  return dealing_.BusiestCore(part, dealing_.DealsOf(part)[path[1]]);
}

// Each pixel of dx that something reaches takes its taps, in fractals that are full.
double InputSpace::ProductCycles() const {
  const InputTileCycles whole(p_, soc_, {.rows = p_.hi, .lines = 1, .dins = 1}, kFractalEdge);
  const InputSamePlanes plane{.rows = p_.hi, .lines = 1, .outs = 1, .planes = 1, .taps = 1};
  const double taps = whole.TapsOfPixels(plane);
  const double outs = e_.real_groups == 1 ? Real(e_.cout1_g) : 1;
  const double lines = e_.real_groups == 1 ? Real(e_.cin1_g) : 1;
  return Real(dealing_.active_pairs()) * taps / 16 * outs * (lines * Real(e_.c0) / 16) *
         FractalCycles(soc_, p_.dtype, p_.hf32);
}

double InputSpace::FractalsOfRow() const { return row_taps_ / kFractalEdge * Real(e_.c0) / kFractalEdge; }

double InputSpace::FractalsOf(const std::vector<InputSamePlanes>& kinds) const {
  double sum = 0;
  for (const InputSamePlanes& kind : kinds) {
    const double pixels = taps_before_[static_cast<size_t>(kind.first_row + kind.rows)] -
                          taps_before_[static_cast<size_t>(kind.first_row)];
    sum += pixels * Real(kind.lines * kind.outs * kind.taps);
  }
  return sum / kFractalEdge * Real(e_.c0) / kFractalEdge;
}

double InputSpace::LeastUs(double fractals, int64_t cores) const {
  const auto ways =
      Real(soc_.gm_read_latency_cycles + soc_.fixpipe_floor_cycles + soc_.gm_write_latency_cycles);
  return cube_.TimeUs(fractals == 0 ? 0 : ways + fractals * FractalCycles(soc_, p_.dtype, p_.hf32), cores);
}

double InputSpace::LongestUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                             int64_t cores) const {
  CubeCycles all = work;
  all.Add(zeros, 1);
  const double pipes = all.products == 0 ? 0 : cube_.Pipes(all);
  if (work.products == 0) {
    return cube_.TimeUs(pipes, cores);
  }
  const double fetch = std::max(hbm_bytes_ / soc_.hbm_total_bytes_per_cycle - kSlotSlack,
                                CoresFetchCycles(soc_, cores, hbm_bytes_));
  return cube_.TimeUs(std::max({pipes, cube_.Longest(work, start), fetch + cube_.Tail()}), cores);
}

double InputSpace::ChoiceUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                            const InputTileCycles::Load& load, const std::vector<Moved>& moved,
                            const CubeChoice& choice, int64_t cores) const {
  Moves a, b;
  const int64_t line = p_.hk * p_.wk * e_.c0;
  for (const Moved& kind : moved) {
    const double outs = Real(kind.planes.outs);
    const double tiles_a = Real(CeilDiv(kind.planes.outs, choice.step_ka * choice.base_k / line));
    const double tiles_b = Real(CeilDiv(kind.planes.outs, choice.step_kb * choice.base_k / line));
    const double taps = Real(kind.planes.taps);
    const double planes = Real(kind.planes.planes);
    const double every = taps == planes * Real(p_.dk) ? Real(p_.dk) : 1;  // taps of a plane, at least
    const double n = Real(kind.blocks_n);
    const double b_bytes = outs * Real(kind.planes.lines * e_.c0 * kDataBlockBytes);
    if (every * tiles_a > Real(choice.l1_copies_a)) {  // brought for every block
      a.loads += kind.rows.blocks * n * taps * tiles_a;
      a.bytes += kind.rows.bytes * n * taps * outs;
    } else {
      const double times =
          choice.iterate_order == 1 && kind.rows.spans * tiles_a > Real(choice.l1_copies_a) ? n : 1;
      const double fresh = Real(kind.planes.fresh) / Real(p_.stride_d);
      a.loads += kind.rows.spans * tiles_a * fresh * times;
      a.bytes += kind.rows.span_bytes * outs * fresh * times;
    }
    if (every * tiles_b > Real(choice.l1_copies_b)) {
      b.loads += kind.rows.blocks * n * taps * tiles_b;
      b.bytes += kind.rows.taps_of_blocks * taps * b_bytes;
    } else if (choice.iterate_order == 0 && n * tiles_b > Real(choice.l1_copies_b)) {
      b.loads += kind.rows.blocks * n * planes * tiles_b;
      b.bytes += kind.rows.taps_of_blocks * planes * b_bytes;
    }
  }
  const double busy_a = cube_.ReadCycles(a.bytes, a.loads);
  const double busy_b = cube_.ReadCycles(b.bytes, b.loads);
  double cycles =
      std::max({cube_.Moves(start, busy_a + busy_b), cube_.TurnsOfL0(work, start, choice.l0_copies),
                cube_.TurnsOfL0c(work, start, choice.l0c_copies)});
  const double hand = Real(soc_.gm_read_latency_cycles + soc_.load_latency_cycles);
  if (load.longest_b < hand) {
    cycles =
        std::max(cycles, cube_.TurnsOfL1(work, start, a.loads, busy_a, load.longest_b, choice.l1_copies_a));
  }
  if (load.longest_a < hand) {
    cycles =
        std::max(cycles, cube_.TurnsOfL1(work, start, b.loads, busy_b, load.longest_a, choice.l1_copies_b));
  }
  const double longest_us = LongestUs(work, zeros, start, cores);
  return work.products == 0 ? longest_us : std::max(cube_.TimeUs(cycles, cores), longest_us);
}

}  // namespace tilesim

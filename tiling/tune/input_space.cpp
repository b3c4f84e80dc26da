#include "tiling/tune/input_space.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/units.h"
#include "tiling/rough_time.h"

namespace tilesim {
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
    const InputTaskSpace space = dealing_.SpaceOf(part);
    const int64_t tasks =
        space.groups * space.batch * space.row_parts() * space.din_parts() * space.line_parts();
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
    const InputDealing::Busiest busiest = dealing_.BusiestCore(deal, dealing_.OrderedBy(part, deal.strategy));
    if (LeastUs(Real(busiest.products) * FractalsOfRow(), deal.used_cores) >= cutoff_us) {
      continue;
    }
    std::vector<InputSamePlanes> kinds = dealing_.KindsOf(part, deal, busiest.core);
    const double fractals = FractalsOf(kinds);
    if (LeastUs(fractals, deal.used_cores) < cutoff_us) {
      deals.emplace(i, Deal{deal, busiest.core, std::move(kinds), fractals});
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
      steps.ForEach(soc_, [&](const CubeChoice&) { ++choices; });
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
  const InputDeal deal = dealing_.DealsOf(part)[path[1]];
  return dealing_.BusiestCore(deal, dealing_.OrderedBy(part, deal.strategy)).core;
}

}  // namespace tilesim

#include <algorithm>
#include <optional>
#include <utility>

#include "tiling/core_memory.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_spaces.h"
#include "tiling/tune/cube_steps.h"

namespace tilesim {

FilterSpace::FilterSpace(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
    : p_(problem),
      soc_(soc),
      cores_(cores),
      dealing_(problem, cores),
      bound_(p_, soc, dealing_),
      parts_(static_cast<size_t>(dealing_.parts())) {}

TileSpace::Opened FilterSpace::Open(int level, const TilePath& node, double cutoff_us) {
  return level == 0   ? OpenRoot(cutoff_us)
         : level == 1 ? OpenPart(node, cutoff_us)
                      : OpenBlock(node, cutoff_us);
}

TileSpace::Opened FilterSpace::OpenRoot(double cutoff_us) const {
  std::vector<double> by_rows;
  for (int64_t rows = 1; rows <= p_.ho; ++rows) {
    by_rows.push_back(bound_.PartUs(rows, cores_));
  }
  Opened opened;
  for (int64_t part = 0; part < dealing_.parts(); ++part) {
    const double bound = by_rows[static_cast<size_t>(dealing_.PartOf(part).rows - 1)];
    if (bound < cutoff_us) {
      opened.nodes.push_back({bound, {static_cast<uint64_t>(part)}});
    }
  }
  return opened;
}

TileSpace::Opened FilterSpace::OpenPart(const TilePath& node, double cutoff_us) {
  const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(node[0]));
  FilterBlockCycles cycles(p_, soc_);
  Part& part = parts_[node[0]];
  part.blocks = BlocksOf(p_, soc_, size);
  part.all = dealing_.AllTasks(size);
  part.reads = bound_.ReadCycles(part.all);
  const std::vector<FilterSplit> splits = dealing_.SplitsInto(size);
  std::vector<FilterTaskSize> sizes;  // of all kinds met, with what each block costs them
  std::vector<std::vector<CubeCycles>> costs;
  const auto costs_of = [&](const FilterTaskSize& of) -> const std::vector<CubeCycles>& {
    const auto same = std::ranges::find(sizes, of);
    if (same != sizes.end()) {
      return costs[static_cast<size_t>(same - sizes.begin())];
    }
    sizes.push_back(of);
    std::vector<CubeCycles>& made = costs.emplace_back();
    for (const CubeSize& block : part.blocks) {
      made.push_back(cycles.Of(of, block));
    }
    return made;
  };
  const double cube = bound_.ProductCycles(size.rows);
  Opened opened;
  for (uint64_t deal = 0; deal < splits.size(); ++deal) {
    const FilterSplit& split = splits[deal];
    const double even =
        bound_.StartCycles(split.used_cores) + std::max(cube / Real(split.used_cores), part.reads);
    if (bound_.TimeUs(even, split.used_cores) >= cutoff_us) {
      continue;
    }
    const FilterDealing::Busiest busiest = dealing_.BusiestCore({.split = split, .part = size});
    const FilterCoreTasks& tasks = busiest.tasks;
    if (tasks.empty()) {
      continue;
    }
    std::vector<CubeCycles> sums(part.blocks.size());
    for (const FilterSameTasks& same : tasks) {
      const std::vector<CubeCycles>& each = costs_of(same.size);
      for (size_t block = 0; block < sums.size(); ++block) {
        sums[block].Add(each[block], Real(same.count));
      }
    }
    bool any = false;
    for (uint64_t block = 0; block < sums.size(); ++block) {
      const FilterBound::Core core{.tasks = &tasks,
                                   .cores = split.used_cores,
                                   .block = part.blocks[block],
                                   .cycles = sums[block],
                                   .load = {},
                                   .part_rows = size.rows,
                                   .all_reads = part.reads};
      const double bound = bound_.BlockUs(core);
      if (bound < cutoff_us) {
        any = true;
        opened.nodes.push_back({bound, {node[0], deal, block}});
      }
    }
    if (any) {
      part.deals.emplace(deal, Deal{split, busiest.core, tasks});
    }
  }
  return opened;
}

TileSpace::Opened FilterSpace::OpenBlock(const TilePath& node, double cutoff_us) const {
  const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(node[0]));
  const Part& part = parts_[node[0]];
  const Deal& deal = part.deals.at(node[1]);
  const CubeSize& block = part.blocks[node[2]];
  FilterBlockCycles cycles(p_, soc_);
  FilterBound::Core core{.tasks = &deal.tasks,
                         .cores = deal.split.used_cores,
                         .block = block,
                         .cycles = {},
                         .load = cycles.LoadOf(deal.tasks.front().size, block),
                         .part_rows = size.rows,
                         .all_reads = part.reads};
  const FilterBlockCycles::Load whole = cycles.LoadOf(size, block);
  core.load.longest_a = whole.longest_a;
  core.load.longest_b = whole.longest_b;
  for (const FilterSameTasks& same : deal.tasks) {
    core.cycles.Add(cycles.Of(same.size, block), Real(same.count));
  }
  const CubeSteps steps = StepsOf(p_, soc_, size, block);
  FilterBound::Steps bound(bound_, core, part.all, steps.blocks_k);
  const double cutoff_cycles = (cutoff_us - bound_.TimeUs(0, core.cores)) * soc_.clock_mhz;
  std::optional<std::pair<CubeChoice, FilterBound::Steps::Walk>> last;
  Opened opened;
  steps.ForEach(soc_, [&](const CubeChoice& choice) {
    ++opened.tilings;
    if (!last || !choice.MovesAs(last->first)) {
      last = {choice, bound.WalkOf(choice, cutoff_cycles)};
    }
    const FilterBound::Steps::Walk& walk = last->second;
    const double least = walk.cycles < cutoff_cycles ? bound.Cycles(walk, choice) : walk.cycles;
    if (least < cutoff_cycles) {
      opened.nodes.push_back({bound_.TimeUs(least, core.cores), {node[0], node[1], node[2], CodeOf(choice)}});
    }
  });
  return opened;
}

int64_t FilterSpace::Count(const TilePath& node) const {
  const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(node[0]));
  int64_t choices = 0;
  for (const CubeSize& block : BlocksOf(p_, soc_, size)) {
    choices += StepsOf(p_, soc_, size, block).Count(soc_);
  }
  return choices * static_cast<int64_t>(dealing_.SplitsInto(size).size());
}

FilterTiling FilterSpace::TilingOf(const TilePath& path) const {
  const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(path[0]));
  const CubeSize block = BlocksOf(p_, soc_, size)[path[2]];
  const FilterCut cut{.split = dealing_.SplitsInto(size)[path[1]], .part = size};
  return tilesim::TilingOf(p_, CoreMemoryOf(soc_), cut, ChoiceOf(path[3], block));
}

size_t FilterSpace::BusiestCoreOf(const TilePath& path) const {
  const Part& part = parts_[path[0]];
  if (const auto deal = part.deals.find(path[1]); deal != part.deals.end()) {
    return deal->second.core;
  }
  const FilterTaskSize size = dealing_.PartOf(static_cast<int64_t>(path[0]));
  return dealing_.BusiestCore({.split = dealing_.SplitsInto(size)[path[1]], .part = size}).core;
}

}  // namespace tilesim

#include "tiling/tune/matmul_space.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kMostDealt = 1 << 12;  // tasks, in all orders

// What a part of a dimension may be: whole fractals, or all there is.
std::vector<int64_t> PartsOf(int64_t whole) {
  std::vector<int64_t> parts = {whole};
  for (int64_t part = (whole - 1) / kFractalEdge * kFractalEdge; part >= kFractalEdge; part -= kFractalEdge) {
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

MatmulSpace::MatmulSpace(const MatmulShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
    : p_(shape),
      soc_(soc),
      cores_(cores),
      hbm_bytes_(Real(least_reads)),
      element_bytes_(static_cast<int64_t>(SizeOf(shape.dtype))),
      cube_(soc, shape.dtype, shape.hf32),
      pieces_(shape, soc),
      dealing_(shape) {
  const std::vector<int64_t> ks =
      shape.out == DType::kFp32 ? PartsOf(shape.k) : std::vector<int64_t>{shape.k};
  for (const int64_t m : PartsOf(shape.m)) {
    for (const int64_t n : PartsOf(shape.n)) {
      for (const int64_t k : ks) {
        parts_.push_back({m, n, k});
      }
    }
  }
  dealt_.resize(parts_.size());
}

TileSpace::Opened MatmulSpace::Open(int level, const TilePath& node, double cutoff_us) {
  return level == 0   ? OpenRoot(cutoff_us)
         : level == 1 ? OpenPart(node, cutoff_us)
         : level == 2 ? OpenBlock(node, cutoff_us)
                      : OpenVariants(node, cutoff_us);
}

TileSpace::Opened MatmulSpace::OpenRoot(double cutoff_us) const {
  Opened opened;
  for (uint64_t i = 0; i < parts_.size(); ++i) {
    const CubeSize& part = parts_[i];
    const Cost product = isa::MmadCost(soc_, p_.dtype, p_.hf32, part.m, part.n, part.k);
    const CubeSize last = LeastTaskOf(part);
    const double least_product =
        Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, last.m, last.n, last.k).busy_cycles);
    const double full_moves = TaskMoves(part);
    const double least_moves = SameRows(part) ? TaskMoves(last) : 0;
    double least = cube_.TimeUs(1e18, 1);
    for (int64_t cores = std::min(cores_, dealing_.TasksOf(part)); cores >= 1; --cores) {
      if (cube_.TimeUs(ProductCycles() / Real(cores), cores) >= std::min(cutoff_us, least)) {
        continue;
      }
      const double full = FullTasksOfBusiest(part, cores);
      const double rounds = Real(CeilDiv(dealing_.TasksOf(part), cores));
      CubeCycles work;
      work.m = std::max(full * Real(product.busy_cycles), rounds * least_product);
      const double moves = std::max(full * full_moves, rounds * least_moves);
      least = std::min(least, std::max(MovesUs(part, moves, cores),
                                       LongestUs(part, work, {.begin = BeginOf(part, cores)}, cores)));
    }
    if (least < cutoff_us) {
      opened.nodes.push_back({least, {i}});
    }
  }
  return opened;
}

MatmulSpace::Deal MatmulSpace::MakeDeal(const std::vector<MatmulDealt>& dealt) const {
  Deal deal;
  for (const auto& [size, count] : dealt) {
    deal.tasks.push_back({.size = size,
                          .count = count,
                          .a = BringOf(MatmulPieces::kA, size.m, size.k),
                          .b = BringOf(MatmulPieces::kB, size.n, size.k)});
  }
  return deal;
}

// What tilings of the part on so many cores give the busiest one, whatever the order of the tasks.
std::vector<MatmulSpace::Deal> MatmulSpace::DealsOf(const CubeSize& part,
                                                    const std::vector<MatmulVariant>& variants,
                                                    int64_t cores) const {
  if (static_cast<int64_t>(variants.size()) * dealing_.TasksOf(part) > kMostDealt) {
    // other tasks of that core are left out
    Deal rough = MakeDeal({{part, FullTasksOfBusiest(part, cores)}});
    rough.in_any_order = true;
    return {rough};
  }
  std::vector<std::vector<MatmulDealt>> met;
  std::vector<Deal> deals;
  for (const MatmulVariant& variant : variants) {
    std::vector<MatmulDealt> dealt = dealing_.DealtBy(part, variant, cores);
    if (std::ranges::find(met, dealt) == met.end()) {
      deals.push_back(MakeDeal(dealt));
      met.push_back(std::move(dealt));
    }
  }
  return deals;
}

TileSpace::Opened MatmulSpace::OpenPart(const TilePath& node, double cutoff_us) {
  const CubeSize& part = parts_[node[0]];
  const std::vector<CubeSize> blocks = BlocksOf(soc_, element_bytes_, part);
  dealt_[node[0]].variants = dealing_.VariantsOf(part);
  std::map<int64_t, std::vector<Deal>>& deals = dealt_[node[0]].deals;
  for (int64_t cores = std::min(cores_, dealing_.TasksOf(part)); cores >= 1; --cores) {
    const double full = FullTasksOfBusiest(part, cores) * TaskMoves(part);
    const CubeStart start{.begin = BeginOf(part, cores)};
    if (std::max(MovesUs(part, full, cores), LongestUs(part, {}, start, cores)) < cutoff_us) {
      deals.emplace(cores, DealsOf(part, dealt_[node[0]].variants, cores));
      std::erase_if(deals.at(cores), [&](Deal& deal) {
        double moves = 0;
        for (const Tasks& tasks : deal.tasks) {
          moves += tasks.count * (tasks.a + tasks.b);
        }
        deal.moves_us = MovesUs(part, moves, cores);
        return deal.moves_us >= cutoff_us;
      });
    }
  }
  Opened opened;
  for (uint64_t block = 0; block < blocks.size(); ++block) {
    Works known;
    CubeStart start = StartOf(part, blocks[block], nullptr, 1);
    const int64_t most_l0 = StepsOf(soc_, element_bytes_, part, blocks[block]).most_l0;
    for (const auto& [cores, all] : deals) {
      double bound = cube_.TimeUs(1e18, 1);
      start.begin = BeginOf(part, cores);
      for (const Deal& deal : all) {
        const CubeCycles work = WorkOf(deal, blocks[block], known);
        const CubeStart no_tile{.begin = start.begin, .last_fix = start.last_fix};
        const double cycles = std::max(cube_.Moves(no_tile, AgainCycles(deal, blocks[block])),
                                       cube_.TurnsOfL0(work, start, most_l0));
        bound = std::min(bound, std::max(cube_.TimeUs(cycles, cores), LongestUs(part, work, start, cores)));
      }
      if (bound < cutoff_us) {
        opened.nodes.push_back(
            {bound, {node[0], block * static_cast<uint64_t>(cores_) + static_cast<uint64_t>(cores - 1)}});
      }
    }
  }
  return opened;
}

TileSpace::Opened MatmulSpace::OpenBlock(const TilePath& node, double cutoff_us) {
  const CubeSize& part = parts_[node[0]];
  const auto cores = static_cast<int64_t>(node[1] % static_cast<uint64_t>(cores_)) + 1;
  const CubeSize block = BlocksOf(soc_, element_bytes_, part)[node[1] / static_cast<uint64_t>(cores_)];
  const std::vector<Deal>& deals = dealt_[node[0]].deals.at(cores);
  std::vector<CubeCycles> works;
  Works known;
  for (const Deal& deal : deals) {
    works.push_back(WorkOf(deal, block, known));
  }
  Opened opened;
  std::optional<SameMoves> steps;
  StepsOf(soc_, element_bytes_, part, block).ForEach(soc_, [&](const CubeChoice& choice) {
    ++opened.tilings;
    if (!steps || !choice.MovesAs(steps->choice)) {
      steps = MovesOf(part, block, choice, deals, works, cores);
    }
    double least = cube_.TimeUs(1e18, 1);
    for (size_t i = 0; i < deals.size(); ++i) {
      least = std::min(least, std::max(steps->least_us[i], ChoiceUs(choice, steps->start, works[i], cores)));
    }
    if (least < cutoff_us) {
      opened.nodes.push_back({least, {node[0], node[1], CodeOf(choice)}});
    }
  });
  return opened;
}

TileSpace::Opened MatmulSpace::OpenVariants(const TilePath& node, double cutoff_us) {
  const CubeSize& part = parts_[node[0]];
  const auto cores = static_cast<int64_t>(node[1] % static_cast<uint64_t>(cores_)) + 1;
  const CubeSize block = BlocksOf(soc_, element_bytes_, part)[node[1] / static_cast<uint64_t>(cores_)];
  const CubeChoice choice = ChoiceOf(node[2], block);
  const std::vector<MatmulVariant>& variants = dealt_[node[0]].variants;
  const Deal& first = dealt_[node[0]].deals.at(cores).front();
  Works known;
  Opened opened;
  for (uint64_t variant = 0; variant < variants.size(); ++variant) {
    double us = 0;  // its parent's
    if (!first.in_any_order) {
      const std::vector<Deal> deal = {MakeDeal(dealing_.DealtBy(part, variants[variant], cores))};
      const std::vector<CubeCycles> work = {WorkOf(deal.front(), block, known)};
      const SameMoves steps = MovesOf(part, block, choice, deal, work, cores);
      us = std::max(steps.least_us[0], ChoiceUs(choice, steps.start, work[0], cores));
    }
    if (us < cutoff_us) {
      opened.nodes.push_back({us, {node[0], node[1], node[2], variant}});
    }
  }
  opened.tilings = static_cast<int64_t>(variants.size()) - 1;  // one was counted with its choice
  return opened;
}

int64_t MatmulSpace::Count(const TilePath& node) const {
  const CubeSize& part = parts_[node[0]];
  int64_t choices = 0;
  for (const CubeSize& block : BlocksOf(soc_, element_bytes_, part)) {
    StepsOf(soc_, element_bytes_, part, block).ForEach(soc_, [&](const CubeChoice&) { ++choices; });
  }
  return choices * std::min(cores_, dealing_.TasksOf(part)) *
         static_cast<int64_t>(dealing_.VariantsOf(part).size());
}

MatmulTiling MatmulSpace::TilingOf(const TilePath& path) const {
  const CubeSize& part = parts_[path[0]];
  const CubeSize block = BlocksOf(soc_, element_bytes_, part)[path[1] / static_cast<uint64_t>(cores_)];
  const MatmulVariant variant = VariantsOf(path[0])[path[3]];
  const CubeChoice c = ChoiceOf(path[2], block);
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  MatmulTiling tiling =
      dealing_.TilingOf(part, variant, static_cast<int64_t>(path[1] % static_cast<uint64_t>(cores_)) + 1);
  MatmulTilingData& t = tiling.data;
  tiling.split.unit_flag = c.unit_flag;
  t.iterateOrder = narrow(c.iterate_order);
  t.dbL0C = narrow(c.l0c_copies);
  t.dbL0A = t.dbL0B = narrow(c.l0_copies);
  t.stepM = narrow(c.step_m);
  t.stepN = narrow(c.step_n);
  t.stepKa = narrow(c.step_ka);
  t.stepKb = narrow(c.step_kb);
  t.depthA1 = narrow(c.step_m * c.step_ka * c.l1_copies_a);
  t.depthB1 = narrow(c.step_n * c.step_kb * c.l1_copies_b);
  t.baseM = narrow(block.m);
  t.baseN = narrow(block.n);
  t.baseK = narrow(block.k);
  return tiling;
}

}  // namespace tilesim

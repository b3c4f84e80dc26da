#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/matmul/matmul_pieces.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_steps.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

constexpr int64_t kMostDealt = 1 << 12;     // tasks, in all orders
constexpr int64_t kMostCompared = 1 << 12;  // the same, to see which orders are one

// How tasks follow each other in the list that is dealt out, and their parts for L2.
struct MatmulVariant {
  MatmulOrder order = MatmulOrder::kColumn;
  int64_t m_tiles = 1, n_tiles = 1;
};

// Tasks of one size.
struct MatmulDealt {
  CubeSize size;
  double count = 0;

  friend bool operator==(const MatmulDealt&, const MatmulDealt&) = default;
};

// How a matrix product's tasks are dealt out. Knows no block and no time.
class MatmulDealing {
 public:
  explicit MatmulDealing(const MatmulShape& shape) : p_(shape) {}

  // Orders that deal out the same tasks the same way are one, and so are parts for L2; as long as there are
  // not too many to compare.
  [[nodiscard]] std::vector<MatmulVariant> VariantsOf(const CubeSize& part) const {
    const int64_t m_dim = CeilDiv(p_.m, part.m);
    const int64_t n_dim = CeilDiv(p_.n, part.n);
    const auto counts = [](int64_t tasks) {
      std::vector<int64_t> all;
      for (int64_t count = 1; count <= tasks; ++count) {
        if (CeilDiv(tasks, CeilDiv(tasks, count)) == count) {
          all.push_back(count);
        }
      }
      return all;
    };
    if (m_dim == 1 || n_dim == 1) {
      return {{}};
    }
    const std::vector<int64_t> counts_m = counts(m_dim);
    const std::vector<int64_t> counts_n = counts(n_dim);
    const auto all = static_cast<int64_t>(3 * counts_m.size() * counts_n.size());
    const bool compares = all * m_dim * n_dim <= kMostCompared;
    std::set<std::vector<std::pair<int64_t, int64_t>>> met;  // where the tasks of a part of K begin
    std::vector<MatmulVariant> variants;
    for (const MatmulOrder order : {MatmulOrder::kColumn, MatmulOrder::kRow, MatmulOrder::kDiagonal}) {
      for (const int64_t m : counts_m) {
        for (const int64_t n : counts_n) {
          const MatmulVariant variant{order, m, n};
          const MatmulTiling tiling = TilingOf(part, variant, 1);
          std::vector<std::pair<int64_t, int64_t>> list;
          for (int64_t i = 0; compares && i < m_dim * n_dim; ++i) {
            const MatmulTask task = TaskOf(tiling, i);
            list.emplace_back(task.m.begin, task.n.begin);
          }
          if (!compares || met.insert(std::move(list)).second) {
            variants.push_back(variant);
          }
        }
      }
    }
    return variants;
  }

  [[nodiscard]] int64_t TasksOf(const CubeSize& part) const {
    return CeilDiv(p_.m, part.m) * CeilDiv(p_.n, part.n) * CeilDiv(p_.k, part.k);
  }
  // The core with most to do, of equal ones the first, and what it gets, by size.
  struct Busiest {
    size_t core = 0;
    std::vector<MatmulDealt> tasks;
  };
  [[nodiscard]] static Busiest BusiestOf(const MatmulTiling& tiling) {
    Busiest busiest;
    int64_t most = -1;
    for (int64_t core = 0; core < tiling.split.used_cores; ++core) {
      std::vector<MatmulDealt> tasks;
      int64_t products = 0;
      ForEachMatmulTask(tiling, core, [&](const MatmulTask& task) {
        const CubeSize size = {task.m.size(), task.n.size(), task.k.size()};
        const auto same = std::ranges::find(tasks, size, &MatmulDealt::size);
        same == tasks.end() ? tasks.push_back({size, 1}) : void(++same->count);
        products += AlignUp(size.m, kFractalEdge) * AlignUp(size.n, kFractalEdge) * size.k;
      });
      if (products > most) {
        most = products;
        busiest = {static_cast<size_t>(core), std::move(tasks)};
      }
    }
    return busiest;
  }

  [[nodiscard]] std::vector<MatmulDealt> DealtBy(const CubeSize& part, const MatmulVariant& variant,
                                                 int64_t cores) const {
    return BusiestOf(TilingOf(part, variant, cores)).tasks;
  }
  // All of a tiling that says which tasks a core has.
  [[nodiscard]] MatmulTiling TilingOf(const CubeSize& part, const MatmulVariant& variant,
                                      int64_t used_cores) const {
    MatmulTiling tiling = tilesim::TilingOf(p_, part, used_cores);
    tiling.split.order = variant.order;
    tiling.split.m_tile_count_l2 = variant.m_tiles;
    tiling.split.n_tile_count_l2 = variant.n_tiles;
    return tiling;
  }

 private:
  const MatmulShape p_;
};

// What a part of a dimension may be: whole fractals, or all there is.
std::vector<int64_t> PartsOf(int64_t whole) {
  std::vector<int64_t> parts = {whole};
  for (int64_t part = (whole - 1) / kFractalEdge * kFractalEdge; part >= kFractalEdge; part -= kFractalEdge) {
    parts.push_back(part);
  }
  return parts;
}

// All tilings of a matrix product. A path is the task; the cores and the block of L0; steps into L1, copies
// and order of the walk; the order of the tasks and their parts for L2.
class MatmulSpace : public TilingSpace<MatmulTiling> {
 public:
  // `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
  MatmulSpace(const MatmulShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
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

  [[nodiscard]] int levels() const override { return 4; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override {
    return level == 0   ? OpenRoot(cutoff_us)
           : level == 1 ? OpenPart(node, cutoff_us)
           : level == 2 ? OpenBlock(node, cutoff_us)
                        : OpenVariants(node, cutoff_us);
  }
  [[nodiscard]] int64_t Count(const TilePath& node) const override {
    const CubeSize& part = parts_[node[0]];
    int64_t choices = 0;
    for (const CubeSize& block : BlocksOf(soc_, element_bytes_, part)) {
      choices += StepsOf(soc_, element_bytes_, part, block).Count(soc_);
    }
    return choices * std::min(cores_, dealing_.TasksOf(part)) *
           static_cast<int64_t>(dealing_.VariantsOf(part).size());
  }

  [[nodiscard]] MatmulTiling TilingOf(const TilePath& path) const override {
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

  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return MatmulDealing::BusiestOf(TilingOf(path)).core;
  }

 private:
  // What the busiest core gets.
  using Deal = std::vector<MatmulDealt>;
  // Of a part, where a search looked.
  struct Dealt {
    std::vector<MatmulVariant> variants;
    bool in_any_order = false;                   // of tasks that are too many to look at each order
    std::map<int64_t, std::vector<Deal>> deals;  // by cores
  };
  // Moves into L1 of one operand.
  struct Loads {
    double count = 0, busy = 0;
  };
  // What choices of the same steps and copies have in common.
  struct SameMoves {
    CubeChoice choice;
    CubeStart start;
    std::vector<double> least_us;  // by deal
  };
  [[nodiscard]] SameMoves MovesOf(const CubeSize& part, const CubeSize& block, const CubeChoice& choice,
                                  const std::vector<Deal>& deals, const std::vector<CubeCycles>& works,
                                  int64_t cores) const {
    const auto longest = [&](MatmulPieces::Side side, int64_t free) {
      return Real(pieces_.Load(side, free, std::min(part.k, block.k), free).busy_cycles());
    };
    const double longest_a = longest(MatmulPieces::kA, std::min(part.m, block.m));
    const double longest_b = longest(MatmulPieces::kB, std::min(part.n, block.n));
    SameMoves same{.choice = choice, .start = StartOf(part, block, &choice, cores), .least_us = {}};
    for (size_t i = 0; i < deals.size(); ++i) {
      const Loads a = LoadsOf(MatmulPieces::kA, deals[i], block, choice);
      const Loads b = LoadsOf(MatmulPieces::kB, deals[i], block, choice);
      double cycles =
          std::max(cube_.Moves(same.start, a.busy + b.busy),
                   cube_.TurnsOfL1(works[i], same.start, b.count, b.busy, longest_a, choice.l1_copies_b));
      if (!p_.transpose_b) {  // a load of B is one instruction
        cycles = std::max(
            cycles, cube_.TurnsOfL1(works[i], same.start, a.count, a.busy, longest_b, choice.l1_copies_a));
      }
      same.least_us.push_back(
          std::max(cube_.TimeUs(cycles, cores), LongestUs(part, works[i], same.start, cores)));
    }
    return same;
  }

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const {
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
        const CubeStart start{.begin = BeginOf(part, cores)};
        least = std::min(least, std::max(MovesUs(start, moves, cores), LongestUs(part, work, start, cores)));
      }
      if (least < cutoff_us) {
        opened.nodes.push_back({least, {i}});
      }
    }
    return opened;
  }

  Opened OpenPart(const TilePath& node, double cutoff_us) {
    const CubeSize& part = parts_[node[0]];
    const std::vector<CubeSize> blocks = BlocksOf(soc_, element_bytes_, part);
    Dealt& dealt = dealt_[node[0]];
    dealt.variants = dealing_.VariantsOf(part);
    dealt.in_any_order = static_cast<int64_t>(dealt.variants.size()) * dealing_.TasksOf(part) > kMostDealt;
    for (int64_t cores = std::min(cores_, dealing_.TasksOf(part)); cores >= 1; --cores) {
      const CubeStart start{.begin = BeginOf(part, cores)};
      if (LongestUs(part, {}, start, cores) < cutoff_us) {
        std::vector<Deal>& deals = dealt.deals[cores] = DealsOf(part, dealt, cores);
        std::erase_if(deals, [&](const Deal& deal) {
          double moves = 0;
          for (const MatmulDealt& tasks : deal) {
            moves += tasks.count * TaskMoves(tasks.size);
          }
          return MovesUs(start, moves, cores) >= cutoff_us;
        });
      }
    }
    Opened opened;
    for (uint64_t block = 0; block < blocks.size(); ++block) {
      Works known;
      CubeStart start = StartOf(part, blocks[block], nullptr, 1);
      const CubeSize& size = blocks[block];
      const int64_t most_l0 =
          CubeSteps::MostL0(soc_, size.m * size.k * element_bytes_, size.n * size.k * element_bytes_);
      for (const auto& [cores, all] : dealt.deals) {
        double bound = cube_.TimeUs(1e18, 1);
        start.begin = BeginOf(part, cores);
        for (const Deal& deal : all) {
          const CubeCycles work = WorkOf(deal, blocks[block], known);
          bound = std::min(bound, std::max({cube_.TimeUs(cube_.TurnsOfL0(work, start, most_l0), cores),
                                            MovesUs(start, AgainCycles(deal, blocks[block]), cores),
                                            LongestUs(part, work, start, cores)}));
        }
        if (bound < cutoff_us) {
          opened.nodes.push_back(
              {bound, {node[0], block * static_cast<uint64_t>(cores_) + static_cast<uint64_t>(cores - 1)}});
        }
      }
    }
    return opened;
  }

  Opened OpenBlock(const TilePath& node, double cutoff_us) {
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
    std::optional<SameMoves> moves;
    StepsOf(soc_, element_bytes_, part, block).ForEach(soc_, [&](const CubeChoice& choice) {
      ++opened.tilings;
      if (!moves || !choice.MovesAs(moves->choice)) {
        moves = MovesOf(part, block, choice, deals, works, cores);
      }
      double least = cube_.TimeUs(1e18, 1);
      for (size_t i = 0; i < deals.size(); ++i) {
        least =
            std::min(least, std::max(moves->least_us[i], ChoiceUs(choice, moves->start, works[i], cores)));
      }
      if (least < cutoff_us) {
        opened.nodes.push_back({least, {node[0], node[1], CodeOf(choice)}});
      }
    });
    return opened;
  }

  Opened OpenVariants(const TilePath& node, double cutoff_us) {
    const CubeSize& part = parts_[node[0]];
    const auto cores = static_cast<int64_t>(node[1] % static_cast<uint64_t>(cores_)) + 1;
    const CubeSize block = BlocksOf(soc_, element_bytes_, part)[node[1] / static_cast<uint64_t>(cores_)];
    const CubeChoice choice = ChoiceOf(node[2], block);
    const std::vector<MatmulVariant>& variants = dealt_[node[0]].variants;
    Works known;
    Opened opened;
    for (uint64_t variant = 0; variant < variants.size(); ++variant) {
      double us = 0;  // its parent's
      if (!dealt_[node[0]].in_any_order) {
        const std::vector<Deal> deal = {dealing_.DealtBy(part, variants[variant], cores)};
        const std::vector<CubeCycles> work = {WorkOf(deal.front(), block, known)};
        const SameMoves moves = MovesOf(part, block, choice, deal, work, cores);
        us = std::max(moves.least_us[0], ChoiceUs(choice, moves.start, work[0], cores));
      }
      if (us < cutoff_us) {
        opened.nodes.push_back({us, {node[0], node[1], node[2], variant}});
      }
    }
    opened.tilings = static_cast<int64_t>(variants.size()) - 1;  // one was counted with its choice
    return opened;
  }

  // What tilings of the part on so many cores give the busiest one, whatever the order of the tasks.
  [[nodiscard]] std::vector<Deal> DealsOf(const CubeSize& part, const Dealt& dealt, int64_t cores) const {
    if (dealt.in_any_order) {  // other tasks of that core are left out
      return {{{part, FullTasksOfBusiest(part, cores)}}};
    }
    std::vector<Deal> deals;
    for (const MatmulVariant& variant : dealt.variants) {
      Deal deal = dealing_.DealtBy(part, variant, cores);
      if (std::ranges::find(deals, deal) == deals.end()) {
        deals.push_back(std::move(deal));
      }
    }
    return deals;
  }

  [[nodiscard]] CubeCycles CyclesOf(const CubeSize& task, const CubeSize& block) const {
    return SumOfBlocks(task, block, [&](int64_t m, int64_t n) {
      CubeCycles one{.fix = Real(pieces_.Write(m, n).busy_cycles), .blocks = 1};
      ForSizes(task.k, block.k, [&](int64_t k, int64_t count) {
        one.m += Real(count * pieces_.Multiply(m, n, k).busy_cycles);
        one.mte1 += Real(count * (pieces_.Load(MatmulPieces::kA, m, k, m).busy_cycles() +
                                  pieces_.Load(MatmulPieces::kB, n, k, n).busy_cycles()));
        one.products += Real(count);
      });
      one.waits = WaitsOfBlock(soc_, m, n, one.products);
      return one;
    });
  }

  // `known`: of tasks of the block; what is missing is added.
  using Works = std::vector<std::pair<CubeSize, CubeCycles>>;
  [[nodiscard]] CubeCycles WorkOf(const Deal& deal, const CubeSize& block, Works& known) const {
    CubeCycles work;
    for (const MatmulDealt& tasks : deal) {
      auto task = std::ranges::find(known, tasks.size, &Works::value_type::first);
      if (task == known.end()) {
        known.emplace_back(tasks.size, CyclesOf(tasks.size, block));
        task = known.end() - 1;
      }
      work.Add(task->second, tasks.count);
    }
    return work;
  }

  // Of `free` rows or columns by `k` into L1.
  // A single row may be read faster than one of several.
  [[nodiscard]] double BringOf(MatmulPieces::Side side, int64_t free, int64_t k) const {
    const bool along_k = pieces_.KInRows(side);
    const int64_t rows = along_k ? free : k;
    const int64_t least = std::max<int64_t>(1, rows - 1);
    const MatmulPieces::Bring bring =
        along_k ? pieces_.BringOf(side, least, k) : pieces_.BringOf(side, free, least);
    return Real(bring.moves * bring.each.busy_cycles);
  }
  [[nodiscard]] Loads LoadsOf(MatmulPieces::Side side, const Deal& deal, const CubeSize& block,
                              const CubeChoice& c) const {
    const bool is_a = side == MatmulPieces::kA;
    const int64_t step = is_a ? c.step_m * block.m : c.step_n * block.n;
    const int64_t step_k = (is_a ? c.step_ka : c.step_kb) * block.k;
    Loads loads;
    for (const MatmulDealt& tasks : deal) {
      const CubeSize& task = tasks.size;
      const int64_t own = is_a ? task.m : task.n;
      const int64_t others = CeilDiv(is_a ? task.n : task.m, is_a ? block.n : block.m);  // blocks
      const bool keeps = task.k <= step_k * (is_a ? c.l1_copies_a : c.l1_copies_b);
      const double times =
          tasks.count * Real(TimesBrought(keeps, is_a == (c.iterate_order == 0), CeilDiv(own, step), others,
                                          CeilDiv(others, is_a ? c.step_n : c.step_m)));
      ForSizes(own, step, [&](int64_t free, int64_t count) {
        ForSizes(task.k, step_k, [&](int64_t k, int64_t count_k) {
          const MatmulPieces::Bring bring = pieces_.BringOf(side, free, k);
          const double tiles = Real(count * count_k) * times;
          loads.count += tiles;
          loads.busy += tiles * Real(bring.moves * bring.each.busy_cycles + bring.fill);
        });
      });
    }
    return loads;
  }

  [[nodiscard]] double ProductCycles() const {
    return Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, p_.m, p_.n, p_.k).busy_cycles -
                soc_.mmad_issue_cycles);
  }
  // When parts of K may be added to C.
  // Parts of K add into C, which is zeroed first, by all cores together.
  [[nodiscard]] double BeginOf(const CubeSize& part, int64_t cores) const {
    if (part.k == p_.k) {
      return 0;
    }
    const double zeros = Real(p_.m * p_.n * 4) / soc_.fixpipe_bytes_per_cycle / Real(cores) - 1;
    return std::max(Real(soc_.fixpipe_floor_cycles), std::floor(zeros)) +
           Real(soc_.gm_write_latency_cycles + soc_.cross_core_cycles);
  }
  [[nodiscard]] double LongestUs(const CubeSize& part, const CubeCycles& work, const CubeStart& start,
                                 int64_t cores) const {
    const double even = start.begin + ProductCycles() / Real(cores) + cube_.Tail(start.last_fix);
    const double hbm = std::min(soc_.hbm_total_bytes_per_cycle, Real(cores) * soc_.hbm_core_bytes_per_cycle);
    double cycles = std::max({cube_.Longest(work, start), even,
                              start.begin + hbm_bytes_ / hbm - kSlotSlack + cube_.Tail(start.last_fix)});
    if (part.k != p_.k) {  // all cores' updates, of which none begins before a first tile is there
      const double updates = Real(p_.m * p_.n * 4 * CeilDiv(p_.k, part.k));
      cycles = std::max(cycles, start.begin + Real(soc_.gm_read_latency_cycles) +
                                    updates / soc_.l2_atomic_total_bytes_per_cycle - kSlotSlack);
    }
    return cube_.TimeUs(cycles, cores);
  }

  // Of the choice's copies in L0.
  [[nodiscard]] double ChoiceUs(const CubeChoice& choice, const CubeStart& start, const CubeCycles& work,
                                int64_t cores) const {
    double cycles = cube_.TurnsOfL0(work, start, choice.l0_copies);
    if (!choice.unit_flag) {
      cycles = std::max(cycles, cube_.TurnsOfL0c(work, start, choice.l0c_copies));
    }
    return cube_.TimeUs(cycles, cores);
  }
  // Of any core's first task: `choice`'s tiles, or those of any choice.
  // Of what all cores bring first L2 has nothing: each tile is fetched, or found no sooner than another core
  // has fetched it. What a move waits for HBM is not added to its latency.
  [[nodiscard]] CubeStart StartOf(const CubeSize& part, const CubeSize& block, const CubeChoice* choice,
                                  int64_t cores) const {
    constexpr double kMostEarly = 4;  // cycles by which a move may undercut its bytes over the rate
    const bool is_one_move = std::max({p_.m, p_.n, p_.k}) <= kMostNd2NzStride;  // or one a row
    const auto fetch = [&](int64_t free, int64_t k) {
      return !is_one_move ? 0 : Real(free * k * element_bytes_) / soc_.hbm_core_bytes_per_cycle - kMostEarly;
    };
    const CubeSize task = LeastTaskOf(part);  // it may be a core's first
    const CubeChoice steps = choice == nullptr ? CubeChoice{} : *choice;
    const CubeSize tile_a = {.m = std::min(task.m, steps.step_m * block.m),
                             .k = std::min(task.k, steps.step_ka * block.k)};
    const CubeSize tile_b = {.n = std::min(task.n, steps.step_n * block.n),
                             .k = std::min(task.k, steps.step_kb * block.k)};
    const double arrival = Real(soc_.gm_read_latency_cycles) + CubeBound::FlagCycles(soc_);
    const double fetch_a = fetch(tile_a.m, tile_a.k);
    const bool same_rows = choice != nullptr && SameRows(part);
    const double bring_a = same_rows ? BringOf(MatmulPieces::kA, tile_a.m, tile_a.k) : 0;
    const double bring_b = same_rows ? BringOf(MatmulPieces::kB, tile_b.n, tile_b.k) : 0;
    const double ready_b =
        std::max(bring_a, fetch_a) + std::max(bring_b, fetch(tile_b.n, tile_b.k) - arrival);
    const int64_t k = std::min(task.k, block.k);
    const int64_t m = std::min(task.m, block.m);
    const int64_t n = std::min(task.n, block.n);
    CubeStart start{.begin = BeginOf(part, cores)};
    start.tile_a = std::max(bring_a, fetch_a - arrival);
    start.tile_b = ready_b - start.tile_a;
    start.first_a = Real(pieces_.Load(MatmulPieces::kA, m, k, m).busy_cycles());
    start.first_b = Real(pieces_.Load(MatmulPieces::kB, n, k, n).busy_cycles());
    start.last_fix = Real(pieces_
                              .Write(std::min(LastSize(task.m, block.m), LastSize(part.m, block.m)),
                                     std::min(LastSize(task.n, block.n), LastSize(part.n, block.n)))
                              .busy_cycles);
    return start;
  }

  // Cycles of moves that bring a task's operands into L1 once, and the time of so many.
  [[nodiscard]] double TaskMoves(const CubeSize& task) const {
    return BringOf(MatmulPieces::kA, task.m, task.k) + BringOf(MatmulPieces::kB, task.n, task.k);
  }
  [[nodiscard]] double MovesUs(const CubeStart& start, double cycles, int64_t cores) const {
    const double slack = 1 + 1e-6;  // rounding of many small moves
    return cube_.TimeUs(cube_.Moves(start, cycles / slack - 2), cores);
  }
  // Cycles where blocks of a task need operands again that do not stay in L1.
  [[nodiscard]] double AgainCycles(const Deal& deal, const CubeSize& block) const {
    const int64_t most = soc_.l1_bytes / element_bytes_;
    double cycles = 0;
    for (const auto& [task, count] : deal) {
      const double a = BringOf(MatmulPieces::kA, task.m, task.k);
      const double b = BringOf(MatmulPieces::kB, task.n, task.k);
      const double again_a = a * Real(CeilDiv(task.n, block.n));
      const double again_b = b * Real(CeilDiv(task.m, block.m));
      const int64_t all_a = block.m * task.k, all_b = block.n * task.k;
      const int64_t step = std::min(task.k, block.k);
      const double stays_a = all_a + block.n * step <= most ? a + again_b : INFINITY;
      const double stays_b = all_b + block.m * step <= most ? again_a + b : INFINITY;
      cycles += count * (all_a + all_b <= most ? a + b : std::min({again_a + again_b, stays_a, stays_b}));
    }
    return cycles;
  }

  // A shorter row may take more reads, so that a smaller task's moves do not take less.
  [[nodiscard]] bool SameRows(const CubeSize& part) const {
    const bool k = p_.k % part.k == 0;
    return (pieces_.KInRows(MatmulPieces::kA) ? k : p_.m % part.m == 0) &&
           (pieces_.KInRows(MatmulPieces::kB) ? k : p_.n % part.n == 0);
  }
  // Some core has so many full tasks, and one so many tasks.
  [[nodiscard]] double FullTasksOfBusiest(const CubeSize& part, int64_t cores) const {
    return Real(CeilDiv(p_.m / part.m * (p_.n / part.n) * (p_.k / part.k), cores));
  }
  [[nodiscard]] CubeSize LeastTaskOf(const CubeSize& part) const {
    return {LastSize(p_.m, part.m), LastSize(p_.n, part.n), LastSize(p_.k, part.k)};
  }

  const MatmulShape p_;
  const SocConfig& soc_;
  int64_t cores_;
  double hbm_bytes_;
  int64_t element_bytes_;
  CubeBound cube_;
  MatmulPieces pieces_;
  MatmulDealing dealing_;
  std::vector<CubeSize> parts_;
  [[nodiscard]] std::vector<MatmulVariant> VariantsOf(size_t part) const {
    return dealt_[part].variants.empty() ? dealing_.VariantsOf(parts_[part]) : dealt_[part].variants;
  }
  std::vector<Dealt> dealt_;
};

}  // namespace

std::unique_ptr<TilingSpace<MatmulTiling>> AllTilingsOf(const MatmulShape& shape, const SocConfig& soc,
                                                        int64_t cores, int64_t least_reads) {
  return std::make_unique<MatmulSpace>(shape, soc, cores, least_reads);
}

}  // namespace tilesim

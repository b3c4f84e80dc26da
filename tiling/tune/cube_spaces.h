#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/matmul/matmul_pieces.h"
#include "tiling/matmul/matmul_shape.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"
#include "tiling/tune/cube_steps.h"
#include "tiling/tune/filter_bound.h"
#include "tiling/tune/input_tile_cycles.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// All tilings of a filter gradient: the largest task; how tasks are dealt out, and the block of L0; steps
// into L1, copies and order. A path is these: task, deal, block, choice.
class FilterSpace : public TileSpace {
 public:
  // The problem must be one that WhyNot accepts; `soc` must outlive the space.
  FilterSpace(const FilterProblem& problem, const SocConfig& soc, int64_t cores);

  [[nodiscard]] int levels() const override { return 3; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;

  [[nodiscard]] FilterTiling TilingOf(const TilePath& path) const;
  // The core with most to do.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  // A way to deal out that could still be the best one.
  struct Deal {
    FilterSplit split;
    size_t core = 0;        // with most to do
    FilterCoreTasks tasks;  // of it
  };
  struct Part {
    std::vector<CubeSize> blocks;
    FilterCoreTasks all;             // tasks of all cores
    double reads = 0;                // cycles that all of them need for their reads
    std::map<uint64_t, Deal> deals;  // by their place among all
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const;
  Opened OpenPart(const TilePath& node, double cutoff_us);
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const;

  const FilterProblem p_;
  const SocConfig& soc_;
  int64_t cores_;
  FilterDealing dealing_;
  FilterBound bound_;
  std::vector<Part> parts_;  // filled as they are opened
};

// All tilings of an input gradient. A path is the largest task; how tasks are dealt out; baseM and baseN; and
// baseK, steps into L1, copies and order.
class InputSpace : public TileSpace {
 public:
  // The problem must be one that some tiling is legal for; `soc` must outlive the space. `least_reads`: bytes
  // that HBM has to give at least.
  InputSpace(const InputProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads);

  [[nodiscard]] int levels() const override { return 3; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;

  [[nodiscard]] InputTiling TilingOf(const TilePath& path) const;
  // As InputDealing::BusiestCore names it.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  // What one kind of planes moves.
  struct Moved {
    InputSamePlanes planes;
    InputTileCycles::Rows rows;
    int64_t blocks_n = 1;
  };
  struct Deal {
    InputDeal deal;
    size_t busiest = 0;  // core
    std::vector<InputSamePlanes> kinds;
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const;
  Opened OpenPart(const TilePath& node, double cutoff_us);
  [[nodiscard]] Opened OpenBase(const TilePath& node, double cutoff_us) const;

  [[nodiscard]] double ProductCycles() const;  // of all cores together
  // Fractals of products of one row, line, tap of depth and line of output channels, at least.
  [[nodiscard]] double FractalsOfRow() const;
  // Fractals of products, 16 by 16 by c0, that are not full taken for what they hold.
  [[nodiscard]] double FractalsOf(const std::vector<InputSamePlanes>& kinds) const;
  [[nodiscard]] double LeastUs(double fractals, int64_t cores) const;
  [[nodiscard]] double LongestUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                                 int64_t cores) const;
  [[nodiscard]] double ChoiceUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                                const InputTileCycles::Load& load, const std::vector<Moved>& moved,
                                const CubeChoice& choice, int64_t cores) const;

  const InputProblem p_;
  const SocConfig& soc_;
  InputExtents e_;
  int64_t cores_;
  double hbm_bytes_;
  InputDealing dealing_;
  CubeBound cube_;
  std::vector<double> taps_before_;  // pixels times taps of H and W of the rows before each, and of all
  double row_taps_ = 0;              // of the row that has fewest
  std::vector<std::map<uint64_t, Deal>> deals_;  // by part, those that could still be the best one
};

// All tilings of a matrix product. A path is the task; the cores and the block of L0; steps into L1, copies
// and order of the walk; the order of the tasks and their parts for L2.
class MatmulSpace : public TileSpace {
 public:
  // `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
  MatmulSpace(const MatmulShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads);

  [[nodiscard]] int levels() const override { return 4; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override;
  [[nodiscard]] int64_t Count(const TilePath& node) const override;

  [[nodiscard]] MatmulTiling TilingOf(const TilePath& path) const;
  // The core with most to do.
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const {
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
                                  int64_t cores) const;

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const;
  Opened OpenPart(const TilePath& node, double cutoff_us);
  Opened OpenBlock(const TilePath& node, double cutoff_us);
  Opened OpenVariants(const TilePath& node, double cutoff_us);

  [[nodiscard]] std::vector<Deal> DealsOf(const CubeSize& part, const Dealt& dealt, int64_t cores) const;
  [[nodiscard]] CubeCycles CyclesOf(const CubeSize& task, const CubeSize& block) const;
  // `known`: of tasks of the block; what is missing is added.
  using Works = std::vector<std::pair<CubeSize, CubeCycles>>;
  [[nodiscard]] CubeCycles WorkOf(const Deal& deal, const CubeSize& block, Works& known) const;
  // Of `free` rows or columns by `k` into L1.
  [[nodiscard]] double BringOf(MatmulPieces::Side side, int64_t free, int64_t k) const;
  [[nodiscard]] Loads LoadsOf(MatmulPieces::Side side, const Deal& deal, const CubeSize& block,
                              const CubeChoice& choice) const;
  [[nodiscard]] double ProductCycles() const;
  // When parts of K may be added to C.
  [[nodiscard]] double BeginOf(const CubeSize& part, int64_t cores) const;
  [[nodiscard]] double LongestUs(const CubeSize& part, const CubeCycles& work, const CubeStart& start,
                                 int64_t cores) const;
  // Of the choice's copies in L0.
  [[nodiscard]] double ChoiceUs(const CubeChoice& choice, const CubeStart& start, const CubeCycles& work,
                                int64_t cores) const;
  // Of any core's first task: `choice`'s tiles, or those of any choice.
  [[nodiscard]] CubeStart StartOf(const CubeSize& part, const CubeSize& block, const CubeChoice* choice,
                                  int64_t cores) const;
  // Cycles of moves that bring a task's operands into L1 once, and the time of so many.
  [[nodiscard]] double TaskMoves(const CubeSize& task) const;
  [[nodiscard]] double MovesUs(const CubeStart& start, double cycles, int64_t cores) const;
  // Cycles where blocks of a task need operands again that do not stay in L1.
  [[nodiscard]] double AgainCycles(const Deal& deal, const CubeSize& block) const;
  [[nodiscard]] bool SameRows(const CubeSize& part) const;
  // Some core has so many full tasks, and one so many tasks.
  [[nodiscard]] double FullTasksOfBusiest(const CubeSize& part, int64_t cores) const;
  [[nodiscard]] CubeSize LeastTaskOf(const CubeSize& part) const;

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

}  // namespace tilesim

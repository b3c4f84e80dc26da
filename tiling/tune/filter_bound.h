#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {

// What the tasks of a size cost the pipes in blocks of one: exactly what the tile program's instructions
// cost, by their sizes. Not for use by several threads at once.
class FilterBlockCycles {
 public:
  FilterBlockCycles(const FilterProblem& problem, const SocConfig& soc);

  CubeCycles Of(const FilterTaskSize& size, const CubeSize& block);

  // The loads of A and B to L0 for the first product of a task, and the longest for any product.
  struct Load {
    double first_a, first_b, longest_a, longest_b;
  };
  Load LoadOf(const FilterTaskSize& size, const CubeSize& block);

 private:
  struct Loads {  // of B, along K: that cost the same
    int64_t start, extent, count = 1;
    double of_many = 0;  // cycles, of many columns
  };
  const std::vector<Loads>& LoadsAlongK(int64_t k, int64_t base_k);
  [[nodiscard]] double LoadOfB(const Loads& loads, int64_t width) const;
  double LoadsOfB(int64_t k, int64_t base_k, int64_t width);
  [[nodiscard]] double LoadOfA(int64_t extent, int64_t width) const;

  const FilterProblem p_;
  const SocConfig& soc_;
  FilterExtents e_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Loads>> along_k_;  // by K and baseK
  std::map<std::array<int64_t, 3>, double> loads_of_b_;                // and width
};

// Times that no tiling of a filter gradient undercuts, the more exactly the more of it is known. Each is the
// longest of several sums, each of which has to pass one after another: what a pipe has to do, the zero fill
// before and the way to it and from it; uses of a buffer, where it is filled again only after them; what all
// cores together take of L2 and HBM.
class FilterBound {
 public:
  FilterBound(const FilterProblem& problem, const SocConfig& soc, const FilterDealing& dealing);

  // Until all cores have zeroed dw and met.
  [[nodiscard]] double StartCycles(int64_t cores) const { return StartCycles(dw_bytes_, soc_, cores); }
  static double StartCycles(double dw_bytes, const SocConfig& soc, int64_t cores);
  [[nodiscard]] double TimeUs(double cycles, int64_t cores) const;
  // Of all tilings with tasks of `rows` output rows at most.
  [[nodiscard]] double PartUs(int64_t rows, int64_t most_cores) const;
  // All cores' reads, if each of these tasks, which are all, brings its operands once.
  [[nodiscard]] double ReadCycles(const FilterCoreTasks& all) const;
  // From the start of the first write to the end of the last, of tasks of so many rows.
  [[nodiscard]] double UpdateCycles(int64_t rows) const;
  [[nodiscard]] double ProductCycles(int64_t rows) const;  // of all cores together

  // A core's tasks, what they cost the pipes, and its first task's loads to L0.
  struct Core {
    const FilterCoreTasks* tasks = nullptr;
    int64_t cores = 1;
    CubeSize block;
    CubeCycles cycles;
    FilterBlockCycles::Load load;
    int64_t part_rows = 1;  // output rows of the largest task
    double all_reads = 0;   // cycles that all cores' reads need, each task's operands once
  };
  [[nodiscard]] double BlockUs(const Core& core) const;

  // The same with everything known: adds the moves into L1 and the copies of buffers.
  class Steps;

 private:
  friend class Steps;
  [[nodiscard]] double Longest(const Core& core, const CubeStart& start) const;
  // With a first tile of A of so many planes and pixels, and of B of so many lines and rows.
  [[nodiscard]] CubeStart StartOf(const Core& core, int64_t planes, int64_t pixels, int64_t lines,
                                  int64_t rows) const;
  [[nodiscard]] SharedTraffic Reads(double x_bytes, double dy_bytes) const;

  const FilterProblem& p_;
  const SocConfig& soc_;
  CubeBound cube_;
  FilterExtents e_;
  int64_t active_pairs_;
  double dw_bytes_;
  double update_bytes_;  // with all of K in a task
  // Of x and dy: that HBM has to give.
  double least_fetched_, most_fetched_;
};

// Asked for many choices of one core and block.
class FilterBound::Steps {
 public:
  // `all`: the tasks of all cores.
  Steps(const FilterBound& bound, const Core& core, const FilterCoreTasks& all, int64_t blocks_k);

  // What is the same for any copies in L0; where it is not below `cutoff`, anything that is neither.
  struct Walk {
    CubeStart start;
    double cycles = 0;  // a bound already
  };
  [[nodiscard]] Walk WalkOf(const CubeChoice& choice, double cutoff) const;
  [[nodiscard]] double Cycles(const Walk& walk, const CubeChoice& choice) const;

 private:
  struct Kind {
    int64_t m, n, k, count;  // extents; tasks
    int64_t blocks_m, blocks_n, blocks_k;
    std::vector<double> rows;        // of the feature map that a walk over K brings, by stepKb
    std::vector<double> first_rows;  // of the first step
  };
  struct Moves {
    double loads = 0, bytes = 0;
  };
  [[nodiscard]] std::vector<Kind> KindsOf(const FilterCoreTasks& tasks, int64_t blocks_k) const;
  [[nodiscard]] Moves MovesOfA(const std::vector<Kind>& kinds, const CubeChoice& choice) const;
  [[nodiscard]] Moves MovesOfB(const std::vector<Kind>& kinds, const CubeChoice& choice) const;
  // From the start, of all cores.
  [[nodiscard]] double AllCycles(const CubeChoice& choice) const;
  [[nodiscard]] double LinesOf(const Kind& kind, int64_t columns) const;

  const FilterBound& bound_;
  const Core core_;
  std::vector<Kind> kinds_;  // of the core
  std::vector<Kind> all_;    // of all cores
};

}  // namespace tilesim

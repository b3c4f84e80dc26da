#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/input_dealing.h"
#include "tiling/tune/input_tile_cycles.h"
#include "tiling/tune/operator_steps.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

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

  [[nodiscard]] double ProductCycles() const;   // of all cores together
  [[nodiscard]] double CyclesAFractal() const;  // of a product
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

}  // namespace tilesim

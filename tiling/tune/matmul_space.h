#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_shape.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

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
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const;

 private:
  struct Part {
    int64_t m, n, k;
  };
  struct Block {
    int64_t m, n, k;
  };
  // All that a node of level 3 decides.
  struct Choice {
    int64_t step_m = 1, step_n = 1, step_ka = 1, step_kb = 1;
    int64_t copies_a = 1, copies_b = 1, l0_copies = 1, l0c_copies = 1;
    bool n_fast = false;
    bool unit_flag = false;
  };
  struct Variant {
    MatmulOrder order = MatmulOrder::kColumn;
    int64_t m_tiles = 1, n_tiles = 1;
  };
  // Tasks of a part: all, and those of full size.
  struct Tasks {
    int64_t all, full;
  };

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const;
  [[nodiscard]] Opened OpenPart(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenBlock(const TilePath& node, double cutoff_us) const;
  [[nodiscard]] Opened OpenVariants(const TilePath& node) const;

  [[nodiscard]] Tasks TasksOf(const Part& part) const;
  [[nodiscard]] std::vector<Block> BlocksOf(const Part& part) const;
  [[nodiscard]] std::vector<Variant> VariantsOf(const Part& part) const;
  template <class Visit>
  void ForEachChoice(const Part& part, const Block& block, Visit&& visit) const;

  // Of a full task.
  [[nodiscard]] CubeCycles CyclesOf(const Part& part, const Block& block) const;
  [[nodiscard]] double LoadA(int64_t m, int64_t k) const;
  [[nodiscard]] double LoadB(int64_t n, int64_t k) const;
  // Of `free` rows or columns by `k` into L1.
  [[nodiscard]] double BringA(int64_t m, int64_t k) const;
  [[nodiscard]] double BringB(int64_t n, int64_t k) const;
  [[nodiscard]] double ProductCycles() const;
  [[nodiscard]] double BeginOf(const Part& part) const;
  [[nodiscard]] double LongestUs(const CubeCycles& work, const CubeStart& start, int64_t cores) const;
  [[nodiscard]] double ChoiceUs(const Part& part, const Block& block, const Choice& choice,
                                const CubeCycles& work, double tasks, int64_t cores) const;
  // `tile`: of A, and of B's columns.
  void SetFirstTiles(const Part& tile, int64_t k_of_b, CubeStart& start) const;
  [[nodiscard]] double TasksOfBusiest(const Part& part, int64_t cores) const;
  // With both operands brought into L1 once a task.
  [[nodiscard]] double MovesUs(const Part& part, int64_t cores) const;

  const MatmulShape p_;
  const SocConfig& soc_;
  int64_t cores_;
  double hbm_bytes_;
  int64_t element_bytes_;
  int64_t c0_;
  CubeBound cube_;
  std::vector<Part> parts_;
};

}  // namespace tilesim

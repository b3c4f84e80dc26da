#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "sim/soc/soc_config.h"

namespace tilesim {

// Where a tiling stands in a space: the branch taken at each level. What the numbers mean is the space's own.
using TilePath = std::array<uint64_t, 4>;

// A subtree of a space, or one tiling, and a time below which none of its tilings runs.
struct TileNode {
  double bound_us = 0;
  TilePath path{};
};

// All legal tilings of one problem, those that make the cores do the same counted once, as a tree in a fixed
// order: each level decides more, the last one everything. Knows no simulation.
class TileSpace {
 public:
  struct Opened {
    std::vector<TileNode> nodes;  // in their order, those only whose bound is below the cutoff
    int64_t tilings = 0;          // at the last level: that were looked at, also those left out
    bool whole = true;            // false: given up before all nodes were looked at
  };

  virtual ~TileSpace() = default;

  // Levels below the root; nodes of the last are tilings.
  [[nodiscard]] virtual int levels() const = 0;
  // The children of `node`, which stands at `level` (0: the root, whatever `node`). May be called from
  // several threads for different nodes, after their parents were opened.
  virtual Opened Open(int level, const TilePath& node, double cutoff_us) = 0;
  // The tilings below a node of level 1, counted one by one.
  [[nodiscard]] virtual int64_t Count(const TilePath& node) const = 0;

  // Asked, by several threads, while a node is opened that may take seconds: true where nobody waits for it
  // any more.
  void GiveUpWhen(std::function<bool()> late) { late_ = std::move(late); }

 protected:
  [[nodiscard]] bool GivesUp() const { return late_ && late_(); }

 private:
  std::function<bool()> late_;
};

// A space, and what its paths stand for.
template <class Tiling>
class TilingSpace : public TileSpace {
 public:
  [[nodiscard]] virtual Tiling TilingOf(const TilePath& path) const = 0;
  // The core with most to do; of an input gradient the one that InputDealing::BusiestCore names.
  [[nodiscard]] virtual size_t BusiestCoreOf(const TilePath& path) const = 0;
};

// The least bound of some subtrees; infinite where there is none.
inline double LeastBoundUs(const TileSpace::Opened& opened) {
  double least = std::numeric_limits<double>::infinity();
  for (const TileNode& node : opened.nodes) {
    least = std::min(least, node.bound_us);
  }
  return least;
}

struct FilterProblem;
struct FilterTiling;
struct InputProblem;
struct InputTiling;
struct MatmulShape;
struct MatmulTiling;
struct MaxPoolGradTiling;
struct MaxPoolTiling;
struct PoolGradProblem;
struct PoolShape;

// All tilings of a problem that some tiling is legal for, on up to `cores` cores; of a pooling's gradient
// those in one phase. `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
std::unique_ptr<TilingSpace<FilterTiling>> AllTilingsOf(const FilterProblem& problem, const SocConfig& soc,
                                                        int64_t cores);
std::unique_ptr<TilingSpace<InputTiling>> AllTilingsOf(const InputProblem& problem, const SocConfig& soc,
                                                       int64_t cores, int64_t least_reads);
std::unique_ptr<TilingSpace<MatmulTiling>> AllTilingsOf(const MatmulShape& shape, const SocConfig& soc,
                                                        int64_t cores, int64_t least_reads);
std::unique_ptr<TilingSpace<MaxPoolTiling>> AllTilingsOf(const PoolShape& shape, const SocConfig& soc,
                                                         int64_t cores, int64_t least_reads);
std::unique_ptr<TilingSpace<MaxPoolGradTiling>> AllTilingsOf(const PoolGradProblem& problem,
                                                             const SocConfig& soc, int64_t cores,
                                                             int64_t least_reads);

// No tiling of a pooling takes less, nor if it stored indices alone.
double LeastUsOfIndices(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads);

}  // namespace tilesim

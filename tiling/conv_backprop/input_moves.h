#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/core_share.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/input_step_order.h"
#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/conv_backprop/input_tiling.h"
#include "tiling/conv_backprop/input_work.h"

namespace tilesim {

// A tile of an operand, told from others: of A the depth plane, rows and lines of channels, of B the tap of
// depth, lines and taps.
struct InputTileKey {
  int64_t depth = -1;
  int64_t across = 0;  // first row of dy; first line of cin
  int64_t along = 0;   // first line of cout
  int64_t extent = 0;  // rows of dy; phase
  friend bool operator==(const InputTileKey&, const InputTileKey&) = default;
};

// How long one core's moves between GM and its memories take: tiles into L1, blocks out of L0C. Remembers
// what the core has met, which is then in L2. Knows no pipe and no order.
class InputMoves {
 public:
  // Shape of the tile for which zeros stand between the pixels of a buffer: planes, rows, columns.
  using Zeros = std::array<int64_t, 3>;

  // `work` says what of dy and the weights other cores fetch.
  InputMoves(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling, const SocConfig& soc,
             int64_t cores, const InputCoreWork& work);

  // The task of which the following are moves.
  void Start(const InputTask& task, const ConvBackpropApi::InputShape& shape);

  [[nodiscard]] CoreShares::Needs LoadA(Zeros& zeros, const InputTileKey& key,
                                        const ConvBackpropApi::InputStep& step);
  [[nodiscard]] CoreShares::Needs LoadB(const InputTileKey& key, const ConvBackpropApi::InputStep& step);
  [[nodiscard]] CoreShares::Needs Write(const ConvBackpropApi::InputBlock& block, int64_t lines) const;

  // Of channels, in a block.
  [[nodiscard]] int64_t LinesOf(const ConvBackpropApi::InputBlockWalk& walk) const;

 private:
  struct Writes {
    int64_t count = 1;     // instructions
    double new_share = 1;  // of the bytes, not in L2 yet
  };
  [[nodiscard]] Writes WritesOf(const ConvBackpropApi::InputBlock& block, int64_t lines) const;
  // How L2 and HBM give what is read.
  struct Source {
    double fetched = 1;       // of what the core waits for from HBM (0 to 1], what it fetches itself
    double same = 0;          // of what L2 gives (0 to 1), what other cores read, too
    double aligned_part = 1;  // of the rates of L2 and HBM
  };
  // Of `moves` moves of as many bytes each, in pieces, of which a share is new to the core.
  [[nodiscard]] CoreShares::Needs MoveCost(double moves, double bytes, int64_t bursts, double new_share,
                                           const Source& of) const;
  [[nodiscard]] double NewRows(const InputTileKey& key);

  const InputProblem& p_;
  const TConv3DBackpropInputTiling& t_;
  const SocConfig& soc_;
  int64_t cores_;
  Source dy_source_, weights_source_;
  InputExtents e_;
  int64_t planes_a_ = 1, planes_b_ = 1;  // lines of cout in a tile
  InputTask task_;
  int64_t planes_ = 0;  // lines of cout of the task
  int64_t spacing_h_ = 1, spacing_w_ = 1;
  // rows of dy, taken for one piece, by (image, depth, tile of lines); tiles of weights
  std::unordered_map<int64_t, InputRowSpan> rows_met_;
  std::unordered_set<int64_t> weights_met_;
};

}  // namespace tilesim

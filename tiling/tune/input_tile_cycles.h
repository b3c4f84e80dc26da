#pragma once
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {

// How an input gradient's tile program takes a product apart: blocks of C, and K in pieces.
struct InputTile {
  int64_t base_m = 16, base_n = 16;
  int64_t base_k = 16;
  int64_t step_lines = 1;  // lines of cout of a step: of the smaller tile in L1
};

// What one depth plane of a task costs the pipes, by the sizes of the tile program's instructions. Blocks
// that cost the same are counted.
class InputTileCycles {
 public:
  InputTileCycles(const InputProblem& problem, const SocConfig& soc, const InputPart& part, int64_t base_m);

  // Of all planes of a kind.
  [[nodiscard]] CubeCycles Of(const InputSamePlanes& kind, const InputTile& tile) const;
  // Of blocks of a plane that are written as zeros: those that nothing reaches, and all where no tap of depth
  // reaches the plane.
  struct Zeros {
    CubeCycles unreached, whole;
  };
  [[nodiscard]] Zeros ZerosOf(const InputSamePlanes& kind, int64_t base_n) const;
  // Of all planes of a kind.
  [[nodiscard]] static CubeCycles AllOf(const Zeros& zeros, const InputSamePlanes& kind);
  // At least, whatever the pieces; of one plane and one tap of depth.
  [[nodiscard]] CubeCycles LeastOf(InputSamePlanes kind, int64_t base_n) const;

  // Pixels times taps of H and W, of a plane: what no cut makes less.
  [[nodiscard]] double TapsOfPixels(const InputSamePlanes& kind) const;

  // Loads of the first piece to L0, and the longest there may be.
  struct Load {
    double first_a = 0, first_b = 0, longest_a = 0, longest_b = 0;
  };
  [[nodiscard]] Load LoadOf(const InputSamePlanes& first, const InputTile& tile) const;

  // A of a block's first tile: pixels of the gradient a line of cout has, and in how many pieces.
  struct FirstRows {
    int64_t pixels = 0;
    int64_t taps = 1;  // of H and W
  };
  [[nodiscard]] FirstRows FirstRowsOf(const InputSamePlanes& first) const;

  // Blocks along M, and bytes of one walk over them for one tap of depth and one line of cout: each block's
  // rows; blocks in a row that need the same rows, once.
  struct Rows {
    double blocks = 0, spans = 0;
    double bytes = 0, span_bytes = 0;
    double taps_of_blocks = 0;  // of H and W, summed over blocks
  };
  [[nodiscard]] Rows RowsOf(const InputSamePlanes& kind) const;

 private:
  // Blocks along M that cost the same.
  struct Block {
    int64_t pixels, taps, start, width, count;
    int64_t rows, columns, split_h, split_w;  // where pixels lie apart in dx: of the phase, and how far
    bool reached;
    friend bool operator==(const Block&, const Block&) = default;
  };
  // Each of a plane of such rows and lines, in its order.
  [[nodiscard]] std::vector<ConvBackpropApi::InputBlock> WalkOf(const InputSamePlanes& kind) const;
  [[nodiscard]] static Block BlockOf(const ConvBackpropApi::InputBlock& block);
  // Of its instructions: loads to L0 of so much of K; the way out.
  [[nodiscard]] double LoadA(const Block& block, int64_t k) const;
  [[nodiscard]] double LoadB(int64_t taps, int64_t lines, int64_t k) const;
  [[nodiscard]] double FixOf(const Block& block, int64_t lines) const;
  [[nodiscard]] std::vector<Block> BlocksOf(const InputSamePlanes& kind) const;
  [[nodiscard]] ConvBackpropApi::InputShape ShapeOf(const InputSamePlanes& kind) const;
  // Of all lines of cout for one tap of depth.
  [[nodiscard]] CubeCycles BlockCycles(const Block& block, int64_t lines, int64_t outs,
                                       const InputTile& tile) const;

  const InputProblem& p_;
  const SocConfig& soc_;
  InputExtents e_;
  InputTiling tiling_;  // fields that blocks depend on
};

}  // namespace tilesim

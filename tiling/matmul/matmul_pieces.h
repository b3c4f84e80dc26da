#pragma once
#include <cstdint>

#include "formats/units.h"
#include "sim/core/instruction.h"
#include "sim/isa/cost.h"
#include "sim/soc/soc_config.h"
#include "tiling/cube_choice.h"
#include "tiling/matmul/matmul_tiling.h"

namespace tilesim {

// What a matrix product's instructions take, by what they move or multiply; of moves of GM what one core
// alone needs. `free` is M of A and N of B.
class MatmulPieces {
 public:
  // `soc` must outlive it.
  MatmulPieces(const MatmulShape& shape, const SocConfig& soc)
      : p_(shape),
        soc_(soc),
        element_bytes_(static_cast<int64_t>(SizeOf(shape.dtype))),
        c0_(C0Of(shape.dtype)) {}

  enum Side : uint8_t { kA, kB };

  // A block of an operand into L0: so many loads, the last of which may be shorter.
  struct Loads {
    int64_t count = 1;
    Cost each, last;
    [[nodiscard]] int64_t busy_cycles() const { return (count - 1) * each.busy_cycles + last.busy_cycles; }
  };
  [[nodiscard]] Loads Load(Side side, int64_t free, int64_t k, int64_t tile_free) const {
    const Memory to = side == kA ? Memory::kL0A : Memory::kL0B;
    const bool turned = !KInRows(side);
    if (side == kA || turned) {
      const Cost cost = isa::Img2ColCost(soc_, to,
                                         {.m_start = 0,
                                          .m_extension = AlignUp(turned ? k : free, kFractalEdge),
                                          .channel_blocks = CeilDiv(turned ? free : k, c0_),
                                          .out_width = 1 << 15,
                                          .stride_w = 1});
      return {.count = 1, .each = cost, .last = cost};
    }
    constexpr int64_t kMostRepeat = 255;  // fractals of a load
    const int64_t wanted = CeilDiv(free, kFractalEdge);
    const int64_t strips = CeilDiv(k, c0_);
    const bool together = wanted == CeilDiv(tile_free, kFractalEdge);
    const int64_t run = together ? wanted * strips : wanted;
    const int64_t runs = together ? 1 : strips;
    if (run <= kMostRepeat) {
      const Cost cost = isa::LoadCost(soc_, to, run);
      return {.count = runs, .each = cost, .last = cost};
    }
    // of several runs each has such a shorter load; as one run they take as long
    const int64_t whole = run / kMostRepeat;
    const int64_t rest = run % kMostRepeat;
    Loads loads{
        .count = whole + (rest > 0 ? 1 : 0), .each = isa::LoadCost(soc_, to, kMostRepeat), .last = {}};
    loads.last = rest > 0 ? isa::LoadCost(soc_, to, rest) : loads.each;
    loads.last.busy_cycles += (runs - 1) * loads.busy_cycles();
    return loads;
  }

  [[nodiscard]] Cost Multiply(int64_t m, int64_t n, int64_t k) const {
    return isa::MmadCost(soc_, p_.dtype, p_.hf32, m == 1 ? 2 : m, n, k);
  }
  // A block of C to GM.
  [[nodiscard]] Cost Write(int64_t m, int64_t n) const {
    const int64_t bytes = m * n * static_cast<int64_t>(SizeOf(p_.out));
    return isa::FixpipeCost(soc_, AlignUp(n, kFractalEdge) * m * 4,
                            {.bytes = {.hit = bytes, .miss = 0}, .bursts = m});
  }

  // A tile's way from L2 into L1: a move, or one a row; `fill`: cycles of filling what its last fractal has
  // below the matrix.
  struct Bring {
    int64_t moves = 1;
    Cost each;
    int64_t fill = 0;
  };
  [[nodiscard]] Bring BringOf(Side side, int64_t free, int64_t k) const {
    const bool turned = !KInRows(side);
    const int64_t rows = turned ? k : free;
    const int64_t columns = turned ? free : k;
    const int64_t whole_columns = side == kA ? (turned ? p_.m : p_.k) : (turned ? p_.n : p_.k);
    const int64_t row_bytes = columns * element_bytes_;
    Bring bring;
    bring.moves = whole_columns > kMostNd2NzStride ? rows : 1;
    const int64_t move_rows = rows / bring.moves;
    // a row's place: what begins off a data block is read in pieces of one
    const bool aligned =
        rows == 1 || bring.moves > 1 || whole_columns * element_bytes_ % kDataBlockBytes == 0;
    bring.each =
        isa::Nd2NzCost(soc_, {.bytes = {.hit = move_rows * row_bytes, .miss = 0}, .bursts = move_rows},
                       {.rows = move_rows, .row_bytes = row_bytes, .aligned = aligned});
    if (side == kB && p_.transpose_b && rows % kFractalEdge != 0) {
      const int64_t missing = AlignUp(rows, kFractalEdge) - rows;
      bring.fill =
          isa::FillCost(soc_, Memory::kL1, CeilDiv(columns, c0_) * missing * kDataBlockBytes).busy_cycles;
    }
    return bring;
  }

  // Do rows of the operand in GM run along K?
  [[nodiscard]] bool KInRows(Side side) const { return side == kA ? !p_.transpose_a : p_.transpose_b; }

 private:
  const MatmulShape p_;
  const SocConfig& soc_;
  int64_t element_bytes_;
  int64_t c0_;
};

}  // namespace tilesim

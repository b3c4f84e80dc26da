// How long each instruction takes: arithmetic on the figures of a chip and the sizes of an instruction. Knows
// no values, no addresses and no pipe's state.
#pragma once

#include <array>
#include <cstdint>

#include "formats/dtype.h"
#include "sim/core/gm_move.h"
#include "sim/core/instruction.h"
#include "sim/core/pipe.h"
#include "sim/isa/cube_type.h"
#include "sim/soc/soc_config.h"

namespace tilesim::isa {

// Issue, then a fractal of C and k after the other. A Mmad that does nothing still costs the issue.
Cost MmadCost(const SocConfig& soc, CubeType dtype, bool hf32, int64_t m, int64_t n, int64_t k);

// The functions that the rules below are made with, in an order that stays within a version.
std::array<GmRuleFunction, 4> GmRuleFunctions();

// Whole fractals from L1 into L0A or L0B.
Cost LoadCost(const SocConfig& soc, Memory dst, int64_t fractals);

// What img2col's rate depends on.
struct Img2ColShape {
  int64_t m_start = 0;
  int64_t m_extension = 0;
  int64_t channel_blocks = 0;  // data blocks of each row of the window
  int64_t out_width = 1;       // Wo
  int64_t stride_w = 1;
};

// 16 windows of one data block each are fetched together. They lie in `stride_w` times 512 bytes of a row of
// L1, and in as many pieces as they touch rows of the output (n). Cycles for 16 windows, with a =
// 512 / (rate of L0A), b = 512 / (rate of L0B):
//   L0A: a * stride_w             + (n if n > 1)      L0B: b + a * (stride_w - 1) + (n if n > 1)
// and no more than the slow rate asks for; strides other than 1, 2, 4, 8 always take that.
Cost Img2ColCost(const SocConfig& soc, Memory dst, const Img2ColShape& shape);

// InitConstValue into L1, L0A or L0B.
Cost FillCost(const SocConfig& soc, Memory dst, int64_t bytes);

// L1 -> BT or FB: `bytes` of dst.
Cost TableCost(const SocConfig& soc, Memory dst, int64_t bytes);

// GM -> L1, UB, L0A or L0B: bytes in L2 at the core's rate or its share of L2, others at that of HBM. The
// first byte takes the latency; while the rest of a move waits for HBM it is part of that time.
Cost GmReadCost(const SocConfig& soc, Memory dst, const GmMove& move);
// How a move with ND to NZ reads GM.
struct RowReads {
  int64_t rows = 0;
  int64_t row_bytes = 0;
  bool aligned = true;  // each row starts at a multiple of 32 bytes
};

// Reads that a row is cut into: of 256, 128 and 64 bytes and what is left; of 32 bytes where rows are not
// aligned.
int64_t ReadsPerRow(const RowReads& reads);

// GM -> L1 with ND to NZ: as above, and a time for each read of each row, or for each row: so many are on
// their way at a time, and those from HBM longer.
Cost Nd2NzCost(const SocConfig& soc, const GmMove& move, const RowReads& reads);
// L1 or UB -> GM: at the lasting rate; a short move is complete after the latency and its bytes at the rate
// of short ones.
Cost GmWriteCost(const SocConfig& soc, const GmMove& move);

// L0C -> L1: `fp32_bytes` are read from L0C.
Cost FixpipeCost(const SocConfig& soc, int64_t fp32_bytes);
// L0C -> GM.
Cost FixpipeCost(const SocConfig& soc, int64_t fp32_bytes, const GmMove& move);

// The rules above, for the clock.
GmRule GmReadRule(Memory dst);
GmRule Nd2NzRule(const RowReads& reads);
GmRule GmWriteRule();
GmRule FixpipeRule(int64_t fp32_bytes);

}  // namespace tilesim::isa

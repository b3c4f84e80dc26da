#include "tiling/tune/input_tile_cycles.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/gradient_choice.h"
#include "tiling/conv_backprop/input_spread_write.h"
#include "tiling/cube_choice.h"
#include "tiling/rough_time.h"

namespace tilesim {
InputTileCycles::InputTileCycles(const InputProblem& problem, const SocConfig& soc, const InputPart& part,
                                 int64_t base_m)
    : p_(problem), soc_(soc), e_(ExtentsOf(problem)) {
  const CubeChoice choice{.base_m = base_m};
  tiling_ = TilingOf(problem, {.rows = part.rows, .lines = part.lines}, choice);
}

ConvBackpropApi::InputShape InputTileCycles::ShapeOf(const InputSamePlanes& kind) const {
  const TConv3DBackpropInputTiling& t = tiling_.data.conv3DDxTiling;
  const int64_t pad_up = BackpropPadsOf(AxisH(p_)).before;
  return ConvBackpropApi::ShapeOf(t, kind.first_row - pad_up, kind.rows, kind.lines, true);
}

std::vector<ConvBackpropApi::InputBlock> InputTileCycles::WalkOf(const InputSamePlanes& kind) const {
  ConvBackpropApi::InputShape shape = ShapeOf(kind);
  shape.limits.n_count = 1;
  ConvBackpropApi::InputBlockWalk walk;
  walk.Start(shape);
  std::vector<ConvBackpropApi::InputBlock> blocks;
  do {
    blocks.push_back(walk.block());
  } while (walk.Next());
  return blocks;
}

InputTileCycles::Block InputTileCycles::BlockOf(const ConvBackpropApi::InputBlock& b) {
  return {.pixels = b.pixels,
          .taps = int64_t{b.h.taps} * b.w.taps,
          .start = b.col_begin,
          .width = b.w.pixels,
          .count = 0,
          .rows = b.split() ? b.row_end - b.row_begin : 0,
          .columns = b.split() ? b.columns() : 0,
          .split_h = b.h.split,
          .split_w = b.w.split,
          .reached =
              SpanBehind(b.h, b.row_begin, b.row_end).count > 0 && SpanBehind(b.w, 0, b.w.pixels).count > 0};
}

std::vector<InputTileCycles::Block> InputTileCycles::BlocksOf(const InputSamePlanes& kind) const {
  std::vector<Block> blocks;
  for (const ConvBackpropApi::InputBlock& b : WalkOf(kind)) {
    const Block block = BlockOf(b);
    const auto same = std::ranges::find_if(blocks, [&](Block other) {
      other.count = 0;
      return other == block;
    });
    ++(same != blocks.end() ? *same : blocks.emplace_back(block)).count;
  }
  return blocks;
}

double InputTileCycles::LoadA(const Block& block, int64_t k) const {
  return Real(isa::Img2ColCost(soc_, Memory::kL0A,
                               {.m_start = block.start,
                                .m_extension = AlignUp(block.pixels, kFractalEdge),
                                .channel_blocks = k / e_.c0,
                                .out_width = block.width,
                                .stride_w = 1})
                  .busy_cycles);
}

double InputTileCycles::LoadB(int64_t taps, int64_t lines, int64_t k) const {
  const int64_t parts = k / e_.c0;
  const int64_t loads = taps != 1 ? parts : e_.c0 == 8 ? 1 : std::min(parts, lines);
  if (e_.c0 == 8) {  // as an image of output channels
    return Real(loads * isa::Img2ColCost(soc_, Memory::kL0B,
                                         {.m_start = 0,
                                          .m_extension = k / loads,
                                          .channel_blocks = lines,
                                          .out_width = 1 << 15,
                                          .stride_w = 1})
                            .busy_cycles);
  }
  return Real(loads * isa::LoadCost(soc_, Memory::kL0B, parts * lines / loads).busy_cycles);
}

double InputTileCycles::FixOf(const Block& block, int64_t lines) const {
  int64_t writes = 1;
  if (block.split_w > 1) {
    const auto spread = ConvBackpropApi::SpreadWrite::Of({.rows = block.rows,
                                                          .columns = block.columns,
                                                          .lines = lines,
                                                          .row_step = block.split_h * p_.wi * e_.c0,
                                                          .line_step = p_.hi * p_.wi * e_.c0});
    writes = spread.row_moves * spread.line_moves;
  } else if (block.split_h > 1) {
    writes = block.rows;
  }
  const int64_t bytes = CeilDiv(lines * e_.c0, kFractalEdge) * block.pixels * kFractalEdge * 4;
  return Real(writes * isa::FixpipeCost(soc_, bytes / writes).busy_cycles);
}

InputTileCycles::Zeros InputTileCycles::ZerosOf(const InputSamePlanes& kind, int64_t base_n) const {
  const auto fill = [&](Memory memory, int64_t extent) {
    return Real(isa::FillCost(soc_, memory, CeilDiv(extent, kFractalEdge) * kFractalBytes).busy_cycles);
  };
  Zeros zeros;
  for (const Block& block : BlocksOf(kind)) {
    ForSizes(kind.lines, base_n / e_.c0, [&](int64_t lines, int64_t count) {
      const CubeCycles one{
          .m = Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, block.pixels, lines * e_.c0, e_.c0).busy_cycles),
          .mte1 = fill(Memory::kL0A, block.pixels) + fill(Memory::kL0B, lines * e_.c0),
          .fix = FixOf(block, lines),
          .products = 1,
          .blocks = 1};
      zeros.whole.Add(one, Real(block.count * count));
      zeros.unreached.Add(one, block.reached ? 0 : Real(block.count * count));
    });
  }
  return zeros;
}

CubeCycles InputTileCycles::AllOf(const Zeros& zeros, const InputSamePlanes& kind) {
  CubeCycles all;
  return all.Add(zeros.unreached, Real(kind.planes)).Add(zeros.whole, Real(kind.zeros));
}

CubeCycles InputTileCycles::BlockCycles(const Block& block, int64_t lines, int64_t outs,
                                        const InputTile& tile) const {
  CubeCycles tap;
  ForSizes(outs, tile.step_lines, [&](int64_t step, int64_t steps) {
    const int64_t k_end = step * block.taps * e_.c0;
    const int64_t piece = ConvBackpropApi::PieceOfK(k_end, tile.base_k, e_.c0);
    ForSizes(k_end, piece, [&](int64_t k, int64_t pieces) {
      const double times = Real(steps * pieces);
      tap.m +=
          times * Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, block.pixels, lines * e_.c0, k).busy_cycles);
      tap.mte1 += times * (LoadA(block, k) + LoadB(block.taps, lines, k));
      tap.products += times;
    });
  });
  return tap;
}

CubeCycles InputTileCycles::Of(const InputSamePlanes& kind, const InputTile& tile) const {
  CubeCycles all;
  for (const Block& block : BlocksOf(kind)) {
    ForSizes(kind.lines, tile.base_n / e_.c0, [&](int64_t lines, int64_t count) {
      if (!block.reached) {
        return;  // zeros
      }
      const double times = Real(block.count * count);
      CubeCycles some;
      some.Add(BlockCycles(block, lines, kind.outs, tile), Real(kind.taps));
      if (AlignUp(block.pixels, kFractalEdge) * AlignUp(lines * e_.c0, kFractalEdge) < kSelfOrdered) {
        some.waits =
            (some.products - Real(kind.planes)) * Real(soc_.mmad_latency_cycles + soc_.barrier_cycles);
      }
      some.fix = Real(kind.planes) * FixOf(block, lines);
      some.blocks = Real(kind.planes);
      all.Add(some, times);
    });
  }
  return all;
}

CubeCycles InputTileCycles::LeastOf(InputSamePlanes kind, int64_t base_n) const {
  // one piece: shorter ones cost the pipes no less, but for a cycle of rounding
  kind.planes = kind.taps = 1;
  CubeCycles least = Of(
      kind,
      {.base_m = 0, .base_n = base_n, .base_k = kind.outs * p_.hk * p_.wk * e_.c0, .step_lines = kind.outs});
  least.waits = 0;
  least.mte1 = std::max(0.0, least.mte1 - 2 * least.products);
  return least;
}

double InputTileCycles::TapsOfPixels(const InputSamePlanes& kind) const {
  const ConvBackpropApi::InputShape shape = ShapeOf(kind);
  double sum = 0;
  for (uint32_t h = 0; h < shape.rows.split && h < shape.rows.pixels; ++h) {
    const ConvBackpropApi::GradientPhase rows = PhaseOf(shape.rows, h);
    int64_t reached = 0;
    for (int64_t row = 0; row < rows.pixels; ++row) {
      reached += SpanBehind(rows, row, row + 1).count > 0 ? 1 : 0;
    }
    for (uint32_t w = 0; w < shape.columns.split && w < shape.columns.pixels; ++w) {
      const ConvBackpropApi::GradientPhase columns = PhaseOf(shape.columns, w);
      const bool any = SpanBehind(columns, 0, columns.pixels).count > 0;
      sum += any ? Real(reached * columns.pixels) * Real(int64_t{rows.taps} * columns.taps) : 0;
    }
  }
  return sum;
}

InputTileCycles::Load InputTileCycles::LoadOf(const InputSamePlanes& first, const InputTile& tile) const {
  Load load;
  bool is_first = true;
  for (const Block& block : BlocksOf(first)) {
    if (!block.reached) {
      is_first = false;
      continue;
    }
    const int64_t lines = std::min(first.lines, tile.base_n / e_.c0);
    const int64_t k_end = std::min(tile.step_lines, first.outs) * block.taps * e_.c0;
    const int64_t piece = std::min(k_end, ConvBackpropApi::PieceOfK(k_end, tile.base_k, e_.c0));
    const double a = LoadA(block, piece);
    const double b = LoadB(block.taps, lines, piece);
    if (is_first) {
      load.first_a = a;
      load.first_b = b;
    }
    is_first = false;
    load.longest_a = std::max(load.longest_a, a);
    load.longest_b = std::max(load.longest_b, b);
  }
  return load;
}

InputTileCycles::FirstRows InputTileCycles::FirstRowsOf(const InputSamePlanes& first) const {
  const ConvBackpropApi::InputBlock b = WalkOf(first).front();
  return {.pixels = SpanBehind(b.h, b.row_begin, b.row_end).count * SpanBehind(b.w, 0, b.w.pixels).count,
          .taps = int64_t{b.h.taps} * b.w.taps};
}

InputTileCycles::Rows InputTileCycles::RowsOf(const InputSamePlanes& kind) const {
  Rows rows;
  ConvBackpropApi::GradientSpan last;
  for (const ConvBackpropApi::InputBlock& b : WalkOf(kind)) {
    const ConvBackpropApi::GradientSpan h = SpanBehind(b.h, b.row_begin, b.row_end);
    const ConvBackpropApi::GradientSpan w = SpanBehind(b.w, 0, b.w.pixels);
    const double bytes = Real(h.count * w.count * kDataBlockBytes);
    if (bytes == 0) {
      continue;
    }
    rows.blocks += 1;
    rows.bytes += bytes;
    rows.taps_of_blocks += Real(int64_t{b.h.taps} * b.w.taps);
    if (!(h.first == last.first && h.count == last.count)) {
      rows.spans += 1;
      rows.span_bytes += bytes;
    }
    last = h;
  }
  return rows;
}

}  // namespace tilesim

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_spread_write.h"
#include "tiling/rough_time.h"
#include "tiling/tune/cube_bound.h"
#include "tiling/tune/cube_dealing.h"
#include "tiling/tune/cube_steps.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

// How an input gradient's tile program takes a product apart: blocks of C, and K in pieces.
struct InputTile {
  int64_t base_n = 16, base_k = 16;
  int64_t step_lines = 1;  // lines of cout of a step: of the smaller tile in L1
};

// What one depth plane of a task costs the pipes, by the sizes of the tile program's instructions. Blocks
// that cost the same are counted.
class InputTileCycles {
 public:
  InputTileCycles(const InputProblem& problem, const SocConfig& soc, const InputPart& part, int64_t base_m)
      : p_(problem), soc_(soc), e_(ExtentsOf(problem)) {
    const CubeChoice choice{.base_m = base_m};
    tiling_ = TilingOf(problem, {.rows = part.rows, .lines = part.lines}, choice);
  }

  // Of all planes of a kind.
  [[nodiscard]] CubeCycles Of(const InputSamePlanes& kind, const InputTile& tile) const {
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

  // Of blocks of a plane that are written as zeros: those that nothing reaches, and all where no tap of depth
  // reaches the plane.
  struct Zeros {
    CubeCycles unreached, whole;
  };
  [[nodiscard]] Zeros ZerosOf(const InputSamePlanes& kind, int64_t base_n) const {
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

  // Of all planes of a kind.
  [[nodiscard]] static CubeCycles AllOf(const Zeros& zeros, const InputSamePlanes& kind) {
    CubeCycles all;
    return all.Add(zeros.unreached, Real(kind.planes)).Add(zeros.whole, Real(kind.zeros));
  }
  // At least, whatever the pieces; of one plane and one tap of depth.
  [[nodiscard]] CubeCycles LeastOf(InputSamePlanes kind, int64_t base_n) const {
    // one piece: shorter ones cost the pipes no less, but for a cycle of rounding
    kind.planes = kind.taps = 1;
    CubeCycles least =
        Of(kind, {.base_n = base_n, .base_k = kind.outs * p_.hk * p_.wk * e_.c0, .step_lines = kind.outs});
    least.waits = 0;
    least.mte1 = std::max(0.0, least.mte1 - 2 * least.products);
    return least;
  }

  // Pixels times taps of H and W, of a plane: what no cut makes less.
  [[nodiscard]] double TapsOfPixels(const InputSamePlanes& kind) const {
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

  // Of its pieces.
  [[nodiscard]] CubeLoads LoadOf(const InputSamePlanes& first, const InputTile& tile) const {
    CubeLoads load;
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

  // A of a block's first tile: pixels of the gradient a line of cout has, and in how many pieces.
  struct FirstRows {
    int64_t pixels = 0;
    int64_t taps = 1;  // of H and W
  };
  [[nodiscard]] FirstRows FirstRowsOf(const InputSamePlanes& first) const {
    const ConvBackpropApi::InputBlock b = WalkOf(first).front();
    return {.pixels = SpanBehind(b.h, b.row_begin, b.row_end).count * SpanBehind(b.w, 0, b.w.pixels).count,
            .taps = int64_t{b.h.taps} * b.w.taps};
  }

  // Blocks along M, and bytes of one walk over them for one tap of depth and one line of cout: each block's
  // rows; blocks in a row that need the same rows, once.
  struct Rows {
    double blocks = 0, spans = 0;
    double bytes = 0, span_bytes = 0;
    double taps_of_blocks = 0;  // of H and W, summed over blocks
  };
  [[nodiscard]] Rows RowsOf(const InputSamePlanes& kind) const {
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

 private:
  // Blocks along M that cost the same.
  struct Block {
    int64_t pixels, taps, start, width, count;
    int64_t rows, columns, split_h, split_w;  // where pixels lie apart in dx: of the phase, and how far
    bool reached;
    friend bool operator==(const Block&, const Block&) = default;
  };
  // Each of a plane of such rows and lines, in its order.
  [[nodiscard]] std::vector<ConvBackpropApi::InputBlock> WalkOf(const InputSamePlanes& kind) const {
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

  // Of its instructions: loads to L0 of so much of K; the way out.
  [[nodiscard]] double LoadA(const Block& block, int64_t k) const {
    return Real(isa::Img2ColCost(soc_, Memory::kL0A,
                                 {.m_start = block.start,
                                  .m_extension = AlignUp(block.pixels, kFractalEdge),
                                  .channel_blocks = k / e_.c0,
                                  .out_width = block.width,
                                  .stride_w = 1})
                    .busy_cycles);
  }
  [[nodiscard]] double LoadB(int64_t taps, int64_t lines, int64_t k) const {
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

  [[nodiscard]] double FixOf(const Block& block, int64_t lines) const {
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

  [[nodiscard]] std::vector<Block> BlocksOf(const InputSamePlanes& kind) const {
    std::vector<Block> blocks;
    for (const ConvBackpropApi::InputBlock& b : WalkOf(kind)) {
      const Block block = {.pixels = b.pixels,
                           .taps = int64_t{b.h.taps} * b.w.taps,
                           .start = b.col_begin,
                           .width = b.w.pixels,
                           .count = 0,
                           .rows = b.split() ? b.row_end - b.row_begin : 0,
                           .columns = b.split() ? b.columns() : 0,
                           .split_h = b.h.split,
                           .split_w = b.w.split,
                           .reached = SpanBehind(b.h, b.row_begin, b.row_end).count > 0 &&
                                      SpanBehind(b.w, 0, b.w.pixels).count > 0};
      const auto same = std::ranges::find_if(blocks, [&](Block other) {
        other.count = 0;
        return other == block;
      });
      ++(same != blocks.end() ? *same : blocks.emplace_back(block)).count;
    }
    return blocks;
  }

  [[nodiscard]] ConvBackpropApi::InputShape ShapeOf(const InputSamePlanes& kind) const {
    const TConv3DBackpropInputTiling& t = tiling_.data.conv3DDxTiling;
    const int64_t pad_up = BackpropPadsOf(AxisH(p_)).before;
    return ConvBackpropApi::ShapeOf(t, kind.first_row - pad_up, kind.rows, kind.lines, true);
  }
  // Of all lines of cout for one tap of depth.
  [[nodiscard]] CubeCycles BlockCycles(const Block& block, int64_t lines, int64_t outs,
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

  const InputProblem& p_;
  const SocConfig& soc_;
  InputExtents e_;
  InputTiling tiling_;  // fields that blocks depend on
};

// All tilings of an input gradient. A path is the largest task; how tasks are dealt out; baseM and baseN; and
// baseK, steps into L1, copies and order.
class InputSpace : public TilingSpace<InputTiling> {
 public:
  // The problem must be one that some tiling is legal for; `soc` must outlive the space. `least_reads`: bytes
  // that HBM has to give at least.
  InputSpace(const InputProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : p_(problem),
        soc_(soc),
        e_(ExtentsOf(problem)),
        cores_(cores),
        hbm_bytes_(Real(least_reads)),
        dealing_(problem, cores),
        cube_(soc, problem.dtype, problem.hf32),
        taps_before_(1),
        deals_(static_cast<size_t>(dealing_.parts())) {
    const InputTileCycles whole(p_, soc_, {.rows = p_.hi, .lines = 1, .dins = 1}, kFractalEdge);
    row_taps_ = std::numeric_limits<double>::infinity();
    for (int64_t row = 0; row < p_.hi; ++row) {
      const double taps = whole.TapsOfPixels({.rows = 1, .first_row = row});
      taps_before_.push_back(taps_before_.back() + taps);
      row_taps_ = std::min(row_taps_, taps);
    }
  }

  [[nodiscard]] int levels() const override { return 3; }
  Opened Open(int level, const TilePath& node, double cutoff_us) override {
    return level == 0   ? OpenRoot(cutoff_us)
           : level == 1 ? OpenPart(node, cutoff_us)
                        : OpenBase(node, cutoff_us);
  }
  [[nodiscard]] int64_t Count(const TilePath& node) const override {
    const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
    int64_t choices = 0;
    for (const CubeSize& base : BlocksOf(p_, soc_, part)) {
      for (const CubeSteps& steps : StepsOf(p_, soc_, part, base)) {
        choices += steps.Count(soc_);
      }
    }
    return choices * static_cast<int64_t>(dealing_.DealsOf(part).size());
  }

  [[nodiscard]] InputTiling TilingOf(const TilePath& path) const override {
    const InputPart part = dealing_.PartOf(static_cast<int64_t>(path[0]));
    const InputDeal deal = dealing_.DealsOf(part)[path[1]];
    const CubeSize base = BlocksOf(p_, soc_, part)[path[2]];
    const CubeChoice choice = ChoiceOf(path[3], base);
    const InputCut cut{
        .strategy = deal.strategy, .rows = part.rows, .lines = part.lines, .cores = deal.used_cores};
    InputTiling tiling = tilesim::TilingOf(p_, cut, choice);
    TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
    t.singleCoreDin = static_cast<uint32_t>(part.dins);
    tiling.split = DealOut(p_, t, deal.used_cores);
    tiling.split.strategy = deal.strategy;
    return tiling;
  }

  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    const std::map<uint64_t, Deal>& deals = deals_[path[0]];
    if (const auto deal = deals.find(path[1]); deal != deals.end()) {
      return deal->second.busiest;
    }
    const InputPart part = dealing_.PartOf(static_cast<int64_t>(path[0]));
    return dealing_.BusiestCore(part, dealing_.DealsOf(part)[path[1]]);
  }

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

  [[nodiscard]] Opened OpenRoot(double cutoff_us) const {
    const double products = ProductCycles();
    Opened opened;
    for (int64_t i = 0; i < dealing_.parts(); ++i) {
      const InputPart part = dealing_.PartOf(i);
      const int64_t tasks = InputTaskList(dealing_.SpaceOf(part), InputStrategy::kBasicBlock).size();
      double bound = cube_.TimeUs(1e18, 1);
      for (int64_t cores = std::min(tasks, cores_); cores >= 1; --cores) {
        double us = cube_.TimeUs(products / Real(cores), cores);
        if (us < std::min(bound, cutoff_us)) {
          const double fractals = Real(dealing_.LeastProducts(part, cores)) * FractalsOfRow();
          us = std::max(us, LeastUs(fractals, cores));
        }
        bound = std::min(bound, us);
      }
      if (bound < cutoff_us) {
        opened.nodes.push_back({bound, {static_cast<uint64_t>(i)}});
      }
    }
    return opened;
  }

  Opened OpenPart(const TilePath& node, double cutoff_us) {
    const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
    const std::vector<CubeSize> bases = BlocksOf(p_, soc_, part);
    const std::vector<InputDeal> all = dealing_.DealsOf(part);
    const double products = ProductCycles();
    std::map<uint64_t, Deal>& deals = deals_[node[0]];
    for (uint64_t i = 0; i < all.size(); ++i) {
      const InputDeal& deal = all[i];
      if (cube_.TimeUs(products / Real(deal.used_cores), deal.used_cores) >= cutoff_us) {
        continue;
      }
      const size_t busiest = dealing_.BusiestCore(part, deal);
      std::vector<InputSamePlanes> kinds = dealing_.KindsOf(part, deal, busiest);
      if (LeastUs(FractalsOf(kinds), deal.used_cores) < cutoff_us) {
        deals.emplace(i, Deal{deal, busiest, std::move(kinds)});
      }
    }
    Opened opened;
    int64_t made_m = 0;
    std::vector<InputTileCycles> tile;  // of the baseM in hand
    for (uint64_t base = 0; base < bases.size(); ++base) {
      struct Each {
        InputSamePlanes kind;
        CubeCycles work;  // of one plane and tap
        InputTileCycles::Zeros zeros;
      };
      std::vector<Each> each;
      for (const auto& [i, deal] : deals) {
        if (bases[base].m != made_m) {
          made_m = bases[base].m;
          tile.clear();
          tile.emplace_back(p_, soc_, part, made_m);
        }
        CubeCycles work, zeros;
        for (const InputSamePlanes& kind : deal.kinds) {
          auto same = std::ranges::find_if(each, [&](const auto& known) {
            return known.kind.rows == kind.rows && known.kind.lines == kind.lines &&
                   known.kind.outs == kind.outs && known.kind.first_row == kind.first_row;
          });
          if (same == each.end()) {
            each.push_back(
                {kind, tile.front().LeastOf(kind, bases[base].n), tile.front().ZerosOf(kind, bases[base].n)});
            same = each.end() - 1;
          }
          zeros.Add(InputTileCycles::AllOf(same->zeros, kind), 1);
          CubeCycles planes = same->work;
          planes.fix *= Real(kind.planes);
          planes.blocks *= Real(kind.planes);
          planes.m *= Real(kind.taps);
          planes.mte1 *= Real(kind.taps);
          planes.products *= Real(kind.taps);
          work.Add(planes, 1);
        }
        const double bound = LongestUs(work, zeros, {}, deal.deal.used_cores);
        if (bound < cutoff_us) {
          opened.nodes.push_back({bound, {node[0], i, base}});
        }
      }
    }
    return opened;
  }

  [[nodiscard]] Opened OpenBase(const TilePath& node, double cutoff_us) const {
    const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
    const CubeSize base = BlocksOf(p_, soc_, part)[node[2]];
    const Deal& deal = deals_[node[0]].at(node[1]);
    const InputTileCycles cycles(p_, soc_, part, base.m);
    const std::vector<InputSamePlanes>& kinds = deal.kinds;
    std::vector<Moved> moved;
    CubeCycles zeros;
    for (const InputSamePlanes& kind : kinds) {
      zeros.Add(InputTileCycles::AllOf(cycles.ZerosOf(kind, base.n), kind), 1);
      moved.push_back({kind, cycles.RowsOf(kind), CeilDiv(kind.lines * e_.c0, base.n)});
    }
    const InputTileCycles::FirstRows first = cycles.FirstRowsOf(kinds.front());
    struct Known {
      InputTile tile;
      CubeCycles work;
      CubeLoads load;
    };
    std::vector<Known> known;
    Opened opened;
    const int64_t line = p_.hk * p_.wk * e_.c0;
    const auto look_at = [&](const CubeChoice& choice) {
      ++opened.tilings;
      const int64_t lines_a = choice.step_ka * choice.base_k / line;
      const int64_t lines_b = choice.step_kb * choice.base_k / line;
      const InputTile tile{
          .base_n = base.n, .base_k = choice.base_k, .step_lines = std::min(lines_a, lines_b)};
      if (known.empty() || known.back().tile.base_k != tile.base_k ||
          known.back().tile.step_lines != tile.step_lines) {
        Known now{tile, {}, cycles.LoadOf(kinds.front(), tile)};
        for (const InputSamePlanes& kind : kinds) {
          now.work.Add(cycles.Of(kind, tile), 1);
          const CubeLoads more = cycles.LoadOf(kind, tile);
          now.load.longest_a = std::max(now.load.longest_a, more.longest_a);
          now.load.longest_b = std::max(now.load.longest_b, more.longest_b);
        }
        known.push_back(now);
      }
      const Known& of = known.back();
      CubeStart start{.first_a = of.load.first_a, .first_b = of.load.first_b};
      if (first.pixels > 0 && kinds.front().planes > 0) {
        const int64_t outs = kinds.front().outs;
        const int64_t lines = std::min(kinds.front().lines, base.n / e_.c0);
        start.tile_a = cube_.ReadCycles(Real(std::min(outs, lines_a) * first.pixels * kDataBlockBytes), 1.0);
        start.tile_b = cube_.ReadCycles(
            Real(std::min(outs, lines_b) * lines * first.taps * e_.c0 * kDataBlockBytes), 1.0);
      } else {
        start = {};
      }
      const double us = ChoiceUs(of.work, zeros, start, of.load, moved, choice, deal.deal.used_cores);
      if (us < cutoff_us) {
        opened.nodes.push_back({us, {node[0], node[1], node[2], CodeOf(choice)}});
      }
    };
    for (const CubeSteps& steps : StepsOf(p_, soc_, part, base)) {
      steps.ForEach(soc_, look_at);
    }
    return opened;
  }

  // Each pixel of dx that something reaches takes its taps, in fractals that are full.
  // Of all cores together.
  [[nodiscard]] double ProductCycles() const {
    const InputTileCycles whole(p_, soc_, {.rows = p_.hi, .lines = 1, .dins = 1}, kFractalEdge);
    const InputSamePlanes plane{.rows = p_.hi, .lines = 1, .outs = 1, .planes = 1, .taps = 1};
    const double taps = whole.TapsOfPixels(plane);
    const double outs = e_.real_groups == 1 ? Real(e_.cout1_g) : 1;
    const double lines = e_.real_groups == 1 ? Real(e_.cin1_g) : 1;
    return Real(dealing_.active_pairs()) * taps / 16 * outs * (lines * Real(e_.c0) / 16) *
           FractalCycles(soc_, p_.dtype, p_.hf32);
  }
  // Fractals of products of one row, line, tap of depth and line of output channels, at least.
  [[nodiscard]] double FractalsOfRow() const { return row_taps_ / kFractalEdge * Real(e_.c0) / kFractalEdge; }
  // Fractals of products, 16 by 16 by c0, that are not full taken for what they hold.
  [[nodiscard]] double FractalsOf(const std::vector<InputSamePlanes>& kinds) const {
    double sum = 0;
    for (const InputSamePlanes& kind : kinds) {
      const double pixels = taps_before_[static_cast<size_t>(kind.first_row + kind.rows)] -
                            taps_before_[static_cast<size_t>(kind.first_row)];
      sum += pixels * Real(kind.lines * kind.outs * kind.taps);
    }
    return sum / kFractalEdge * Real(e_.c0) / kFractalEdge;
  }
  [[nodiscard]] double LeastUs(double fractals, int64_t cores) const {
    const auto ways =
        Real(soc_.gm_read_latency_cycles + soc_.fixpipe_floor_cycles + soc_.gm_write_latency_cycles);
    return cube_.TimeUs(fractals == 0 ? 0 : ways + fractals * FractalCycles(soc_, p_.dtype, p_.hf32), cores);
  }
  [[nodiscard]] double LongestUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                                 int64_t cores) const {
    CubeCycles all = work;
    all.Add(zeros, 1);
    const double pipes = all.products == 0 ? 0 : cube_.Pipes(all);
    if (work.products == 0) {
      return cube_.TimeUs(pipes, cores);
    }
    const double fetch = std::max(hbm_bytes_ / soc_.hbm_total_bytes_per_cycle - kSlotSlack,
                                  CoresFetchCycles(soc_, cores, hbm_bytes_));
    return cube_.TimeUs(std::max({pipes, cube_.Longest(work, start), fetch + cube_.Tail()}), cores);
  }

  [[nodiscard]] double ChoiceUs(const CubeCycles& work, const CubeCycles& zeros, const CubeStart& start,
                                const CubeLoads& load, const std::vector<Moved>& moved,
                                const CubeChoice& choice, int64_t cores) const {
    CubeMoves a, b;
    const int64_t line = p_.hk * p_.wk * e_.c0;
    for (const Moved& kind : moved) {
      const double outs = Real(kind.planes.outs);
      const double tiles_a = Real(CeilDiv(kind.planes.outs, choice.step_ka * choice.base_k / line));
      const double tiles_b = Real(CeilDiv(kind.planes.outs, choice.step_kb * choice.base_k / line));
      const double taps = Real(kind.planes.taps);
      const double planes = Real(kind.planes.planes);
      const double every = taps == planes * Real(p_.dk) ? Real(p_.dk) : 1;  // taps of a plane, at least
      const double n = Real(kind.blocks_n);
      const double b_bytes = outs * Real(kind.planes.lines * e_.c0 * kDataBlockBytes);
      if (every * tiles_a > Real(choice.l1_copies_a)) {  // brought for every block
        a.loads += kind.rows.blocks * n * taps * tiles_a;
        a.bytes += kind.rows.bytes * n * taps * outs;
      } else {
        const double times =
            choice.iterate_order == 1 && kind.rows.spans * tiles_a > Real(choice.l1_copies_a) ? n : 1;
        const double fresh = Real(kind.planes.fresh) / Real(p_.stride_d);
        a.loads += kind.rows.spans * tiles_a * fresh * times;
        a.bytes += kind.rows.span_bytes * outs * fresh * times;
      }
      if (every * tiles_b > Real(choice.l1_copies_b)) {
        b.loads += kind.rows.blocks * n * taps * tiles_b;
        b.bytes += kind.rows.taps_of_blocks * taps * b_bytes;
      } else if (choice.iterate_order == 0 && n * tiles_b > Real(choice.l1_copies_b)) {
        b.loads += kind.rows.blocks * n * planes * tiles_b;
        b.bytes += kind.rows.taps_of_blocks * planes * b_bytes;
      }
    }
    const double busy_a = cube_.ReadCycles(a.bytes, a.loads);
    const double busy_b = cube_.ReadCycles(b.bytes, b.loads);
    double cycles =
        std::max({cube_.Moves(start, busy_a + busy_b), cube_.TurnsOfL0(work, start, choice.l0_copies),
                  cube_.TurnsOfL0c(work, start, choice.l0c_copies)});
    const double hand = Real(soc_.gm_read_latency_cycles + soc_.load_latency_cycles);
    if (load.longest_b < hand) {
      cycles =
          std::max(cycles, cube_.TurnsOfL1(work, start, a.loads, busy_a, load.longest_b, choice.l1_copies_a));
    }
    if (load.longest_a < hand) {
      cycles =
          std::max(cycles, cube_.TurnsOfL1(work, start, b.loads, busy_b, load.longest_a, choice.l1_copies_b));
    }
    const double longest_us = LongestUs(work, zeros, start, cores);
    return work.products == 0 ? longest_us : std::max(cube_.TimeUs(cycles, cores), longest_us);
  }

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

}  // namespace

std::unique_ptr<TilingSpace<InputTiling>> AllTilingsOf(const InputProblem& problem, const SocConfig& soc,
                                                       int64_t cores, int64_t least_reads) {
  return std::make_unique<InputSpace>(problem, soc, cores, least_reads);
}

}  // namespace tilesim

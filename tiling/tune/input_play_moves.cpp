// What the instructions of a played input gradient take, and its moves into L1.
#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/input_play.h"
#include "tiling/tune/shared_bound.h"

namespace tilesim {
size_t InputPlay::SortOf(const InputTileCycles::Block& block, int64_t lines) {
  const auto same = std::ranges::find_if(
      sorts_, [&](const Sort& sort) { return sort.lines == lines && sort.block == block; });
  if (same == sorts_.end()) {
    constexpr int64_t kEntries = 4;  // a wait, two fills and a flag
    const Costs zeros{
        .k = e_.c0,
        .load_a = cycles_.FillA(block),
        .load_b = cycles_.FillB(lines),
        .multiply =
            Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, block.pixels, lines * e_.c0, e_.c0).busy_cycles),
        .entries = kEntries};
    sorts_.push_back(
        {.block = block,
         .lines = lines,
         .fix = cycles_.FixOf(block, lines),
         .waits = AlignUp(block.pixels, kFractalEdge) * AlignUp(lines * e_.c0, kFractalEdge) < kSelfOrdered,
         .costs = {},
         .zeros = zeros});
    return sorts_.size() - 1;
  }
  return static_cast<size_t>(same - sorts_.begin());
}

InputPlay::Kind InputPlay::KindOf(const InputTask& task) {
  Kind kind;
  kind.rows = task.rows;
  kind.lines = task.lines;
  kind.row = task.row;
  kind.n_count = CeilDiv(task.lines, base_lines_);
  for (const ConvBackpropApi::InputBlock& b :
       cycles_.WalkOf({.rows = task.rows, .lines = task.lines, .first_row = task.row})) {
    const InputTileCycles::Block block = InputTileCycles::BlockOf(b);
    if (!block.reached) {
      kind.blocks.push_back(
          {.zeros = true,
           .sort = {SortOf(block, LinesOf(kind, 0)), SortOf(block, LinesOf(kind, kind.n_count - 1))}});
      continue;
    }
    const ConvBackpropApi::GradientSpan rows = SpanBehind(b.h, b.row_begin, b.row_end);
    const ConvBackpropApi::GradientSpan columns = SpanBehind(b.w, 0, b.w.pixels);
    const Span span = {rows.first, rows.count, columns.first, columns.count};
    const auto same = std::ranges::find(kind.spans, span);
    const auto number = same - kind.spans.begin();
    if (same == kind.spans.end()) {
      kind.spans.push_back(span);
    }
    kind.blocks.push_back(
        {.taps = block.taps,
         .phase = int64_t{b.h.first_tap} * p_.stride_w + b.w.first_tap,  // the taps, whatever the first row
         .span = number,
         .sort = {SortOf(block, LinesOf(kind, 0)), SortOf(block, LinesOf(kind, kind.n_count - 1))}});
  }
  return kind;
}

const InputPlay::Costs& InputPlay::CostsOf(Sort& sort, int64_t k) {
  for (const Costs& costs : sort.costs) {
    if (costs.k == k) {
      return costs;
    }
  }
  constexpr int64_t kOtherEntries = 3;  // a wait, a load of A and a flag
  const int64_t taps = sort.block.taps;
  return sort.costs.emplace_back(Costs{
      .k = k,
      .load_a = cycles_.LoadA(sort.block, k),
      .load_b = cycles_.LoadB(taps, sort.lines, k),
      .multiply =
          Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, sort.block.pixels, sort.lines * e_.c0, k).busy_cycles),
      .entries = kOtherEntries + cycles_.LoadsOfB(taps, sort.lines, k)});
}

// Tiles are good for as long as their tensor stays.
void InputPlay::StartTask(const Kind& kind) {
  if (!task_->same_a) {
    Forget(a_, mte1_done_ + CubeBound::FlagCycles(soc_));
  }
  if (!task_->same_b) {
    Forget(b_, mte1_done_ + CubeBound::FlagCycles(soc_));
  }
  const auto tiles = [&](int64_t lines) { return static_cast<size_t>(CeilDiv(task_->outs, lines)); };
  met_rows_.assign(static_cast<size_t>(p_.dout) * tiles(a_.lines), 0);
  const auto phases = static_cast<size_t>(p_.stride_h * p_.stride_w);
  met_weights_.assign(static_cast<size_t>(p_.dk * kind.n_count) * tiles(b_.lines) * phases, 0);
}

void InputPlay::Fill(Tiles& tiles, size_t at, const Kind& kind, const Step& step) {
  Tiles::Slot& slot = tiles.slots[at];
  if (slot.held) {
    slot.free = mte1_done_ + CubeBound::FlagCycles(soc_);
  }
  slot.key = KeyOf(tiles, kind, step);
  slot.held = true;
  const Move move = tiles.is_a ? MoveOfA(kind, step) : MoveOfB(kind, step);
  const double port = std::min(soc_.gm_l1_core_bytes_per_cycle, soc_.l2_total_bytes_per_cycle);
  const double hbm = std::min({port, soc_.hbm_core_bytes_per_cycle, soc_.hbm_total_bytes_per_cycle});
  const auto pieces = Real(move.bursts * soc_.gm_burst_cycles);
  const bool owned = shares_ ? move.all_own : move.owned;
  const int64_t fetched = shares_ && !owned ? 0 : move.fetched;
  const double busy = std::max(Real(move.bytes - fetched) / port + Real(fetched) / hbm - kRounding, pieces);
  const double alone = std::max(Real(move.bytes) / port - kRounding, pieces);
  const double latency =
      Real(soc_.gm_read_latency_cycles + (owned && move.fetched > 0 ? soc_.gm_miss_latency_cycles : 0));
  const double start = std::max({scalar_, mte2_free_, slot.free});
  mte2_free_ = start + busy;
  if (!shares_) {
    arrivals_.push_back(mte2_free_);
  } else {  // of the cores that are at this task together, one is the last to have so much
    all_read_ += Real(move.bytes * task_->together);
    all_fetched_ += Real(move.all_fetched);
    const SharedTraffic traffic{.read_bytes = all_read_, .least_fetched = all_fetched_};
    mte2_free_ = std::max({mte2_free_, arrivals_[moves_], traffic.Cycles(soc_)});
  }
  ++moves_;
  mte2_done_ = std::max({mte2_done_, mte2_free_, start + latency + alone});
  slot.ready = mte2_done_ + CubeBound::FlagCycles(soc_);
}

InputPlay::Move InputPlay::MoveOfA(const Kind& kind, const Step& step) {
  const Span& span = kind.spans[static_cast<size_t>(kind.blocks[step.block].span)];
  const int64_t tile = step.line / a_.lines;
  const int64_t planes = std::min(a_.lines, task_->outs - tile * a_.lines);
  const int64_t end = span.row + span.rows;
  int64_t& met =
      met_rows_[static_cast<size_t>(taps_[step.tap].plane * CeilDiv(task_->outs, a_.lines) + tile)];
  const int64_t first_new = std::max(span.row, met);
  met = std::max(met, end);
  const bool whole_rows = span.columns == p_.wo;
  const int64_t row_bytes = p_.wo * kDataBlockBytes;
  // at the ends of a plane's rows are sectors that another core may have fetched
  const int64_t edges = row_bytes % soc_.l2_sector_bytes == 0 ? 0 : 2 * soc_.l2_sector_bytes;
  const auto fetched = [&](int64_t first_row, int64_t end_row) {
    return whole_rows ? planes * std::max<int64_t>(0, (end_row - first_row) * row_bytes - edges) : 0;
  };
  const int64_t end_owned = std::min(end, task_->owned_end);
  return {.bytes = planes * span.rows * span.columns * kDataBlockBytes,
          .bursts = whole_rows && span.rows == p_.ho ? 1 : planes,
          .fetched = task_->owns_a || task_->first_a
                         ? fetched(std::max(first_new, task_->owned_begin), end_owned)
                         : 0,
          .owned = task_->owns_a,
          .all_own = task_->all_own_a,
          .all_fetched = task_->new_a * fetched(first_new, end_owned)};
}

InputPlay::Move InputPlay::MoveOfB(const Kind& kind, const Step& step) {
  const Block& block = kind.blocks[step.block];
  const int64_t tiles = CeilDiv(task_->outs, b_.lines);
  const int64_t tile = step.line / b_.lines;
  const int64_t planes = std::min(b_.lines, task_->outs - tile * b_.lines);
  const int64_t pieces = LinesOf(kind, step.n) * block.taps;
  const bool packed = planes * e_.c0 == AlignUp(e_.cout1_g * e_.c0, kFractalEdge);
  const int64_t at = (taps_[step.tap].tap * kind.n_count + step.n) * tiles + tile;
  char& met = met_weights_[static_cast<size_t>(at * p_.stride_h * p_.stride_w + block.phase)];
  const int64_t bytes = pieces * planes * e_.c0 * kDataBlockBytes;
  // a fractal that is no whole sectors shares one with weights that another core may have fetched
  const bool whole_sectors = e_.c0 * kDataBlockBytes % soc_.l2_sector_bytes == 0;
  const int64_t fetched = met == 0 && whole_sectors ? bytes : 0;
  met = 1;
  return {.bytes = bytes,
          .bursts = packed ? 1 : pieces,
          .fetched = task_->owns_b || task_->first_b ? fetched : 0,
          .owned = task_->owns_b,
          .all_own = task_->all_own_b,
          .all_fetched = task_->new_b * fetched};
}

}  // namespace tilesim

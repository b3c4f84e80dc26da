#include "tiling/conv_backprop/input_moves.h"

#include <algorithm>
#include <numeric>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/input_spread_write.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

using ConvBackpropApi::InputBlock;
using ConvBackpropApi::InputBlockWalk;
using ConvBackpropApi::InputStep;
using ConvBackpropApi::SpreadWrite;

constexpr int64_t kBlockBytes = 32;  // one pixel of c0 channels

// L2 is filled in sectors: bytes of a run that are there when what lies beside it, on one side, is. Places
// between the two are multiples of `period_bytes`.
double BroughtAlong(int64_t period_bytes, int64_t run_bytes) {
  constexpr int64_t kSector = 128;  // l2.sector_bytes of all parts
  const int64_t step = std::gcd(period_bytes, kSector);
  int64_t shared = 0;
  for (int64_t begin = step; begin < kSector; begin += step) {
    shared += std::min(kSector - begin, run_bytes);
  }
  return Real(shared) / Real(kSector / step);
}

// Share of a run that is not in L2 yet when so many bytes of it have been brought along.
double NewShare(int64_t run_bytes, double brought_bytes) {
  return std::max(0.0, 1 - brought_bytes / Real(run_bytes));
}

// Of runs that follow each other.
double NewShareOfNext(int64_t run_bytes) { return NewShare(run_bytes, BroughtAlong(run_bytes, run_bytes)); }

}  // namespace

InputMoves::InputMoves(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling,
                       const SocConfig& soc, int64_t cores, const InputCoreWork& work)
    : p_(problem), t_(tiling), soc_(soc), cores_(cores), e_(ExtentsOf(problem)) {
  planes_a_ = InputL1::Of(tiling).lines;
  planes_b_ = planes_a_ * tiling.stepKb / tiling.stepKa;
  dy_source_ = {.fetched = work.dy_fetched,
                .same = SameShare(work.dy_fetched),
                .aligned_part = AlignedPart(soc, p_.wo * kBlockBytes)};
  weights_source_ = {.fetched = work.weights_fetched, .same = SameShare(work.weights_fetched)};
}

void InputMoves::Start(const InputTask& task, const ConvBackpropApi::InputShape& shape) {
  task_ = task;
  planes_ = std::min<int64_t>(t_.cout1G, int64_t{t_.cout1} - task.group * t_.cout1G);
  spacing_h_ = p_.stride_h / shape.rows.split;
  spacing_w_ = p_.stride_w / shape.columns.split;
}

int64_t InputMoves::LinesOf(const InputBlockWalk& walk) const {
  const int64_t base = t_.baseN / e_.c0;
  return std::min(task_.lines - walk.n() * base, base);
}

CoreShares::Needs InputMoves::MoveCost(double moves, double bytes, int64_t bursts, double new_share,
                                       const Source& of) const {
  const auto all = static_cast<int64_t>(bytes);
  const auto waited = static_cast<int64_t>(bytes * new_share);
  const auto missing = static_cast<int64_t>(bytes * new_share * of.fetched);
  const GmMove alone{.bytes = {.hit = all - waited, .miss = waited}, .bursts = bursts};
  const GmMove move{.bytes = {.hit = all - missing, .miss = missing}, .bursts = bursts};
  return {.busy = moves * Real(isa::GmReadCost(soc_, Memory::kL1, alone).busy_cycles),
          .l2 = moves * L2Cycles(soc_, move, cores_, of.same) / of.aligned_part,
          .hbm = moves * HbmCycles(soc_, move, cores_) / of.aligned_part,
          .hbm_waits = moves * HbmCycles(soc_, alone, cores_) / of.aligned_part};
}

// Share of a tile's rows that the core has not met before, which it has now.
double InputMoves::NewRows(const InputTileKey& key) {
  const int64_t tiles = CeilDiv(int64_t{t_.cout1G}, planes_a_);
  const int64_t plane =
      ((task_.batch * p_.dout + key.depth) * e_.real_groups + task_.group) * tiles + key.along / planes_a_;
  const InputRowSpan rows = {.begin = key.across, .end = key.across + key.extent};
  const auto [at, is_new] = rows_met_.try_emplace(plane, rows);
  if (is_new) {
    return 1;
  }
  InputRowSpan& met = at->second;
  const int64_t before = met.end - met.begin;
  met = {std::min(met.begin, rows.begin), std::max(met.end, rows.end)};
  const int64_t rows_new = std::min(met.end - met.begin - before, key.extent);
  return rows_new == 0 ? 0
                       : Real(rows_new) / Real(key.extent) * NewShareOfNext(rows_new * p_.wo * kBlockBytes);
}

CoreShares::Needs InputMoves::LoadA(Zeros& zeros, const InputTileKey& key, const InputStep& step) {
  const int64_t planes = std::min(planes_a_, planes_ - key.along);
  const int64_t pixels = step.rows.count * step.columns.count;
  const bool whole_rows = step.columns.count == p_.wo;
  const double new_share = NewRows(key);
  const double bytes = Real(planes * pixels * kBlockBytes);
  if (spacing_h_ == 1 && spacing_w_ == 1) {
    const bool whole = whole_rows && step.rows.count == p_.ho;
    return MoveCost(1, bytes,
                    whole        ? 1
                    : whole_rows ? planes
                                 : planes * step.rows.count,
                    new_share, dy_source_);
  }
  double fill_cycles = 0;
  const Zeros shape = {planes, step.rows.count, step.columns.count};
  if (zeros != shape) {
    zeros = shape;
    const int64_t spread = step.rows.spread(spacing_h_) * step.columns.spread(spacing_w_);
    const Cost fill = isa::FillCost(soc_, Memory::kL1, planes * spread * kBlockBytes);
    fill_cycles = Real(fill.busy_cycles + fill.latency_cycles + soc_.barrier_cycles);
  }
  // a plane at a time, or a row where pixels lie apart
  const int64_t moves = spacing_w_ == 1 ? planes : planes * step.rows.count;
  const int64_t bursts = spacing_w_ == 1 && !whole_rows ? step.rows.count : 1;
  CoreShares::Needs needs = MoveCost(Real(moves), bytes / Real(moves), bursts, new_share, dy_source_);
  needs.busy += fill_cycles;
  return needs;
}

CoreShares::Needs InputMoves::LoadB(const InputTileKey& key, const InputStep& step) {
  const InputBlock& block = step.walk.block();
  const int64_t lines = LinesOf(step.walk);
  const int64_t planes = std::min(planes_b_, planes_ - key.along);
  const int64_t taps = int64_t{block.h.taps} * block.w.taps;
  const int64_t all_taps = p_.hk * p_.wk;
  const double bytes = Real(lines * taps * planes * e_.c0 * kBlockBytes);
  const int64_t channels = AlignUp(int64_t{t_.cout1G} * e_.c0, int64_t{16});
  const bool packed = planes * e_.c0 == channels;
  const int64_t tile = (task_.group * p_.dk + key.depth) * t_.cin1G + task_.line + key.across;
  const int64_t phases = int64_t{block.h.split} * block.w.split;
  const int64_t part = (tile * CeilDiv(int64_t{t_.cout1G}, planes_b_) + key.along / planes_b_) * phases;
  double new_share = 0;
  if (weights_met_.insert(part + key.extent).second) {
    // runs of one tap: the one before is there, and of another phase those of the taps on both sides
    const int64_t run = planes * e_.c0 * kBlockBytes;
    const int64_t tap = channels * kBlockBytes;
    const bool last = key.along + planes >= planes_;
    const double beside_tap = key.extent > 0 ? BroughtAlong(tap, run) : 0;
    new_share =
        NewShare(run, (key.along > 0 ? BroughtAlong(run, run) : beside_tap) + (last ? beside_tap : 0));
  }
  if (taps == all_taps) {
    return MoveCost(1, bytes, packed ? 1 : lines * taps, new_share, weights_source_);
  }
  const int64_t moves = lines * block.h.taps;
  const int64_t bursts = packed && block.w.tap_step == 1 ? 1 : block.w.taps;
  return MoveCost(Real(moves), bytes / Real(moves), bursts, new_share, weights_source_);
}

// Pixels that follow each other in dx go out at once.
InputMoves::Writes InputMoves::WritesOf(const InputBlock& block, int64_t lines) const {
  const int64_t rows = block.row_end - block.row_begin;
  if (!block.split()) {
    return {.count = 1, .new_share = NewShareOfNext(block.pixels * kBlockBytes)};
  }
  if (block.w.split == 1) {
    return {.count = rows, .new_share = std::max(0.0, 2 * NewShareOfNext(block.columns() * kBlockBytes) - 1)};
  }
  const SpreadWrite write = SpreadWrite::Of({.rows = rows,
                                             .columns = block.columns(),
                                             .lines = lines,
                                             .row_step = block.h.split * p_.wi * e_.c0,
                                             .line_step = p_.hi * p_.wi * e_.c0});
  return {.count = write.row_moves * write.line_moves, .new_share = 0};
}

CoreShares::Needs InputMoves::Write(const InputBlock& block, int64_t lines) const {
  const Writes writes = WritesOf(block, lines);
  const double count = Real(writes.count);
  const double bytes = Real(block.pixels * lines * kBlockBytes) / count;
  const auto missing = static_cast<int64_t>(WritesWaitForHbm(soc_) ? bytes * writes.new_share : 0);
  const int64_t strips = CeilDiv(lines * e_.c0, int64_t{16});
  const auto fp32_bytes = static_cast<int64_t>(Real(strips * block.pixels * 64) / count);
  // L0C gives less than the core's share of L2: so an even share is all that writes are held to
  const GmMove move{
      .bytes = {.hit = static_cast<int64_t>(bytes) - missing, .miss = missing}, .bursts = 1, .cores = cores_};
  return {.busy = count * Real(isa::FixpipeCost(soc_, fp32_bytes, move).busy_cycles)};
}

}  // namespace tilesim

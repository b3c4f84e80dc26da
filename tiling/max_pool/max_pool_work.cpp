#include "tiling/max_pool/max_pool_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kTransposed = 4;      // cycles a repeat of lanes to points: banks of the points
constexpr int64_t kTransposedBack = 8;  // of points of 32 bits to lanes, the same
constexpr int64_t kMostTogether = 31;   // the largest stride of candidates that are taken in together

bool IsNarrow(const PoolShape& shape) { return SizeOf(shape.dtype) == 2; }

}  // namespace

PoolGroups PoolGroupsOf(const PoolShape& shape, int64_t lanes) {
  const int64_t all = shape.lanes();
  const int64_t turn = CeilDiv(all, lanes);
  return {.count = shape.channels_last ? shape.batch * turn : turn,
          .turn = std::max<int64_t>(turn, 1),
          .has_tail = all % lanes != 0};
}

int64_t PoolTailLanes(const PoolShape& shape, int64_t lanes) {
  const int64_t rest = shape.lanes() % lanes;
  return rest == 0 ? lanes : rest;
}

double PoolTakeCycles(const PoolShape& shape, int64_t lanes) {
  const double cast = IsNarrow(shape) ? 1 : 0;
  const double points = IsNarrow(shape) ? 16 : 8;  // that a repeat makes
  return shape.channels_last ? cast : cast + Real(kTransposed * CeilDiv(lanes, int64_t{16})) / points;
}

double PoolIndexCycles(const PoolShape& shape, int64_t lanes) {
  return shape.channels_last ? 1 : Real(kTransposedBack * CeilDiv(lanes, int64_t{8})) / 16;
}

double PoolValueCycles(const PoolShape& shape, int64_t lanes) {
  return !IsNarrow(shape)      ? PoolIndexCycles(shape, lanes)
         : shape.channels_last ? 1
                               : 1 + Real(kTransposed * CeilDiv(lanes, int64_t{16})) / 16;
}

double PointCycles(const SocConfig& soc, double points, double each) {
  return points <= 0 ? 0 : std::max(Real(soc.vector_startup_cycles), points * each);
}

double PoolWait(const SocConfig& soc) { return Real(soc.vector_latency_cycles + soc.barrier_cycles); }

double PoolMergeWaits(const SocConfig& soc) { return Real(soc.vector_startup_cycles) + 2 * PoolWait(soc); }

double PoolMergeEach(bool ignores_nan) { return ignores_nan ? 3 : 5; }

double PoolMergeCycles(const SocConfig& soc, double points, bool ignores_nan) {
  return PoolMergeWaits(soc) + 3 * PointCycles(soc, points) + (ignores_nan ? 0 : PointCycles(soc, points, 2));
}

MaxPoolCounts::MaxPoolCounts(const PoolShape& shape)
    : d(shape.d),
      h(shape.h),
      w(shape.w),
      any_empty(PoolTaps(shape.d).AnyEmpty() || PoolTaps(shape.h).AnyEmpty() ||
                PoolTaps(shape.w).AnyEmpty()) {}

PoolMaxima MaximaOf(const PoolShape& shape, const PoolRange& outputs, const PoolRange& part,
                    const SocConfig& soc) {
  const PoolTaps taps(shape.w);
  const bool fused = !shape.ignores_nan && part.begin == 0 && part.size() > 1;
  const bool together = shape.w.stride <= kMostTogether;
  PoolMaxima work;
  for (int64_t k = part.begin; k < part.end; ++k) {
    const PoolRange later = taps.Later(k).Meet(outputs);
    PoolRange first = taps.First(k).Meet(outputs);
    if (fused && k == 0) {
      first.begin = std::max(first.begin, taps.Inside(1).end);
    }
    const bool from_nothing = shape.ignores_nan && later.Empty();
    const PoolRange taken = from_nothing ? first : later;
    if (!shape.ignores_nan) {  // copied, and their index beside them
      work.cycles += 2 * PointCycles(soc, Real(first.size()));
    }
    if (taken.Empty()) {
      continue;
    }
    // candidates of an even stride lie in the banks of the maxima every other time
    const bool meets = together && shape.w.stride % 2 == 0 && !(fused && k == 1) && !from_nothing;
    const double points = Real(taken.size());
    const double pairs = points + (meets ? Real(taken.size() / 2) : 0);
    const bool partial = together && taken.size() % 4 != 0 && taken.size() <= kPoolMostMaskedRepeats;
    const double more = partial ? Real(soc.vector_partial_block_cycles) : 0;
    work.cycles += PointCycles(soc, pairs + more) + PointCycles(soc, points);
    work.cycles += shape.ignores_nan ? PointCycles(soc, points)
                                     : PointCycles(soc, 2 * points + more) + PointCycles(soc, pairs);
    work.waits += 1;
  }
  return work;
}

PoolRowWork RowWorkOf(const PoolShape& shape, const MaxPoolCounts& counts, const PoolRange& outputs,
                      int64_t taps_w, const SocConfig& soc) {
  const bool in_parts = taps_w < shape.w.window;
  PoolRowWork work;
  work.columns = in_parts ? counts.w.Reads(outputs.begin, outputs.end)
                          : Real(PoolChunkWalk::ColumnsOf(PoolTaps(shape.w), outputs).size());
  for (int64_t k = 0; k < shape.w.window; k += taps_w) {
    const PoolMaxima part = MaximaOf(shape, outputs, {k, std::min(k + taps_w, shape.w.window)}, soc);
    work.cycles += part.cycles;
    work.waits += part.waits;
  }
  return work;
}

MaxPoolColumns::MaxPoolColumns(const PoolShape& shape, const MaxPoolCounts& counts, int64_t w, int64_t taps_w,
                               const SocConfig& soc) {
  const PoolStorage storage{shape.channels_last, static_cast<int64_t>(SizeOf(shape.dtype))};
  whole_y = w == shape.w.out;
  for (int64_t begin = 0; begin < shape.w.out; begin += w) {
    const PoolRange range = {begin, std::min(begin + w, shape.w.out)};
    const PoolRowWork row = RowWorkOf(shape, counts, range, taps_w, soc);
    outputs.Add(Real(range.size()));
    pitch.Add(Real(storage.Pitch(range.size(), shape.w.out)));
    loaded.Add(row.columns);
    const bool whole = row.columns >= Real(shape.w.in);
    read.Add(row.columns > 0 ? 1 : 0);
    whole_read.Add(whole ? 1 : 0);
    part_read.Add(row.columns > 0 && !whole ? 1 : 0);
    rows.Add(row.cycles);
    starts.Add(row.waits);
    merges.Add(PoolMergeCycles(soc, Real(range.size()), shape.ignores_nan));
    finishes.Add(PointCycles(soc, Real(range.size())));
  }
}

MaxPoolWork::MaxPoolWork(const PoolShape& shape, const MaxPoolCounts& counts, const PoolTile& tile,
                         const MaxPoolColumns& columns, const SocConfig& soc, PoolStored stored)
    : values_(stored == PoolStored::kAll ? 1 : 0),
      ledger_(PoolSums(PoolGroupsOf(shape, tile.lanes), {columns.outputs.size(), CeilDiv(shape.h.out, tile.h),
                                                         CeilDiv(shape.d.out, tile.d)})) {
  for (int64_t begin = 0; begin < shape.d.out; begin += tile.d) {
    const int64_t end = std::min(begin + tile.d, shape.d.out);
    d_outputs_.Add(Real(end - begin));
    d_reads_.Add(counts.d.Reads(begin, end));
    d_merges_.Add(counts.d.Merges(begin, end));
  }
  for (int64_t begin = 0; begin < shape.h.out; begin += tile.h) {
    const int64_t end = std::min(begin + tile.h, shape.h.out);
    h_outputs_.Add(Real(end - begin));
    h_reads_.Add(counts.h.Reads(begin, end));
    h_merges_.Add(counts.h.Merges(begin, end));
    h_one_.Add(1);
  }
  SetRows(tile.rows, tile.store_rows);
  AddVector(shape, tile, columns, soc);
  AddMoves(shape, tile, columns);
}

void MaxPoolWork::SetRows(int64_t rows, int64_t store_rows) {
  h_chunks_ = h_stores_ = BlockFactor();
  for (int64_t block = 0; block < h_outputs_.size(); ++block) {
    h_chunks_.Add(std::ceil(h_reads_.At(block) / Real(rows)));
    h_stores_.Add(std::ceil(h_outputs_.At(block) / Real(store_rows)));
  }
}

void MaxPoolWork::AddVector(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns,
                            const SocConfig& soc) {
  using C = PoolCycles;
  const int64_t tail = PoolTailLanes(shape, tile.lanes);
  const double each = PoolMergeEach(shape.ignores_nan);
  const double waits = PoolMergeWaits(soc);
  const auto store = [&](int64_t lanes) {
    return values_ * PoolValueCycles(shape, lanes) + PoolIndexCycles(shape, lanes);
  };
  ledger_.Add({&C::vector, &C::taken}, {{&columns.loaded, &h_reads_, &d_reads_},
                                        PoolTakeCycles(shape, tile.lanes),
                                        PoolTakeCycles(shape, tail)});
  ledger_.Add({&C::vector, &C::taken}, {{&columns.rows, &h_reads_, &d_reads_}});
  ledger_.Add({&C::vector, &C::taken}, {{&columns.starts, &h_chunks_, &d_reads_}, waits, waits});
  ledger_.Add({&C::vector}, {{&columns.merges, &h_merges_, &d_reads_}});
  ledger_.Add({&C::vector}, {{&columns.pitch, &h_outputs_, &d_merges_}, each, each});
  ledger_.Add({&C::vector}, {{&columns.read, &h_one_, &d_merges_}, waits, waits});
  ledger_.Add({&C::vector}, {{&columns.finishes, &h_outputs_, &d_outputs_}});
  ledger_.Add({&C::vector, &C::stored},
              {{&columns.pitch, &h_outputs_, &d_outputs_}, store(tile.lanes), store(tail)});
}

void MaxPoolWork::AddMoves(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns) {
  using C = PoolCycles;
  const auto lanes = Real(tile.lanes);
  const auto tail = Real(PoolTailLanes(shape, tile.lanes));
  const auto bytes = Real(static_cast<int64_t>(SizeOf(shape.dtype)));
  const double stores = values_ + 1;
  const double stored_bytes = values_ * bytes + Real(kPoolIndexBytes);
  ledger_.Add({&C::loads}, {{&columns.read, &h_chunks_, &d_reads_}});
  ledger_.Add({&C::read_bytes}, {{&columns.loaded, &h_reads_, &d_reads_}, lanes * bytes, tail * bytes});
  ledger_.Add({&C::moves}, {{&columns.whole_read, &h_chunks_, &d_reads_}});
  ledger_.Add({&C::moves}, {{&columns.part_read, &h_reads_, &d_reads_}});
  ledger_.Add({&C::write_bytes},
              {{&columns.outputs, &h_outputs_, &d_outputs_}, lanes * stored_bytes, tail * stored_bytes});
  ledger_.Add({&C::stores}, {{&columns.read, &h_stores_, &d_outputs_}, stores, stores});
  ledger_.Add({&C::blocks}, {{&columns.read, &h_one_, &d_outputs_}});
  if (shape.channels_last) {  // all channels of a point lie beside those of the next one
    const double full_bursts = tile.lanes < shape.channels ? 1 : 0;
    ledger_.Add({&C::read_bursts}, {{&columns.loaded, &h_reads_, &d_reads_}, full_bursts, full_bursts});
    ledger_.Add({&C::write_bursts},
                {{&columns.outputs, &h_outputs_, &d_outputs_}, stores * full_bursts, stores * full_bursts});
    return;
  }
  // lanes whose plane moves whole lie one behind the other
  const bool reads_join = shape.d.in == 1 && shape.h.in <= kMostPoolRows;
  const bool writes_join = shape.d.out == 1 && tile.h >= shape.h.out && columns.whole_y;
  const auto bursts = [&](bool join, double of_lanes) { return join ? 1 : of_lanes; };
  ledger_.Add(
      {&C::read_bursts},
      {{&columns.whole_read, &h_chunks_, &d_reads_}, bursts(reads_join, lanes), bursts(reads_join, tail)});
  ledger_.Add({&C::read_bursts}, {{&columns.part_read, &h_reads_, &d_reads_}, lanes, tail});
  const BlockFactor& rows = columns.whole_y ? h_stores_ : h_outputs_;
  ledger_.Add({&C::write_bursts}, {{&columns.read, &rows, &d_outputs_},
                                   stores * bursts(writes_join, lanes),
                                   stores * bursts(writes_join, tail)});
}

PoolRange MaxPoolWork::BlocksOf(int64_t core, int64_t cores) const {
  return BlocksOfCore(core, cores, ledger_.sums().blocks());
}

int64_t MaxPoolWork::BusiestCore(int64_t cores) const {
  return ledger_.BusiestCore(cores, [&](int64_t core) { return BlocksOf(core, cores); });
}

PoolCycles MaxPoolWork::OfCore(int64_t core, int64_t cores) const {
  return ledger_.Of(BlocksOf(core, cores));
}

size_t BusiestCoreOf(const MaxPoolTiling& tiling, const PoolShape& shape, const MaxPoolCounts& counts,
                     const SocConfig& soc) {
  const PoolTile tile = TileOf(tiling);
  const MaxPoolColumns columns(shape, counts, tile.w, tile.taps_w, soc);
  const MaxPoolWork work(shape, counts, tile, columns, soc);
  return static_cast<size_t>(work.BusiestCore(tiling.split.used_cores));
}

double PoolStoreWaits(const SocConfig& soc, const PoolCycles& work, int64_t points, int64_t element_bytes,
                      double write) {
  if (points == 0) {
    return 0;
  }
  const auto most = Real(points * kPoolLanes * element_bytes);  // bytes of a store
  const double most_busy = std::max(most / soc.gm_write_core_bytes_per_cycle,
                                    Real(std::max(kPoolLanes, points) * soc.gm_burst_cycles));
  const double hand = Real(soc.vector_latency_cycles + 2 * soc.flag_cycles + soc.gm_write_latency_cycles);
  const double rate = soc.gm_write_burst_bytes_per_cycle;
  // but for the last two, and the last three
  const double turns = work.stores * hand + work.write_bytes / rate - 2 * work.blocks * (hand + most / rate);
  return std::max({0.0, (turns - work.stored) / 2, write - 3 * work.blocks * most_busy - work.stored});
}

double PoolLeastCycles(const SocConfig& soc, const PoolCycles& work, const PoolFacts& facts) {
  const auto latency = Real(soc.gm_ub_read_latency_cycles);
  const auto written = Real(soc.gm_write_latency_cycles);
  const double first = facts.any_empty ? 0 : latency;
  const auto buffers = Real(kPoolQueueBuffers);
  constexpr double kRoundingOfAMove = 1e-3;  // of the cycles of a move
  const double read =
      std::max({work.read_bytes / soc.gm_ub_core_bytes_per_cycle - work.moves * kRoundingOfAMove,
                work.read_bursts * Real(soc.gm_burst_cycles), work.moves * Real(soc.gm_ub_move_cycles)});
  const double write =
      std::max(work.write_bytes / soc.gm_write_core_bytes_per_cycle - work.stores * kRoundingOfAMove,
               work.write_bursts * Real(soc.gm_burst_cycles));
  const double short_writes =
      work.write_bytes / soc.gm_write_burst_bytes_per_cycle - work.stores * kRoundingOfAMove;
  const double vector = work.vector + PoolStoreWaits(soc, work, facts.store_points, kPoolIndexBytes, write);
  return std::max({
      first + vector + written,
      first + write,
      read + first + (facts.any_empty ? 0 : written),
      // two buffers take turns: each is filled, used and given back
      (work.loads * latency + read + work.taken) / buffers,
      (work.stores * written + short_writes + work.stored) / buffers,
      facts.hbm_bytes / soc.hbm_total_bytes_per_cycle - 1,
  });
}

}  // namespace tilesim

#include "tiling/max_pool/max_pool_work.h"

#include <algorithm>
#include <cmath>

#include "formats/units.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kMostTogether = 31;  // the largest stride of candidates that are taken in together

// Cycles of a point's index, and of its value, on their way out.
double IndexCycles(const PoolShape& shape, int64_t lanes) {
  constexpr int64_t kTransposedBack =
      8;  // cycles a repeat of points of 32 bits to lanes: banks of the points
  return shape.channels_last ? 1 : Real(kTransposedBack * CeilDiv(lanes, int64_t{8})) / 16;
}
double ValueCycles(const PoolShape& shape, int64_t lanes) {
  constexpr int64_t kTransposed = 4;
  return shape.element_bytes() == 4 ? IndexCycles(shape, lanes)
         : shape.channels_last      ? 1
                                    : 1 + Real(kTransposed * CeilDiv(lanes, int64_t{16})) / 16;
}

// Adds what some taps of a window's row take.
void AddMaxima(const PoolShape& shape, const PoolRange& outputs, const PoolRange& part, const SocConfig& soc,
               PoolRowWork& work) {
  const PoolTaps taps(shape.w);
  const bool fused = !shape.ignores_nan && part.begin == 0 && part.size() > 1;
  const bool together = shape.w.stride <= kMostTogether;
  const auto work_of = [&](int64_t k) {
    PoolRowWork of_tap;
    const PoolRange later = taps.Later(k).Meet(outputs);
    PoolRange first = taps.First(k).Meet(outputs);
    if (fused && k == 0) {
      first.begin = std::max(first.begin, taps.Inside(1).end);
    }
    const bool from_nothing = shape.ignores_nan && later.Empty();
    const PoolRange taken = from_nothing ? first : later;
    if (!shape.ignores_nan) {  // copied, and their index beside them
      of_tap.cycles += 2 * PointCycles(soc, Real(first.size()));
    }
    if (taken.Empty()) {
      return of_tap;
    }
    // candidates of an even stride lie in the banks of the maxima every other time
    const bool meets = together && shape.w.stride % 2 == 0 && !(fused && k == 1) && !from_nothing;
    const double points = Real(taken.size());
    const double pairs = points + (meets ? Real(taken.size() / 2) : 0);
    const bool partial = together && taken.size() % 4 != 0 && taken.size() <= kPoolMostMaskedRepeats;
    const double more = partial ? Real(soc.vector_partial_block_cycles) : 0;
    of_tap.cycles += PointCycles(soc, pairs + more) + PointCycles(soc, points);
    of_tap.cycles += shape.ignores_nan ? PointCycles(soc, points)
                                       : PointCycles(soc, 2 * points + more) + PointCycles(soc, pairs);
    of_tap.waits += 1;
    return of_tap;
  };
  // Taps that all outputs have in bounds, behind others: one is as another.
  PoolRange alike = {std::max<int64_t>(taps.Of(outputs.begin).begin + 1, 2), taps.Of(outputs.end - 1).end};
  alike = alike.Meet(part);
  for (int64_t k = part.begin; k < part.end;) {
    const int64_t times = k == alike.begin ? std::max<int64_t>(alike.size(), 1) : 1;
    const PoolRowWork of_tap = work_of(k);
    work.cycles += Real(times) * of_tap.cycles;
    work.waits += Real(times) * of_tap.waits;
    k += times;
  }
}

}  // namespace

PoolRowWork RowWorkOf(const PoolShape& shape, const MaxPoolCounts& counts, const PoolRange& outputs,
                      int64_t taps_w, const SocConfig& soc) {
  PoolRowWork work;
  work.columns = taps_w < shape.w.window ? counts.w.Reads(outputs.begin, outputs.end)
                                         : Real(PoolChunkWalk::ColumnsOf(PoolTaps(shape.w), outputs).size());
  for (int64_t k = 0; k < shape.w.window; k += taps_w) {
    AddMaxima(shape, outputs, {k, std::min(k + taps_w, shape.w.window)}, soc, work);
  }
  return work;
}

MaxPoolColumns::MaxPoolColumns(const PoolShape& shape, const MaxPoolCounts& counts, int64_t w, int64_t taps_w,
                               const SocConfig& soc) {
  const PoolStorage storage{shape.channels_last, shape.element_bytes()};
  whole_y = w == shape.w.out;
  for (int64_t begin = 0; begin < shape.w.out; begin += w) {
    const PoolRange range = {begin, std::min(begin + w, shape.w.out)};
    const PoolRowWork row = RowWorkOf(shape, counts, range, taps_w, soc);
    const bool whole = row.columns >= Real(shape.w.in);
    outputs.Add(Real(range.size()));
    pitch.Add(Real(storage.Pitch(range.size(), shape.w.out)));
    loaded.Add(row.columns);
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
    : PoolWork(shape, tile.lanes,
               {columns.outputs.size(), CeilDiv(shape.h.out, tile.h), CeilDiv(shape.d.out, tile.d)},
               BlocksOfCore),
      values_(stored == PoolStored::kAll ? 1 : 0) {
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
  AddVector(shape, columns, soc);
  AddMoves(shape, tile, columns);
}

void MaxPoolWork::SetRows(int64_t rows, int64_t store_rows) {
  h_chunks_ = h_stores_ = BlockFactor();
  for (int64_t block = 0; block < h_outputs_.size(); ++block) {
    h_chunks_.Add(std::ceil(h_reads_.At(block) / Real(rows)));
    h_stores_.Add(std::ceil(h_outputs_.At(block) / Real(store_rows)));
  }
}

void MaxPoolWork::AddVector(const PoolShape& shape, const MaxPoolColumns& columns, const SocConfig& soc) {
  using C = PoolCycles;
  const double waits = PoolMergeWaits(soc);
  Add({&C::vector, &C::taken}, {&columns.loaded, &h_reads_, &d_reads_},
      [&](int64_t lanes) { return PoolTakeCycles(shape, lanes); });
  Add({&C::vector, &C::taken}, {&columns.rows, &h_reads_, &d_reads_});
  Add({&C::vector, &C::taken}, {&columns.starts, &h_chunks_, &d_reads_}, waits);
  Add({&C::vector}, {&columns.merges, &h_merges_, &d_reads_});
  Add({&C::vector}, {&columns.pitch, &h_outputs_, &d_merges_}, PoolMergeEach(shape.ignores_nan));
  Add({&C::vector}, {&columns.read, &h_one_, &d_merges_}, waits);
  Add({&C::vector}, {&columns.finishes, &h_outputs_, &d_outputs_});
  Add({&C::vector, &C::stored}, {&columns.pitch, &h_outputs_, &d_outputs_},
      [&](int64_t lanes) { return values_ * ValueCycles(shape, lanes) + IndexCycles(shape, lanes); });
}

void MaxPoolWork::AddMoves(const PoolShape& shape, const PoolTile& tile, const MaxPoolColumns& columns) {
  using C = PoolCycles;
  const Factors loaded = {&columns.loaded, &h_reads_, &d_reads_};
  const Factors whole_rows = {&columns.whole_read, &h_chunks_, &d_reads_};
  const Factors parts = {&columns.part_read, &h_reads_, &d_reads_};
  const Factors outputs = {&columns.outputs, &h_outputs_, &d_outputs_};
  const auto bytes = Real(shape.element_bytes());
  const double stores = values_ + 1;
  const double stored_bytes = values_ * bytes + Real(kPoolIndexBytes);
  Add({&C::loads}, {&columns.read, &h_chunks_, &d_reads_});
  Add({&C::read_bytes, &C::last_bytes}, loaded, [&](int64_t lanes) { return Real(lanes) * bytes; });
  Add({&C::moves}, whole_rows);
  Add({&C::moves}, parts);
  Add({&C::write_bytes}, outputs, [&](int64_t lanes) { return Real(lanes) * stored_bytes; });
  Add({&C::stores}, {&columns.read, &h_stores_, &d_outputs_}, stores);
  Add({&C::blocks}, {&columns.read, &h_one_, &d_outputs_});
  // lanes whose plane moves whole lie one behind the other
  const bool reads_join = shape.d.in == 1 && shape.h.in <= kMostPoolRows;
  const bool writes_join = shape.d.out == 1 && tile.h >= shape.h.out && columns.whole_y;
  AddBursts(&C::read_bursts, shape, loaded, whole_rows, reads_join);
  if (!shape.channels_last) {
    Add({&C::read_bursts}, parts, Real);
  }
  AddBursts(&C::write_bursts, shape, outputs,
            {&columns.read, columns.whole_y ? &h_stores_ : &h_outputs_, &d_outputs_}, writes_join, stores);
}

PoolFacts FactsOf(const MaxPoolCounts& counts, int64_t store_points) {
  return {.waits_for_loads = !counts.any_empty,
          .stores_last = !counts.any_empty,
          .store_points = store_points,
          .element_bytes = kPoolIndexBytes};
}

size_t BusiestCoreOf(const MaxPoolTiling& tiling, const PoolShape& shape, const MaxPoolCounts& counts,
                     const SocConfig& soc) {
  const PoolTile tile = TileOf(tiling);
  const MaxPoolColumns columns(shape, counts, tile.w, tile.taps_w, soc);
  const MaxPoolWork work(shape, counts, tile, columns, soc);
  return static_cast<size_t>(work.BusiestCore(tiling.split.used_cores));
}

}  // namespace tilesim

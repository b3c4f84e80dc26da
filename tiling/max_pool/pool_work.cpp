#include "tiling/max_pool/pool_work.h"

#include "tiling/rough_time.h"

namespace tilesim {

PoolCycles PoolLedger::Of(const PoolRange& blocks) const {
  PoolCycles cycles;
  for (const Part& part : parts_) {
    cycles.*part.sum += sums_.Of(part.term, blocks.begin, blocks.end);
  }
  return cycles;
}

double PoolLedger::VectorOf(const PoolRange& blocks) const {
  double vector = 0;
  for (const Part& part : parts_) {
    vector += part.sum == &PoolCycles::vector ? sums_.Of(part.term, blocks.begin, blocks.end) : 0;
  }
  return vector;
}

PoolCycles PoolLedger::Mean(int64_t cores) const {
  PoolCycles cycles;
  for (const Part& part : parts_) {
    cycles.*part.sum += sums_.Total(part.term) / Real(cores);
  }
  return cycles;
}

PoolAxisCounts::PoolAxisCounts(const PoolAxis& axis) {
  const PoolTaps taps(axis);
  int64_t reached = 0;  // behind the last input that an output before reads
  for (int64_t o = 0; o < axis.out; ++o) {
    const PoolRange inside = taps.Of(o);
    taps_.Add(Real(inside.size()));
    merges_.Add(Real(std::max<int64_t>(inside.size() - 1, 0)));
    int64_t fresh = 0;
    if (axis.dilation == 1 && !inside.Empty()) {
      const int64_t end = taps.Position(o, inside.end - 1) + 1;
      fresh = end - std::max(taps.Position(o, inside.begin), std::min(reached, end));
      reached = std::max(reached, end);
    } else {
      for (int64_t k = inside.begin; k < inside.end; ++k) {
        fresh += taps.AnyReads(taps.Position(o, k), {0, o}) ? 0 : 1;
      }
    }
    fresh_.Add(Real(fresh));
  }
}

}  // namespace tilesim

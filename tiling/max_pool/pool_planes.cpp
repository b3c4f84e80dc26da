#include <algorithm>
#include <array>

#include "tiling/max_pool/max_pool_buffers.h"

namespace tilesim {
namespace {

// Result planes that are under way while plane i of x is pooled: those begun before and those that begin.
int64_t PoolPlanesUnderWayAt(const PoolTaps& d, int64_t i, PoolRelease release) {
  int64_t begun = 0;
  int64_t starting = 0;
  bool awaited = false;  // one up to o
  const PoolRange spanning = d.Spanning(i, {0, d.axis().out});
  for (int64_t o = spanning.begin; o < spanning.end; ++o) {
    const PoolRange taps = d.Of(o);
    if (taps.Empty()) {
      continue;
    }
    const int64_t first = d.Position(o, taps.begin);
    const bool needed = i <= d.Position(o, taps.end - 1);
    awaited = awaited || needed;
    begun += first < i && (release == PoolRelease::kInOrder ? awaited : needed) ? 1 : 0;
    starting += first == i ? 1 : 0;
  }
  return begun + std::max<int64_t>(starting, 1);
}

int64_t CountPlanes(const PoolTaps& d, PoolRelease release) {
  const PoolAxis& axis = d.axis();
  const int64_t in_window = (axis.window - 1) * axis.dilation / axis.stride + 1;  // outputs of an input
  if (in_window > kMostPoolPlanes) {
    return in_window + 1;  // more than there can be, and more than is worth counting
  }
  int64_t most = 1;
  const auto look_at = [&](int64_t begin, int64_t end) {  // at planes where one begins, and behind them
    const PoolRange all{0, axis.out};
    const int64_t last = begin < end ? d.Spanning(end - 1, all).end : 0;
    for (int64_t o = d.Spanning(begin, all).begin; o < last; ++o) {
      const int64_t first = d.Position(o, d.Of(o).begin);
      for (int64_t i = std::max(first, begin); i < std::min(first + 2, end); ++i) {
        most = std::max(most, PoolPlanesUnderWayAt(d, i, release));
      }
    }
  };
  // far from the borders it is the same everywhere: as many planes as two windows span show all there is
  const PoolRange reach = d.Reach({0, axis.out});
  const int64_t span = 2 * ((axis.window - 1) * axis.dilation + axis.stride);
  const int64_t front_end = std::min(reach.end, reach.begin + span + 1);
  look_at(reach.begin, front_end);
  if (release == PoolRelease::kInOrder) {  // windows that are clipped at the end keep more of them
    look_at(std::max(front_end, reach.end - span), reach.end);
  }
  return most;
}

}  // namespace

int64_t PoolPlanesUnderWay(const PoolTaps& d, PoolRelease release) {
  struct Answer {
    PoolAxis axis;
    int64_t planes = 0;  // 0: none yet
  };
  thread_local std::array<Answer, 2> answers;  // by release
  Answer& last = answers[release == PoolRelease::kWhenComplete ? 0 : 1];
  if (last.planes == 0 || last.axis != d.axis()) {
    last = {d.axis(), CountPlanes(d, release)};
  }
  return last.planes;
}

}  // namespace tilesim

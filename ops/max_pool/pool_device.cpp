#include "ops/max_pool/pool_device.h"

#include <algorithm>
#include <array>

#include "formats/error.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {
namespace {

Layout DeviceLayout(const PoolProblem& p, const Extents3& extents) {
  return {p.ChannelsLast() ? Format::kNDHWC : Format::kNCDHW,
          {p.batch, p.channels, extents.d, extents.h, extents.w}};
}

int64_t PositionsRead(const PoolAxis& axis) {
  const PoolTaps taps(axis);
  const PoolRange outputs{0, axis.out};
  const PoolRange reach = taps.Reach(outputs);
  int64_t read = 0;
  for (int64_t i = reach.begin; i < reach.end; ++i) {
    read += taps.AnyReads(i, outputs) ? 1 : 0;
  }
  return read;
}

// Outputs of an axis whose windows hold an element.
int64_t OutputsOfElements(const PoolAxis& axis) {
  const PoolTaps taps(axis);
  if (!taps.AnyEmpty()) {
    return axis.out;
  }
  int64_t outputs = 0;
  for (int64_t o = 0; o < axis.out; ++o) {
    outputs += taps.Of(o).Empty() ? 0 : 1;
  }
  return outputs;
}

}  // namespace

PoolShape ToPoolShape(const PoolProblem& p) {
  const auto axis = [](const WindowAxis& walk, int64_t out) {
    return PoolAxis{.in = walk.in,
                    .out = out,
                    .window = walk.kernel,
                    .stride = walk.stride,
                    .dilation = walk.dilation,
                    .before = walk.pad_before};
  };
  std::array axes = {axis(p.windows.D(), p.out.d), axis(p.windows.H(), p.out.h),
                     axis(p.windows.W(), p.out.w)};
  std::stable_partition(axes.begin(), axes.end(), [](const PoolAxis& walk) {
    return walk.in == 1 && walk.out == 1 && walk.window == 1 && walk.before == 0;
  });
  return {.dtype = p.dtype,
          .batch = p.batch,
          .channels = p.channels,
          .channels_last = p.ChannelsLast(),
          .ignores_nan = p.nan == NanRule::kIgnore,
          .index = p.argmax == ArgmaxOrder::kPlane  ? PoolIndex::kPlane
                   : p.argmax == ArgmaxOrder::kNhwc ? PoolIndex::kNhwc
                                                    : PoolIndex::kBatchNhwc,
          .d = axes[0],
          .h = axes[1],
          .w = axes[2]};
}

std::string MovedAxes(const PoolProblem& p) {
  const PoolShape shape = ToPoolShape(p);
  const Extents3& in = p.windows.in;
  if (shape.d.in == in.d && shape.h.in == in.h && shape.w.in == in.w) {
    return "";
  }
  return Say("axes of one position come first: planned with an x of ", shape.d.in, " x ", shape.h.in, " x ",
             shape.w.in, " (D x H x W)");
}

Layout DeviceXLayout(const PoolProblem& p) { return DeviceLayout(p, p.windows.in); }
Layout DeviceYLayout(const PoolProblem& p) { return DeviceLayout(p, p.out); }

int64_t ElementsRead(const PoolProblem& p) {
  const PoolShape shape = ToPoolShape(p);
  return p.batch * p.channels * PositionsRead(shape.d) * PositionsRead(shape.h) * PositionsRead(shape.w);
}

int64_t WindowsOfPadding(const PoolProblem& p) {
  const PoolShape s = ToPoolShape(p);
  return p.batch * p.channels *
         (s.d.out * s.h.out * s.w.out -
          OutputsOfElements(s.d) * OutputsOfElements(s.h) * OutputsOfElements(s.w));
}

}  // namespace tilesim

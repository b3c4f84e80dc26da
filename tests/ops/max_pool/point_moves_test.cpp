// Points on their way between GM and the lanes of UB: what is loaded and stored again is the same, whatever
// the layout, the type, the box and the lanes; nothing else is written.
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/max_pool/point_loader.h"
#include "lib/max_pool/point_storer.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

struct Moved {
  PoolGrid grid;
  PointBox box;
  int64_t lanes;  // of a group
  int64_t group;
};

template <class T>
T ValueOf(int64_t i) {
  return static_cast<T>(static_cast<float>(i % 2039 - 1000));
}

// Loads the box twice, so that both buffers of the queues are used, and stores it.
template <class T>
void LoadAndStore(const Moved& moved, T* from, T* to, uint64_t elements) {
  const LaneGroup lanes = LaneGroup::At(moved.group, moved.lanes, moved.grid);
  const int64_t element_bytes = sizeof(T);
  const PoolStorage storage{moved.grid.channels_last, element_bytes};
  const int64_t points = moved.box.h.size() * storage.Pitch(moved.box.w.size(), moved.grid.w);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  PointLoader<T> loader;
  PointStorer storer;
  loader.Init(pipe, moved.grid, points, lanes.count == kPoolLanes, moved.box.w.size() == moved.grid.w);
  storer.Init(pipe, moved.grid, points, element_bytes);
  pipe.InitBuffer(buffer, static_cast<uint32_t>(points * kPointBytes));  // not one more: none may be read
  using Wide = typename PointLoader<T>::Wide;
  AscendC::LocalTensor<Wide> held = buffer.Get<Wide>();
  AscendC::GlobalTensor<T> in;
  AscendC::GlobalTensor<T> out;
  in.SetGlobalBuffer(from, elements);
  out.SetGlobalBuffer(to, elements);
  loader.Load(in, lanes, moved.box);
  loader.Load(in, lanes, moved.box);
  for (int i = 0; i < 2; ++i) {
    const AscendC::LocalTensor<Wide> points_now = loader.Take();
    AscendC::DataCopy(held, points_now, static_cast<uint32_t>(points * kPoolLanes));
    loader.Release();
    AscendC::PipeBarrier<PIPE_MTE3>();  // the second time to the same place
    storer.Store<T>(out, lanes, moved.box, held);
  }
}

template <class T>
void ExpectMoved(const Moved& moved, const std::string& what) {
  const PoolGrid& g = moved.grid;
  const auto elements = static_cast<size_t>(g.batch * g.channels * g.points());
  std::vector<T> from(elements);
  std::vector<T> to(elements, T(-7));
  for (size_t i = 0; i < elements; ++i) {
    from[i] = ValueOf<T>(static_cast<int64_t>(i));
  }
  std::vector<T> expected = to;
  for (int64_t lane = moved.group * moved.lanes, i = 0; i < moved.lanes; ++i, ++lane) {
    const int64_t groups = CeilDiv(g.channels, moved.lanes);
    const int64_t n = g.channels_last ? moved.group / groups : lane / g.channels;
    const int64_t c = g.channels_last ? moved.group % groups * moved.lanes + i : lane % g.channels;
    if (n >= g.batch || c >= g.channels) {
      break;
    }
    for (int64_t h = moved.box.h.begin; h < moved.box.h.end; ++h) {
      for (int64_t w = moved.box.w.begin; w < moved.box.w.end; ++w) {
        const int64_t point = (moved.box.d * g.h + h) * g.w + w;
        const auto at = static_cast<size_t>(g.channels_last ? (n * g.points() + point) * g.channels + c
                                                            : (n * g.channels + c) * g.points() + point);
        expected[at] = from[at];
      }
    }
  }
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .threads = 1};
  const uint64_t bytes = elements * sizeof(T);
  options.gm.Add({.name = "from", .address = reinterpret_cast<uint64_t>(from.data()), .size_bytes = bytes});
  options.gm.Add({.name = "to", .address = reinterpret_cast<uint64_t>(to.data()), .size_bytes = bytes});
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    if (AscendC::GetBlockIdx() == 0) {
      LoadAndStore<T>(moved, from.data(), to.data(), elements);
    }
  });
  for (const Fault& fault : result.faults) {
    FAIL() << what << ": " << fault.Text();
  }
  for (size_t i = 0; i < elements; ++i) {
    ASSERT_EQ(static_cast<float>(to[i]), static_cast<float>(expected[i])) << what << ", element " << i;
  }
}

TEST(PointMoves, BringBackWhatTheyTook) {
  constexpr uint32_t kSeed = 20261121;
  std::mt19937 random(kSeed + static_cast<uint32_t>(TestTurn()));
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int trial = 0; trial < Repetitions(160); ++trial) {
    Moved moved;
    moved.grid = {.batch = pick(1, 3),
                  .channels = pick(0, 3) == 0 ? pick(60, 140) : pick(1, 40),
                  .d = pick(1, 3),
                  .h = pick(1, 5),
                  .w = pick(1, 18),
                  .channels_last = pick(0, 1) == 1};
    moved.lanes = pick(0, 1) == 0 ? 64 : pick(1, 64);
    const int64_t groups = moved.grid.channels_last
                               ? moved.grid.batch * CeilDiv(moved.grid.channels, moved.lanes)
                               : CeilDiv(moved.grid.batch * moved.grid.channels, moved.lanes);
    moved.group = pick(0, groups - 1);
    moved.box.d = pick(0, moved.grid.d - 1);
    moved.box.h.begin = pick(0, moved.grid.h - 1);
    moved.box.h.end = pick(moved.box.h.begin + 1, moved.grid.h);
    if (pick(0, 1) == 0) {
      moved.box.w = {0, moved.grid.w};
    } else {
      moved.box.w.begin = pick(0, moved.grid.w - 1);
      moved.box.w.end = pick(moved.box.w.begin + 1, moved.grid.w);
    }
    const std::string what = "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial);
    switch (trial % 4) {
      case 0:
        ExpectMoved<half>(moved, what + ", fp16");
        break;
      case 1:
        ExpectMoved<bfloat16_t>(moved, what + ", bf16");
        break;
      case 2:
        ExpectMoved<float>(moved, what + ", fp32");
        break;
      default:
        ExpectMoved<int32_t>(moved, what + ", int32");
    }
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace tilesim

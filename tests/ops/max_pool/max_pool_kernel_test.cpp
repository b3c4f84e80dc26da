// The max pooling's tile program against plain loops, over random windows and over tiles of every kind, with
// every check on.
#include "ops/max_pool/max_pool_kernel.h"

#include <bit>
#include <cstring>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "sim/core/launch.h"
#include "tests/ops/max_pool/naive_pool.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using testing::NaivePool;

constexpr int64_t kUsableUb = 196608 - kSelectScratchBytes;

SocConfig KernelSoc() {
  SocConfig soc = LoadSoc("ascend910b2");
  soc.numerics_ieee = 1;  // inf and NaN stay
  return soc;
}

template <class T>
struct Pooled {
  std::vector<T> values;
  std::vector<int32_t> argmax;
  LaunchResult launch;
};

template <class T>
Pooled<T> RunKernel(const PoolShape& shape, const PoolTile& tile, int64_t cores, std::vector<T> x,
                    int threads = 1) {
  const auto outputs =
      static_cast<size_t>(shape.batch * shape.channels * shape.d.out * shape.h.out * shape.w.out);
  Pooled<T> pooled{std::vector<T>(outputs, T(-99)), std::vector<int32_t>(outputs, -99), {}};
  const int64_t used = std::min(cores, BlockCountsOf(shape, tile).total());
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = used, .threads = threads};
  const auto add = [&](const char* name, const auto& data, bool initialised) {
    options.gm.Add({.name = name,
                    .address = reinterpret_cast<uint64_t>(data.data()),
                    .size_bytes = data.size() * sizeof(data[0]),
                    .initialised = initialised});
  };
  add("x", x, true);
  add("y", pooled.values, false);
  add("argmax", pooled.argmax, false);
  const auto gm = [](auto& data) { return reinterpret_cast<uint8_t*>(data.data()); };
  pooled.launch = Launch(KernelSoc(), options, [&] {
    MaxPoolKernel<T> kernel;
    kernel.Process(gm(x), gm(pooled.values), gm(pooled.argmax), TilingOf(shape, tile, used));
  });
  return pooled;
}

class Random {
 public:
  explicit Random(uint32_t seed) : random_(seed) {}
  int64_t Pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  bool OneIn(int64_t n) { return Pick(1, n) == 1; }

  // `any_out`: also windows that lie in padding alone.
  PoolAxis Axis(int64_t in, int64_t window, bool any_out) {
    PoolAxis axis{.in = Pick(1, in),
                  .out = 1,
                  .window = Pick(1, window),
                  .stride = Pick(1, 3),
                  .dilation = OneIn(3) ? Pick(2, 3) : 1,
                  .before = 0};
    const int64_t span = (axis.window - 1) * axis.dilation + 1;
    axis.before = any_out ? Pick(0, span + 1) : Pick(0, span / 2);
    const int64_t after = Pick(0, span / 2);
    axis.out = std::max<int64_t>((axis.in + axis.before + after - span) / axis.stride + 1, 1);
    axis.out = any_out ? axis.out + Pick(0, 1) : axis.out;
    return axis;
  }

  PoolShape Shape(DType dtype) {
    PoolShape shape;
    shape.dtype = dtype;
    shape.batch = Pick(1, 3);
    shape.channels = OneIn(4) ? Pick(60, 130) : Pick(1, 12);
    shape.channels_last = OneIn(2);
    shape.ignores_nan = OneIn(3);
    shape.index = static_cast<PoolIndex>(Pick(0, 2));
    const bool any_out = OneIn(4);
    shape.d = Axis(7, 4, any_out);
    shape.h = Axis(12, 4, any_out);
    shape.w = Axis(14, 5, any_out);
    if (OneIn(8)) {
      shape.w.stride = 33;  // more than a repeat stride holds
    }
    return shape;
  }

  // A tile that fits UB.
  PoolTile Tile(const PoolShape& shape) {
    while (true) {
      PoolTile tile{.lanes = OneIn(2) ? 64 : Pick(1, 64),
                    .d = Pick(1, shape.d.out),
                    .h = Pick(1, shape.h.out),
                    .w = OneIn(2) ? shape.w.out : Pick(1, shape.w.out),
                    .rows = Pick(1, 4),
                    .taps_w = shape.w.window,
                    .store_rows = 1};
      tile.taps_w = tile.w == 1 && OneIn(2) ? Pick(1, shape.w.window) : shape.w.window;
      tile.store_rows = Pick(1, tile.h);
      const MaxPoolBuffers buffers = MaxPoolBuffersOf(shape, tile);
      if (buffers.total() <= kUsableUb && buffers.planes <= kMostPoolPlanes) {
        return tile;
      }
    }
  }

  // Small whole numbers, so that there are ties; now and then what is special.
  template <class T>
  std::vector<T> Input(const PoolShape& shape) {
    std::vector<T> x(
        static_cast<size_t>(shape.batch * shape.channels * shape.d.in * shape.h.in * shape.w.in));
    const bool special = OneIn(2);
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const float specials[] = {std::nanf(""), -kInf, kInf, -0.0F};
    for (T& value : x) {
      value = special && OneIn(4) ? T(specials[Pick(0, 3)]) : T(static_cast<float>(Pick(-3, 3)));
    }
    return x;
  }

 private:
  std::mt19937 random_;
};

std::string TextOf(const PoolAxis& a) {
  return std::to_string(a.in) + "->" + std::to_string(a.out) + " k" + std::to_string(a.window) + " s" +
         std::to_string(a.stride) + " dil" + std::to_string(a.dilation) + " p" + std::to_string(a.before);
}
std::string TextOf(const PoolShape& s, const PoolTile& t) {
  return std::string(Name(s.dtype)) + " n" + std::to_string(s.batch) + " c" + std::to_string(s.channels) +
         (s.channels_last ? " last" : "") + (s.ignores_nan ? " ignore" : "") + " index" +
         std::to_string(static_cast<int>(s.index)) + " d " + TextOf(s.d) + " h " + TextOf(s.h) + " w " +
         TextOf(s.w) + "; tile " + std::to_string(t.lanes) + " lanes " + std::to_string(t.d) + "x" +
         std::to_string(t.h) + "x" + std::to_string(t.w) + " rows " + std::to_string(t.rows) + " taps " +
         std::to_string(t.taps_w) + " store " + std::to_string(t.store_rows);
}

template <class T>
bool SameValue(T found, float expected) {
  const auto value = static_cast<float>(found);
  return std::isnan(expected) ? std::isnan(value)
                              : std::bit_cast<uint32_t>(value) == std::bit_cast<uint32_t>(expected);
}

template <class T>
void ExpectNaive(const PoolShape& shape, const PoolTile& tile, int64_t cores, const std::vector<T>& x,
                 const std::string& what) {
  const NaivePool expected = testing::PoolNaively(shape, x);
  const Pooled<T> found = RunKernel(shape, tile, cores, x);
  for (const Fault& fault : found.launch.faults) {
    FAIL() << what << ": " << fault.Text();
  }
  for (size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_EQ(found.argmax[i], expected.argmax[i]) << what << ", output " << i;
    // of +0 and -0 in one window a kernel that selects keeps the first, one that calls Max the +0
    ASSERT_TRUE(SameValue(found.values[i], expected.values[i]) ||
                SameValue(found.values[i], expected.values_of_zeros[i]))
        << what << ", output " << i << ": " << static_cast<float>(found.values[i]) << " for "
        << expected.values[i];
  }
}

TEST(MaxPoolKernel, EqualsPlainLoopsOverRandomWindowsAndTiles) {
  const uint32_t kSeed = 20261121 + static_cast<uint32_t>(TestTurn());
  Random random(kSeed);
  constexpr DType kTypes[] = {DType::kFp16, DType::kBf16, DType::kFp32};
  for (int trial = 0; trial < Repetitions(600); ++trial) {
    const PoolShape shape = random.Shape(kTypes[trial % 3]);
    const PoolTile tile = random.Tile(shape);
    const int64_t cores = random.Pick(1, 48);
    const std::string what = "seed " + std::to_string(kSeed) + ", trial " + std::to_string(trial) + ": " +
                             TextOf(shape, tile) + " on " + std::to_string(cores);
    if (shape.dtype == DType::kFp16) {
      ExpectNaive(shape, tile, cores, random.Input<half>(shape), what);
    } else if (shape.dtype == DType::kBf16) {
      ExpectNaive(shape, tile, cores, random.Input<bfloat16_t>(shape), what);
    } else {
      ExpectNaive(shape, tile, cores, random.Input<float>(shape), what);
    }
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(MaxPoolKernel, GivesTheSameForEverySplitAndNumberOfThreads) {
  constexpr uint32_t kSeed = 7;
  Random random(kSeed);
  for (int trial = 0; trial < 20; ++trial) {
    const PoolShape shape = random.Shape(DType::kFp32);
    const std::vector<float> x = random.Input<float>(shape);
    const Pooled<float> first = RunKernel(shape, random.Tile(shape), 48, x, 1);
    const PoolTile tile = random.Tile(shape);
    const Pooled<float> second = RunKernel(shape, tile, 5, x, 2);
    const Pooled<float> third = RunKernel(shape, tile, 5, x, 1);
    const size_t bytes = first.values.size() * sizeof(float);
    ASSERT_EQ(std::memcmp(first.values.data(), second.values.data(), bytes), 0)
        << "seed " << kSeed << ", trial " << trial << ": " << TextOf(shape, tile);
    ASSERT_EQ(first.argmax, second.argmax) << "seed " << kSeed << ", trial " << trial;
    EXPECT_EQ(second.launch.cycles, third.launch.cycles);
  }
}

}  // namespace
}  // namespace tilesim

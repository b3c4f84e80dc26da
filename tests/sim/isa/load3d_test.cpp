#include "sim/isa/load3d.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "formats/units.h"
#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {
namespace {

// The definition of ascendc 2.7, element by element: from which element of L1 (or from none: pad) each
// element of the destination comes.
class Model {
 public:
  Model(const LoadData3D& op, const FeatureMap& map)
      : op_(op), map_(map), c0_(op.dtype == DType::kFp32 ? 8 : 16) {
    hk_ = op.filter_h + (op.filter_size_h ? 256 : 0);
    wk_ = op.filter_w + (op.filter_size_w ? 256 : 0);
    ho_ = (map.height + map.pad[2] + map.pad[3] - ((hk_ - 1) * op.dilation_h + 1)) / op.stride_h + 1;
    wo_ = (map.width + map.pad[0] + map.pad[1] - ((wk_ - 1) * op.dilation_w + 1)) / op.stride_w + 1;
  }

  int64_t num_m() const { return ho_ * wo_; }
  int64_t num_k() const { return (op_.channels + c0_ - 1) / c0_ * hk_ * wk_ * c0_; }

  // Element of L1 that IM[m][k] is, or -1.
  int64_t Source(int64_t m, int64_t k) const {
    const int64_t hi = m / wo_ * op_.stride_h + k / c0_ / wk_ % hk_ * op_.dilation_h - map_.pad[2];
    const int64_t wi = m % wo_ * op_.stride_w + k / c0_ % wk_ * op_.dilation_w - map_.pad[0];
    if (hi < 0 || hi >= map_.height || wi < 0 || wi >= map_.width) {
      return -1;
    }
    return ((k / c0_ / (hk_ * wk_) * map_.height + hi) * map_.width + wi) * c0_ + k % c0_;
  }

  // Element of the destination for (m, k) counted from the window's start.
  int64_t Destination(int64_t m, int64_t k) const {
    const int64_t m16 = (op_.m_extension + 15) / 16;
    const int64_t k1 = (op_.k_extension + c0_ - 1) / c0_;
    if (op_.dst.memory == Memory::kL0A && !op_.transpose) {
      return (m / 16 * k1 + k / c0_) * 16 * c0_ + m % 16 * c0_ + k % c0_;
    }
    if (op_.dst.memory == Memory::kL0A) {
      return c0_ == 16 ? (k / 16 * m16 + m / 16) * 256 + k % 16 * 16 + m % 16
                       : (k / 16 * (2 * m16) + m / 8) * 128 + k % 16 * 8 + m % 8;
    }
    return c0_ == 16 ? (m / 16 * k1 + k / 16) * 256 + k % 16 * 16 + m % 16
                     : (m / 8 * ((op_.k_extension + 15) / 16 * 16) + k) * 8 + m % 8;
  }

  // Calls f(destination element, source element or -1) for each element of the window that exists.
  template <class F>
  void ForEach(F&& f) const {
    for (int64_t m = 0; m < op_.m_extension && op_.m_start + m < num_m(); ++m) {
      for (int64_t k = 0; k < op_.k_extension; ++k) {
        f(Destination(m, k), Source(op_.m_start + m, op_.k_start + k));
      }
    }
  }

 private:
  const LoadData3D& op_;
  const FeatureMap& map_;
  int64_t c0_;
  int64_t hk_;
  int64_t wk_;
  int64_t ho_;
  int64_t wo_;
};

struct Case {
  LoadData3D op;
  FeatureMap map;
};

// A legal load into a random place.
Case RandomCase(Random& random, DType dtype, Memory memory, bool transpose) {
  const int64_t c0 = dtype == DType::kFp32 ? 8 : 16;
  for (;;) {
    Case c;
    c.map = {.height = random.Int(1, 12),
             .width = random.OneOf<int64_t>({1, 2, 5, 7, 13, 16, 17, 32, 49}),
             .pad = {random.Int(0, 4), random.Int(0, 4), random.Int(0, 4), random.Int(0, 4)}};
    LoadData3D& op = c.op;
    op.dst = In(memory, random.Int(0, 3) * 512);
    op.src = In(Memory::kL1, random.Int(0, 5) * 32);
    op.dtype = dtype;
    op.transpose = transpose;
    op.channels = random.Int(1, 3) * c0 - (random.Coin() ? 0 : c0 - 4);
    op.filter_h = random.Int(1, 4);
    op.filter_w = random.Int(1, 4);
    op.dilation_h = random.Int(1, 3);
    op.dilation_w = random.Int(1, 3);
    op.stride_h = random.Int(1, 3);
    op.stride_w = random.Int(1, 4);
    op.right_feature_map = random.Coin();
    if (c.map.height + c.map.pad[2] + c.map.pad[3] < (op.filter_h - 1) * op.dilation_h + 1 ||
        c.map.width + c.map.pad[0] + c.map.pad[1] < (op.filter_w - 1) * op.dilation_w + 1) {
      continue;
    }
    const Model model(op, c.map);
    op.m_start = random.Int(0, model.num_m() - 1);
    const int64_t left = model.num_m() - op.m_start;
    op.m_extension = random.Coin() ? left : std::min(AlignUp(left, 16), random.Int(1, 6) * 16);
    op.k_start = random.Int(0, model.num_k() / c0 - 1) * c0;
    const int64_t columns = model.num_k() - op.k_start;
    op.k_extension = std::min(columns, random.Int(1, 12) * c0);
    if (op.k_extension == columns && random.Coin()) {
      op.k_extension -= random.Int(0, c0 - 1);
    }
    const int64_t fractals = CeilDiv(AlignUp(op.m_extension, 16) * AlignUp(op.k_extension, 16), c0 * 16);
    if (fractals + 3 <= 128) {
      return c;
    }
  }
}

class LoadData3DOf : public testing::TestWithParam<std::tuple<DType, Memory, bool>> {};

TEST_P(LoadData3DOf, PutsEachElementWhereTheDefinitionDoesAndNothingElse) {
  const DType dtype = std::get<0>(GetParam());
  const Memory memory = std::get<1>(GetParam());
  const bool transpose = std::get<2>(GetParam());
  Random random;
  TestCore core;
  FillWith(random, dtype, core->l1(), 40000);
  for (int round = 0; round < 40; ++round) {
    Case c = RandomCase(random, dtype, memory, transpose);
    core->registers().feature_map[c.op.right_feature_map ? 1 : 0] = c.map;
    core->registers().feature_map[c.op.right_feature_map ? 0 : 1] = {};
    const double pad = random.Real(-3, 3);
    core->registers().pad_value = pad;
    L0Memory& l0 = memory == Memory::kL0A ? core->l0a() : core->l0b();
    Bytes expected(static_cast<size_t>(l0.num_fractals() * 512));
    // what lies there may be of another type
    const DType before = random.OneOf({dtype, dtype, DType::kFp16, DType::kBf16});
    FillWith(random, before, expected.data(), static_cast<int64_t>(expected.size() / SizeOf(before)), 1.0);
    SetL0Bytes(l0, before, expected);
    const Model model(c.op, c.map);
    std::set<int64_t> fractals;
    model.ForEach([&](int64_t to, int64_t from) {
      std::byte* const dst = expected.data() + c.op.dst.begin;
      fractals.insert(static_cast<int64_t>(c.op.dst.begin) / 512 +
                      to * static_cast<int64_t>(SizeOf(dtype)) / 512);
      PutElement(dtype, dst, to,
                 from < 0 ? BitsOf(dtype, pad) : ElementAt(dtype, core->l1() + c.op.src.begin, from));
    });
    core.Issue(c.op);
    for (const int64_t fractal : fractals) {
      ASSERT_EQ(l0.type(fractal), TypeFor(dtype));
      l0.type(fractal) = FractalType::kNone;
    }
    const Bytes as_loaded = L0Bytes(l0, dtype);
    const Bytes as_before = L0Bytes(l0, before);
    for (int64_t i = 0; i < l0.num_fractals(); ++i) {
      const Bytes& found = fractals.count(i) != 0 || l0.type(i) == TypeFor(dtype) ? as_loaded : as_before;
      ASSERT_EQ(std::memcmp(found.data() + i * 512, expected.data() + i * 512, 512), 0)
          << "round " << round << ", fractal " << i << ", m " << c.op.m_start << " + " << c.op.m_extension
          << ", k " << c.op.k_start << " + " << c.op.k_extension << ", before " << tilesim::Name(before);
    }
  }
}

// First and last pixel of each plane that the definition touches.
std::map<int64_t, std::pair<int64_t, int64_t>> TouchedPlanes(const Case& c) {
  const int64_t c0 = c.op.dtype == DType::kFp32 ? 8 : 16;
  const int64_t pixels = c.map.height * c.map.width;
  std::map<int64_t, std::pair<int64_t, int64_t>> planes;
  Model(c.op, c.map).ForEach([&](int64_t /*to*/, int64_t from) {
    if (from >= 0) {
      auto& range = planes.try_emplace(from / c0 / pixels, INT64_MAX, -1).first->second;
      range.first = std::min(range.first, from / c0 % pixels);
      range.second = std::max(range.second, from / c0 % pixels);
    }
  });
  return planes;
}

TEST_P(LoadData3DOf, StatesTheBytesItReads) {
  const DType dtype = std::get<0>(GetParam());
  const Memory memory = std::get<1>(GetParam());
  const bool transpose = std::get<2>(GetParam());
  const int64_t c0 = dtype == DType::kFp32 ? 8 : 16;
  Random random;
  TestCore core;
  for (int round = 0; round < 80; ++round) {
    Case c = RandomCase(random, dtype, memory, transpose);
    const bool simple = round % 2 == 0;  // no pads, whole planes
    if (simple) {
      c.map.height += 12;
      c.map.width += 12;
      c.map.pad = {};
      const int64_t taps = c.op.filter_h * c.op.filter_w;
      c.op.k_start = c.op.channels > c0 && random.Coin() ? taps * c0 : 0;
      c.op.k_extension = Model(c.op, c.map).num_k() - c.op.k_start;
      c.op.m_start = random.Int(0, Model(c.op, c.map).num_m() - 1);
    }
    core->registers().feature_map = {c.map, c.map};
    constexpr size_t kSize = 256 * 1024;  // the windows end before
    const std::vector<bool> read = Covered(c.op.Footprint(*core), Memory::kL1, Use::kRead, 0, kSize);
    const int64_t pixels = c.map.height * c.map.width;
    std::vector<bool> expected(kSize);
    for (const auto& [plane, range] : TouchedPlanes(c)) {
      const auto begin = expected.begin() + static_cast<int64_t>(c.op.src.begin) + plane * pixels * 32;
      std::fill(begin + range.first * 32, begin + (range.second + 1) * 32, true);
    }
    if (simple) {
      ASSERT_EQ(read, expected) << "round " << round;
    } else {  // a little more, where pads or the filter's ends cut the window
      for (size_t i = 0; i < kSize; ++i) {
        ASSERT_TRUE(read[i] || !expected[i]) << "round " << round << ", byte " << i;
      }
    }
  }
}

TEST_P(LoadData3DOf, StatesTheBytesItWrites) {
  const DType dtype = std::get<0>(GetParam());
  const Memory memory = std::get<1>(GetParam());
  const bool transpose = std::get<2>(GetParam());
  const int64_t c0 = dtype == DType::kFp32 ? 8 : 16;
  Random random;
  TestCore core;
  for (int round = 0; round < 80; ++round) {
    Case c = RandomCase(random, dtype, memory, transpose);
    core->registers().feature_map = {c.map, c.map};
    const auto size = static_cast<size_t>(core->CapacityBytes(memory));
    std::vector<bool> expected(size);  // all rows of each k of a fractal, k-major
    Model(c.op, c.map).ForEach([&](int64_t to, int64_t /*from*/) {
      const int64_t k_bytes = 512 / c0;
      const int64_t k = to / (16 * c0) * 512 + to % (16 * c0) % c0 * k_bytes;
      const auto begin = expected.begin() + static_cast<int64_t>(c.op.dst.begin) + k;
      std::fill(begin, begin + k_bytes, true);
    });
    ASSERT_EQ(Covered(c.op.Footprint(*core), memory, Use::kWrite, 0, size), expected) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, LoadData3DOf,
                         testing::Combine(testing::Values(DType::kFp16, DType::kBf16, DType::kFp32),
                                          testing::Values(Memory::kL0A, Memory::kL0B), testing::Bool()),
                         [](const auto& test) {
                           return std::string(tilesim::Name(std::get<0>(test.param))) +
                                  std::string(tilesim::Name(std::get<1>(test.param))) +
                                  (std::get<2>(test.param) ? "Transposed" : "Plain");
                         });

LoadData3D Plain() {
  return {
      .dst = In(Memory::kL0A), .src = In(Memory::kL1), .channels = 32, .k_extension = 32, .m_extension = 32};
}

constexpr FeatureMap kMap{.height = 4, .width = 8, .pad = {0, 0, 0, 0}};

TEST(LoadData3D, GivesTheSameBitsOnEachInstructionSet) {
  for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp32}) {
    for (const bool transpose : {false, true}) {
      Random random;
      TestCore core;
      // all bits there are: subnormals, infinities and NaNs too
      for (int64_t i = 0; i < 65536; ++i) {
        const int64_t bits = dtype == DType::kFp32 ? random.Int(0, 0xFFFFFFFF) : i;
        PutElement(dtype, core->l1(), i, static_cast<uint32_t>(bits));
      }
      core->registers().feature_map[0] = {.height = 13, .width = 11, .pad = {1, 1, 1, 1}};
      LoadData3D op = Plain();
      op.dtype = dtype;
      op.transpose = transpose;
      op.channels = 48;
      op.filter_h = 3;
      op.filter_w = 3;
      op.stride_w = 2;
      op.k_start = 32;
      op.k_extension = 96;
      op.m_start = 3;
      op.m_extension = 64;
      std::vector<float> first;
      OnEachInstructionSet([&](const char* name) {
        std::fill_n(core->l0a().Fractal(0), 128 * 256, 0.0F);
        core.Issue(op);
        const std::vector<float> now(core->l0a().Fractal(0), core->l0a().Fractal(0) + 128 * 256);
        if (first.empty()) {
          first = now;
        }
        EXPECT_EQ(std::memcmp(first.data(), now.data(), now.size() * 4), 0) << name;
      });
    }
  }
}

TEST(LoadData3D, ReadsWithoutPadsExactlyFromTheFirstPixelToTheLast) {
  TestCore core;
  core->registers().feature_map[0] = kMap;
  LoadData3D op = Plain();
  op.m_start = 10;
  op.m_extension = 16;  // pixels 10 .. 25 of 32
  op.k_extension = 32;  // two planes
  const Operands operands = op.Footprint(*core);
  ASSERT_EQ(operands.size(), 2);
  const Region& src = operands.begin()[1];
  EXPECT_EQ(src.begin, 10U * 32);
  EXPECT_EQ(src.block_bytes, 16U * 32);
  EXPECT_EQ(src.count, 2U);
  EXPECT_EQ(src.stride_bytes, 32U * 32);
}

TEST(LoadData3D, ReadsNothingWhereEveryWindowIsPad) {
  TestCore core;
  core->registers().feature_map[0] = {.height = 4, .width = 8, .pad = {0, 0, 16, 0}};
  LoadData3D op = Plain();
  op.m_extension = 128;  // output rows 0 .. 15 are above the image
  const Operands operands = op.Footprint(*core);
  ASSERT_EQ(operands.size(), 1);
  EXPECT_EQ(operands.begin()->memory, Memory::kL0A);
  core->registers().pad_value = 1.5;
  core.Issue(op);
  EXPECT_EQ(core->l0a().Fractal(15)[255], 1.5F);
}

TEST(LoadData3D, RepeatsAlongMAndAlongK) {
  for (const bool along_k : {false, true}) {
    TestCore core;
    Random random;
    FillWith(random, DType::kFp16, core->l1(), 8192);
    core->registers().feature_map[0] = {.height = 8, .width = 16, .pad = {}};
    LoadData3D op = Plain();
    op.k_extension = 16;
    op.channels = 64;
    std::vector<float> expected;
    for (int64_t i = 0; i < 3; ++i) {
      LoadData3D one = op;
      (along_k ? one.k_start : one.m_start) = along_k ? i * 16 : i * 2 * 16;
      core.Issue(one);
      expected.insert(expected.end(), core->l0a().Fractal(0), core->l0a().Fractal(2));
    }
    core->registers().load3d_repeat_times = 3;
    core->registers().load3d_repeat_stride = along_k ? 1 : 2;
    core->registers().load3d_repeat_along_k = along_k;
    const Cost once = core.FaultOf(op) == "(no fault)" ? op.TimeOn(*core) : Cost{};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), core->l0a().Fractal(0)));
    EXPECT_EQ(once.busy_cycles, 3 * (1 + 2 * 512 / 32));
    const Operands operands = op.Footprint(*core);
    EXPECT_EQ(operands.begin()->total_bytes(), 6U * 512);
  }
}

TEST(LoadData3D, DoesNothingWhereASizeIsZero) {
  TestCore core;
  core->registers().feature_map[0] = kMap;
  std::vector<LoadData3D> nops(5, Plain());
  nops[0].channels = 0;
  nops[1].k_extension = 0;
  nops[2].m_extension = 0;
  nops[3].filter_w = 0;
  nops[4].filter_h = 0;
  for (const LoadData3D& op : nops) {
    EXPECT_EQ(op.Footprint(*core).size(), 0);
    EXPECT_EQ(op.TimeOn(*core).busy_cycles, 0);
    core.Issue(op);
    EXPECT_EQ(core->l0a().type(0), FractalType::kNone);
  }
  core->registers().feature_map[0].width = 0;
  core.Issue(Plain());
  EXPECT_EQ(core->l0a().type(0), FractalType::kNone);
}

TEST(LoadData3D, TakesFiltersOfMoreThan255) {
  TestCore core;
  core->registers().feature_map[0] = {.height = 1, .width = 300, .pad = {}};
  LoadData3D op = Plain();
  op.channels = 16;
  op.filter_w = 1;
  op.filter_size_w = true;  // 257: 44 output positions
  op.k_start = 256 * 16;
  op.k_extension = 16;
  op.m_extension = 44;
  FillWith(*std::make_unique<Random>(), DType::kFp16, core->l1(), 300 * 16);
  core.Issue(op);
  EXPECT_EQ(core->l0a().Fractal(0)[3 * 16 + 5],
            ValueOf(DType::kFp16, ElementAt(DType::kFp16, core->l1(), 261 * 16 + 3)));
}

// A change to a legal load, and what the refusal says.
struct Refusal {
  void (*change)(LoadData3D&, CoreRegisters&);
  const char* says;
};

TEST(LoadData3D, RefusesWhatItsTablesForbid) {
  using R = CoreRegisters;
  const std::vector<Refusal> refusals = {
      {[](LoadData3D& op, R&) { op.dst.memory = Memory::kL0C; }, "dst: is in L0C, must be in L0A or L0B"},
      {[](LoadData3D& op, R&) { op.src.memory = Memory::kUb; }, "src: is in UB, must be in L1"},
      {[](LoadData3D& op, R&) { op.dtype = DType::kInt32; },
       "has elements of type int32; modelled: fp16, bf16, fp32"},
      {[](LoadData3D&, R& r) { r.feature_map[0].height = 32768; }, "l1H = 32768, must be in [0, 32767]"},
      {[](LoadData3D&, R& r) { r.feature_map[0].width = 32768; }, "l1W = 32768, must be in [0, 32767]"},
      {[](LoadData3D&, R& r) { r.feature_map[0].pad[3] = 256; }, "padList = 256, must be in [0, 255]"},
      {[](LoadData3D& op, R&) { op.stride_w = 0; }, "strideW = 0, must be in [1, 63]"},
      {[](LoadData3D& op, R&) { op.stride_w = 64; }, "strideW = 64, must be in [1, 63]"},
      {[](LoadData3D& op, R&) { op.stride_h = 64; }, "strideH = 64, must be in [1, 63]"},
      {[](LoadData3D& op, R&) { op.filter_w = 256; }, "filterW = 256, must be in [0, 255]; set filterSizeW"},
      {[](LoadData3D& op, R&) { op.filter_h = 256; }, "filterH = 256, must be in [0, 255]; set filterSizeH"},
      {[](LoadData3D& op, R&) { op.dilation_w = 0; }, "dilationFilterW = 0, must be in [1, 255]"},
      {[](LoadData3D& op, R&) { op.dilation_h = 256; }, "dilationFilterH = 256, must be in [1, 255]"},
      {[](LoadData3D& op, R&) { op.channels = 12; },
       "channelSize = 12, must be a multiple of 16, or one and 4 or 8"},
      {[](LoadData3D& op, R&) { op.channels = 65540; }, "channelSize = 65540, must be in [0, 65535]"},
      {[](LoadData3D& op, R&) { op.dtype = DType::kFp32, op.channels = 18; },
       "channelSize = 18, must be a multiple of 8, or one and 4"},
      {[](LoadData3D& op, R&) { op.small_k = true; }, "enSmallK = true, must be false"},
      {[](LoadData3D& op, R&) { op.k_start = 8; }, "kStartPt = 8, must be a multiple of 16"},
      {[](LoadData3D& op, R&) { op.k_start = 16; }, "kStartPt + kExtension = 48, must be at most 32"},
      {[](LoadData3D& op, R&) { op.k_extension = 12; },
       "kExtension = 12, must be a multiple of 16 unless the window reaches the last of 32"},
      {[](LoadData3D& op, R&) { op.m_start = 32768; }, "mStartPt = 32768, must be in [0, 32767]"},
      {[](LoadData3D& op, R&) { op.m_start = 32; }, "mStartPt = 32, must be below 32"},
      {[](LoadData3D& op, R&) { op.m_extension = 33; },
       "mExtension = 33 from mStartPt = 0 on, must be at most 32"},
      {[](LoadData3D& op, R&) { op.m_extension = 15; },
       "mExtension = 15, must be a multiple of 16 unless the window reaches the last of 32"},
      {[](LoadData3D& op, R&) { op.filter_h = 5; },
       "a filter of 5 x 1 with dilation 1 x 1 does not fit into 4 x 8"},
      {[](LoadData3D&, R& r) { r.load3d_repeat_times = 2, r.load3d_repeat_stride = 2; },
       "mStartPt = 32, must be below 32"},
      {[](LoadData3D& op, R&) { op.dst.begin = 256; }, "its address 256 in L0A must be a multiple of 512"},
      {[](LoadData3D& op, R&) { op.src.begin = 16; }, "its address 16 in L1 must be a multiple of 32"},
      {[](LoadData3D& op, R&) { op.dst.limit = 1024; }, "pass the end of the tensor's buffer at 1024"},
      {[](LoadData3D& op, R&) { op.src.limit = 2016; },
       "pass the end of the tensor's buffer at 2016 by 32 bytes"},
  };
  for (const Refusal& refusal : refusals) {
    TestCore core;
    core->registers().feature_map[0] = kMap;
    LoadData3D op = Plain();
    ASSERT_EQ(core.FaultOf(op), "(no fault)");
    refusal.change(op, core->registers());
    EXPECT_SAYS(core.FaultOf(op), refusal.says);
  }
}

TEST(LoadData3D, TakesAnyExtensionOfFp32AndWindowsThatReachTheEnd) {
  TestCore core;
  core->registers().feature_map[0] = kMap;
  LoadData3D op = Plain();
  op.dtype = DType::kFp32;
  op.m_extension = 15;
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  op = Plain();
  op.m_start = 17;
  op.m_extension = 15;
  op.k_start = 16;
  op.k_extension = 12;
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  op.m_extension = 16;  // one more than there are
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
}

}  // namespace
}  // namespace tilesim::isa

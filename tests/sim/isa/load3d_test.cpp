#include "sim/isa/load3d.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/sim/isa/load3d_model.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

class LoadData3DOf : public testing::TestWithParam<std::tuple<DType, Memory, bool>> {};

TEST_P(LoadData3DOf, PutsEachElementWhereTheDefinitionDoesAndNothingElse) {
  const DType dtype = std::get<0>(GetParam());
  const Memory memory = std::get<1>(GetParam());
  const bool transpose = std::get<2>(GetParam());
  Random random;
  TestCore core;
  FillWith(random, dtype, core->l1(), 40000);
  for (int round = 0; round < Repetitions(40); ++round) {
    Load3DCase c = RandomLoad3D(random, dtype, memory, transpose);
    core->registers().feature_map[c.op.right_feature_map ? 1 : 0] = c.map;
    core->registers().feature_map[c.op.right_feature_map ? 0 : 1] = {};
    const double pad = random.Real(-3, 3);
    core->registers().pad_bits = BitsOf(dtype, pad);
    L0Memory& l0 = memory == Memory::kL0A ? core->l0a() : core->l0b();
    Bytes expected(static_cast<size_t>(l0.num_fractals() * 512));
    // what lies there may be of another type
    const DType before = random.OneOf({dtype, dtype, DType::kFp16, DType::kBf16});
    FillWith(random, before, expected.data(), static_cast<int64_t>(expected.size() / SizeOf(before)), 1.0);
    SetL0Bytes(l0, before, expected);
    const Load3DModel model(c.op, c.map);
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
std::map<int64_t, std::pair<int64_t, int64_t>> TouchedPlanes(const Load3DCase& c) {
  const int64_t c0 = c.op.dtype == DType::kFp32 ? 8 : 16;
  const int64_t pixels = c.map.height * c.map.width;
  std::map<int64_t, std::pair<int64_t, int64_t>> planes;
  Load3DModel(c.op, c.map).ForEach([&](int64_t /*to*/, int64_t from) {
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
  for (int round = 0; round < Repetitions(80); ++round) {
    Load3DCase c = RandomLoad3D(random, dtype, memory, transpose);
    const bool simple = round % 2 == 0;  // no pads, whole planes
    if (simple) {
      c.map.height += 12;
      c.map.width += 12;
      c.map.pad = {};
      const int64_t taps = c.op.filter_h * c.op.filter_w;
      c.op.k_start = c.op.channels > c0 && random.Coin() ? taps * c0 : 0;
      c.op.k_extension = Load3DModel(c.op, c.map).num_k() - c.op.k_start;
      c.op.m_start = random.Int(0, Load3DModel(c.op, c.map).num_m() - 1);
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
  for (int round = 0; round < Repetitions(80); ++round) {
    Load3DCase c = RandomLoad3D(random, dtype, memory, transpose);
    core->registers().feature_map = {c.map, c.map};
    const auto size = static_cast<size_t>(core->CapacityBytes(memory));
    std::vector<bool> expected(size);  // all rows of each k of a fractal, k-major
    Load3DModel(c.op, c.map).ForEach([&](int64_t to, int64_t /*from*/) {
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

}  // namespace
}  // namespace tilesim::isa

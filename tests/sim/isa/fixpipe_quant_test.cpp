// Fixpipe where it scales, against the documented steps in double precision, element by element.
#include "sim/isa/fixpipe_quant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "formats/units.h"
#include "sim/isa/fixpipe.h"
#include "tests/sim/isa/isa_fixture.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

struct Mode {
  Quant quant;
  VectorType dtype;
  bool int32;
  bool columns;
};
constexpr Mode kModes[] = {
    {Quant::kDeqF16, VectorType::kFp16, true, false},   {Quant::kVdeqF16, VectorType::kFp16, true, true},
    {Quant::kQf322B8, VectorType::kInt8, false, false}, {Quant::kVqf322B8, VectorType::kUint8, false, true},
    {Quant::kReq8, VectorType::kUint8, true, false},    {Quant::kVreq8, VectorType::kInt8, true, true},
    {Quant::kNone, VectorType::kInt32, true, false}};

uint64_t AnyWord(Random& random) {
  const auto scale = std::bit_cast<uint32_t>(
      static_cast<float>(random.OneOf({0.0, 1.0, -0.5, random.Real(-3, 3), random.Real(-1e-4, 1e-4)})));
  return scale | static_cast<uint64_t>(random.Int(0, 15)) << 32 | static_cast<uint64_t>(random.Coin()) << 36 |
         static_cast<uint64_t>(random.OneOf<int64_t>({0, 1, 511, 256, random.Int(0, 511)})) << 37 |
         static_cast<uint64_t>(random.Coin()) << 46;
}

double RoundedToEven(double value) {
  const double below = std::floor(value);
  const double rest = value - below;
  return rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0) ? below + 1 : below;
}

// The bits of the result of one word of L0C.
uint32_t Expected(const Fixpipe& op, uint64_t word, uint32_t bits) {
  if (op.quant == Quant::kNone) {
    const auto whole = std::bit_cast<int32_t>(bits);
    return static_cast<uint32_t>(op.relu && whole < 0 ? 0 : whole);
  }
  float x = std::bit_cast<float>(bits);
  if (op.src_int32) {
    auto whole = static_cast<int64_t>(std::bit_cast<int32_t>(bits));
    if (word / (1ULL << 36) % 2 != 0) {
      const auto by = static_cast<int>(word / (1ULL << 32) % 16) + 1;
      whole = static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(whole), -by)));
      whole = std::min<int64_t>(std::max<int64_t>(whole, -32768), 32767);
    }
    x = static_cast<float>(whole);
  }
  const float scale = std::bit_cast<float>(static_cast<uint32_t>(word) / 8192 * 8192);
  double y = static_cast<float>(double{x} * double{scale});  // a product of floats, rounded once
  if (std::isnan(x) || std::isnan(y) || (op.relu && x < 0)) {
    y = 0;
  }
  if (op.dtype == VectorType::kFp16) {
    return Half(std::min(std::max(y, -65504.0), 65504.0)).bits;
  }
  int64_t offset = static_cast<int64_t>(word / (1ULL << 37) % 512);
  offset -= offset > 255 ? 512 : 0;
  const auto z = static_cast<int64_t>(RoundedToEven(std::min(std::max(y, -256.0), 255.0))) + offset;
  const bool is_signed = word / (1ULL << 46) % 2 != 0;
  const int64_t least = is_signed ? -128 : 0;
  return static_cast<uint32_t>(std::min(std::max(z, least), least + 255)) & 255U;
}

int64_t PlaceInDst(const Fixpipe& op, int64_t i, int64_t m, int64_t n) {
  const int64_t size = op.dtype.bits() / 8;
  if (op.layout == FixpipeLayout::kRowMajor) {
    return (i * op.dst_matrix_stride + m * op.dst_stride + n) * size;
  }
  const int64_t width = size == 1 ? 32 : 16;
  return n / width * op.dst_stride * 32 + m * width * size + n % width * size;
}

class FixpipeScales : public testing::TestWithParam<Mode> {};

TEST_P(FixpipeScales, EachElementAsItsWordSaysAndTouchesNothingElse) {
  const Mode mode = GetParam();
  Random random;
  TestCore core;
  for (int64_t i = 0; i < 32768; ++i) {
    const auto whole = static_cast<uint32_t>(random.OneOf<int64_t>(
        {random.Int(-600, 600), random.Int(INT32_MIN, INT32_MAX), 0, INT32_MIN, INT32_MAX}));
    const float real = static_cast<float>(
        random.OneOf({random.Real(-300, 300), static_cast<double>(random.Int(-600, 600)) * 0.5, 1e30, -1e30,
                      HUGE_VAL, -HUGE_VAL, -0.0, std::nan("")}));
    core->l0c()[i] = mode.int32 ? std::bit_cast<float>(whole) : real;
  }
  for (int round = 0; round < Repetitions(25); ++round) {
    const bool rows = random.Coin();
    const bool to_l1 = !rows && mode.quant != Quant::kNone && random.Coin();
    const int64_t m = random.Int(1, 40);
    const int64_t n = rows ? random.Int(1, 70) : 16 * random.Int(1, 6);
    Fixpipe op{.dst = to_l1 ? In(Memory::kL1, 64) : core.Gm(64),
               .src = In(Memory::kL0C, 64 * random.Int(0, 3)),
               .layout = rows ? FixpipeLayout::kRowMajor : FixpipeLayout::kNz,
               .dtype = mode.dtype,
               .quant = mode.quant,
               .n = n,
               .m = m,
               .src_stride = AlignUp(m, int64_t{16})};
    op.dst_stride = rows ? n + random.Int(0, 5) : m * (op.dtype.bits() == 32 ? 2 : 1) + random.Int(0, 3);
    op.num_matrices = rows ? random.Int(1, 2) : 1;
    op.src_matrix_stride = 3;
    op.dst_matrix_stride = m * op.dst_stride + 7;
    op.relu = random.Coin();
    op.src_int32 = mode.int32;
    std::vector<uint64_t> words(128);
    for (uint64_t& word : words) {
      word = AnyWord(random);
    }
    std::memcpy(core->fb() + 128, words.data(), words.size() * 8);
    core->registers().quant_table_bytes = 128;
    core->registers().quant_word = words[0];
    std::byte* const memory = to_l1 ? core->l1() + 64 : core.gm().data() + 64;
    constexpr size_t kSize = 60000;
    std::fill_n(memory, kSize, std::byte{0x5A});
    Bytes expected(memory, memory + kSize);
    for (int64_t i = 0; i < op.num_matrices; ++i) {
      for (int64_t row = 0; row < m; ++row) {
        for (int64_t column = 0; column < n; ++column) {
          const int64_t from = i * 3 * 256 + column / 16 * op.src_stride * 16 + row * 16 + column % 16;
          const auto bits =
              std::bit_cast<uint32_t>(core->l0c()[op.src.begin / 4 + static_cast<uint64_t>(from)]);
          const uint32_t result = Expected(op, words[mode.columns ? static_cast<size_t>(column) : 0], bits);
          std::memcpy(&expected.at(static_cast<size_t>(PlaceInDst(op, i, row, column))), &result,
                      static_cast<size_t>(op.dtype.bits() / 8));
        }
      }
    }
    core.Issue(op);
    const Bytes found(memory, memory + kSize);
    ASSERT_EQ(found, expected) << "round " << round << " rows " << rows << " m " << m << " n " << n;
    const auto changed =
        Covered(op.Footprint(*core), to_l1 ? Memory::kL1 : Memory::kGm, Use::kWrite, op.dst.begin, kSize);
    const int64_t results = op.num_matrices * m * n * (op.dtype.bits() / 8);
    EXPECT_EQ(std::count(changed.begin(), changed.end(), true), results);
    const auto read = Covered(op.Footprint(*core), Memory::kFb, Use::kRead, 128, 1024);
    EXPECT_EQ(std::count(read.begin(), read.end(), true), mode.columns ? 8 * n : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, FixpipeScales, testing::ValuesIn(kModes), [](const auto& test) {
  return std::string(Name(test.param.dtype)) + "Of" + (test.param.int32 ? "Int32" : "Fp32") +
         (test.param.columns ? "ByColumn" : "");
});

TEST(QuantWord, DropsLowBitsOfTheScaleAndReadsASignedOffset) {
  const QuantWord word = QuantWord::Of(0x3F80'1FFFULL | 0xFULL << 32 | 1ULL << 36 | 511ULL << 37);
  EXPECT_EQ(word.scale, 1.0F);
  EXPECT_EQ(word.shift, 16);
  EXPECT_EQ(word.offset, -1);
  EXPECT_FALSE(word.is_signed);
  EXPECT_EQ(ToByte(word, 2.5F), 1);  // 2, less 1
  EXPECT_EQ(ToByte(QuantWord::Of(1ULL << 46), -300.0F), 0x80);
}

TEST(Fixpipe, RefusesAScaleThatIsNotANormalNumber) {
  TestCore core;
  Fixpipe op{.dst = core.Gm(),
             .src = In(Memory::kL0C),
             .dtype = VectorType::kInt8,
             .quant = Quant::kVqf322B8,
             .n = 16,
             .m = 1,
             .src_stride = 16,
             .dst_stride = 16};
  EXPECT_SAYS(core.FaultOf(op), "is infinite, NaN or subnormal");  // FB as nobody wrote it
  std::memset(core->fb(), 0, 128);
  EXPECT_EQ(core.FaultOf(op), "(no fault)");
  core->fb()[8 * 15] = std::byte{1};
  EXPECT_SAYS(core.FaultOf(op), "is infinite, NaN or subnormal");
  core->registers().quant_table_bytes = 2048;
  EXPECT_SAYS(core.FaultOf(op), "of FB pass the end of the memory");
}

TEST(Fixpipe, UpdatesEightBitResultsAtomically) {
  TestCore core;
  core->registers().atomic = AtomicOp::kAdd;
  core->registers().atomic_dtype = AtomicType::Int8();
  core->registers().quant_word = 0x3F80'0000ULL | 1ULL << 46;
  core.gm()[0] = std::byte{5};
  core->l0c()[0] = 7.0F;
  core.Issue(Fixpipe{.dst = core.Gm(),
                     .src = In(Memory::kL0C),
                     .dtype = VectorType::kInt8,
                     .quant = Quant::kQf322B8,
                     .n = 1,
                     .m = 1,
                     .src_stride = 16,
                     .dst_stride = 1});
  std::byte found{};
  core->gm().Read(core.address(), &found, 1);
  EXPECT_EQ(found, std::byte{12});
}

}  // namespace
}  // namespace tilesim::isa

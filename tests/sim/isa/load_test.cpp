#include "sim/isa/load.h"

#include <gtest/gtest.h>

#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {
namespace {

struct Path {
  DType dtype;
  Memory dst;
  Memory src;
};

std::string PathName(const testing::TestParamInfo<Path>& info) {
  return std::string(tilesim::Name(info.param.dtype)) + std::string(tilesim::Name(info.param.src)) + "To" +
         std::string(tilesim::Name(info.param.dst));
}

class LoadData2DOn : public testing::TestWithParam<Path> {};

TEST_P(LoadData2DOn, CopiesFractalsOrTransposesThem) {
  const Path path = GetParam();
  const auto size = static_cast<int64_t>(SizeOf(path.dtype));
  Random random;
  TestCore core;
  L0Memory& l0 = path.dst == Memory::kL0A ? core->l0a() : core->l0b();
  std::byte* const src = path.src == Memory::kGm ? core.gm().data() : core->l1();
  FillWith(random, path.dtype, src, 200 * 512 / size);
  for (int round = 0; round < 30; ++round) {
    const LoadData2D op{.dst = In(path.dst, random.Int(0, 3) * 512),
                        .src = path.src == Memory::kGm ? core.Gm(random.Int(0, 5) * 32)
                                                       : In(Memory::kL1, random.Int(0, 5) * 32),
                        .dtype = path.dtype,
                        .start_index = random.Int(0, 5),
                        .repeat_times = random.Int(1, 12),
                        .src_stride = random.Int(0, 9),
                        .dst_gap = random.Int(0, 3),
                        .transpose = size == 2 && random.Coin()};
    EXPECT_EQ(op.pipe(), path.src == Memory::kGm ? Pipe::kMte2 : Pipe::kMte1);
    const int64_t from = static_cast<int64_t>(op.src.begin) -
                         (path.src == Memory::kGm ? static_cast<int64_t>(core.address()) : 0);
    Bytes expected(static_cast<size_t>(l0.num_fractals() * 512));
    FillWith(random, path.dtype, expected.data(), static_cast<int64_t>(expected.size()) / size);
    SetL0Bytes(l0, path.dtype, expected);
    std::vector<bool> written(expected.size());
    for (int64_t i = 0; i < op.repeat_times; ++i) {
      std::byte* const to = expected.data() + op.dst.begin + i * (op.dst_gap + 1) * 512;
      for (int64_t e = 0; e < 512 / size; ++e) {
        const int64_t other = op.transpose ? e % 16 * 16 + e / 16 : e;
        PutElement(path.dtype, to, e,
                   ElementAt(path.dtype, src + from + (op.start_index + i * op.src_stride) * 512, other));
      }
      std::fill_n(written.begin() + (to - expected.data()), 512, true);
    }
    ASSERT_EQ(Covered(op.Footprint(*core), path.dst, Use::kWrite, 0, written.size()), written);
    core.Issue(op);
    ASSERT_EQ(L0Bytes(l0, path.dtype), expected) << "round " << round;
  }
}

TEST_P(LoadData2DOn, ReadsTheFractalsItNames) {
  const Path path = GetParam();
  TestCore core;
  const LoadData2D op{.dst = In(path.dst),
                      .src = path.src == Memory::kGm ? core.Gm() : In(Memory::kL1),
                      .dtype = path.dtype,
                      .start_index = 2,
                      .repeat_times = 3,
                      .src_stride = 4};
  std::vector<bool> read(8192);
  for (const int64_t fractal : {2, 6, 10}) {
    std::fill_n(read.begin() + fractal * 512, 512, true);
  }
  const uint64_t base = path.src == Memory::kGm ? core.address() : 0;
  EXPECT_EQ(Covered(op.Footprint(*core), path.src, Use::kRead, base, read.size()), read);
}

INSTANTIATE_TEST_SUITE_P(Paths, LoadData2DOn,
                         testing::Values(Path{DType::kFp16, Memory::kL0A, Memory::kL1},
                                         Path{DType::kBf16, Memory::kL0B, Memory::kL1},
                                         Path{DType::kFp32, Memory::kL0A, Memory::kL1},
                                         Path{DType::kFp16, Memory::kL0B, Memory::kGm},
                                         Path{DType::kFp32, Memory::kL0B, Memory::kGm}),
                         PathName);

TEST(LoadData2D, GivesTheSameBitsOnEachInstructionSet) {
  for (const DType dtype : {DType::kFp16, DType::kBf16}) {
    for (const bool transpose : {false, true}) {
      TestCore core;
      for (int64_t i = 0; i < 65536; ++i) {
        PutElement(dtype, core->l1(), i, static_cast<uint32_t>(i));
      }
      OnEachInstructionSet([&](const char* name) {
        for (const int64_t half : {0, 1}) {
          core.Issue(LoadData2D{.dst = In(Memory::kL0A),
                                .src = In(Memory::kL1),
                                .dtype = dtype,
                                .start_index = half * 128,
                                .repeat_times = 128,
                                .src_stride = 1,
                                .transpose = transpose});
          for (int64_t i = 0; i < 32768; ++i) {
            const int64_t k = transpose ? i % 256 / 16 : i % 16;
            const int64_t row = transpose ? i % 16 : i % 256 / 16;
            const float expected = ValueOf(dtype, static_cast<uint32_t>(half * 32768 + i));
            const float found = core->l0a().Fractal(i / 256)[k * 16 + row];
            ASSERT_EQ(std::bit_cast<uint32_t>(found), std::bit_cast<uint32_t>(expected)) << name << " " << i;
          }
        }
      });
    }
  }
}

TEST(LoadDataTransposed, TransposesSquaresOfSixteen) {
  for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp32}) {
    for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
      Random random;
      TestCore core;
      L0Memory& l0 = memory == Memory::kL0A ? core->l0a() : core->l0b();
      const int64_t c0 = dtype == DType::kFp32 ? 8 : 16;
      const int64_t fractals = 16 / c0;
      FillWith(random, dtype, core->l1(), 200 * 16 * c0);
      for (int round = 0; round < 20; ++round) {
        const LoadDataTransposed op{.dst = In(memory, random.Int(0, 3) * 512),
                                    .src = In(Memory::kL1, random.Int(0, 5) * 32),
                                    .dtype = dtype,
                                    .start_index = random.Int(0, 5),
                                    .repeat_times = random.Int(1, 6),
                                    .src_stride = random.Int(0, 9),
                                    .dst_gap = random.Int(0, 1) + 3 * (fractals - 1),
                                    .dst_fractal_gap = random.Int(0, 2)};
        Bytes expected(static_cast<size_t>(l0.num_fractals() * 512));
        FillWith(random, dtype, expected.data(), l0.num_fractals() * 16 * c0);
        SetL0Bytes(l0, dtype, expected);
        std::vector<bool> written(expected.size());
        for (int64_t i = 0; i < op.repeat_times; ++i) {
          const std::byte* const square =
              core->l1() + op.src.begin + (op.start_index + i * op.src_stride) * fractals * 512;
          for (int64_t r = 0; r < 16; ++r) {
            for (int64_t c = 0; c < 16; ++c) {
              // element (c, r) of the square, whose columns lie in fractals of C0
              const int64_t from = r / c0 * 16 * c0 + c * c0 + r % c0;
              const int64_t fractal = i * (op.dst_gap + 1) + c / c0 * (op.dst_fractal_gap + 1);
              const int64_t to = fractal * 16 * c0 + r * c0 + c % c0;
              PutElement(dtype, expected.data() + op.dst.begin, to, ElementAt(dtype, square, from));
              std::fill_n(written.begin() + static_cast<int64_t>(op.dst.begin) + fractal * 512, 512, true);
            }
          }
        }
        ASSERT_EQ(Covered(op.Footprint(*core), memory, Use::kWrite, 0, written.size()), written);
        core.Issue(op);
        ASSERT_EQ(L0Bytes(l0, dtype), expected) << tilesim::Name(dtype) << ", round " << round;
      }
    }
  }
}

template <class Op>
struct Refusal {
  void (*change)(Op&);
  const char* says;
};

template <class Op>
void ExpectRefusals(const Op& plain, const std::vector<Refusal<Op>>& refusals) {
  TestCore core;
  ASSERT_EQ(core.FaultOf(plain), "(no fault)");
  for (const Refusal<Op>& refusal : refusals) {
    Op op = plain;
    refusal.change(op);
    EXPECT_SAYS(core.FaultOf(op), refusal.says);
  }
}

TEST(LoadData2D, RefusesWhatItsTablesForbid) {
  using Op = LoadData2D;
  ExpectRefusals<Op>(
      {.dst = In(Memory::kL0A), .src = In(Memory::kL1), .repeat_times = 2, .src_stride = 1},
      {{[](Op& op) { op.start_index = 65536; }, "startIndex = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.repeat_times = 256; }, "repeatTimes = 256, must be in [0, 255]"},
       {[](Op& op) { op.src_stride = 65536; }, "srcStride = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.dst_gap = 65536; }, "dstGap = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.transpose = true, op.dtype = DType::kFp32; },
        "ifTranspose with fp32, must be a 16-bit type; use LoadDataWithTranspose"},
       {[](Op& op) { op.dtype = DType::kInt64; },
        "has elements of type int64; allowed here: int4, int8, uint8"},
       {[](Op& op) { op.transpose = true, op.dtype = VectorType::kInt8; }, "ifTranspose with int8"},
       {[](Op& op) { op.backwards = true; }, "must be into L1 and not pass fractal 0"},
       {[](Op& op) { op.dst.memory = Memory::kL1; }, "dst: is in L1, must be in L0A or L0B"},
       {[](Op& op) { op.src.memory = Memory::kL0B; }, "src: is in L0B, must be in L1 or GM"},
       {[](Op& op) { op.dst.begin = 32; }, "address 32 in L0A must be a multiple of 512"},
       {[](Op& op) { op.src.begin = 8; }, "address 8 in L1 must be a multiple of 32"},
       {[](Op& op) { op.dst.limit = 512; }, "pass the end of the tensor's buffer at 512"},
       {[](Op& op) { op.start_index = 1023; }, "pass the end of the memory at 524288 by 512"}});
}

TEST(LoadDataTransposed, RefusesWhatItsTablesForbid) {
  using Op = LoadDataTransposed;
  ExpectRefusals<Op>(
      {.dst = In(Memory::kL0B), .src = In(Memory::kL1), .repeat_times = 2, .src_stride = 1},
      {{[](Op& op) { op.start_index = 65536; }, "startIndex = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.repeat_times = 256; }, "repeatTimes = 256, must be in [0, 255]"},
       {[](Op& op) { op.src_stride = 65536; }, "srcStride = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.dst_gap = 65536; }, "dstGap = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.dst_fractal_gap = 65536; }, "dstFracGap = 65536, must be in [0, 65535]"},
       {[](Op& op) { op.dtype = VectorType::kInt16; }, "has elements of type int16"},
       {[](Op& op) { op.dtype = VectorType::kInt4, op.dst.memory = Memory::kL0A; },
        "has elements of type int4"},
       {[](Op& op) { op.src.memory = Memory::kGm; }, "src: is in GM, must be in L1"},
       {[](Op& op) { op.dst.memory = Memory::kL0C; }, "dst: is in L0C, must be in L0A or L0B"},
       {[](Op& op) { op.dst.begin = 32; }, "address 32 in L0B must be a multiple of 512"}});
}

TEST(Load, DoesNothingWithoutRepeats) {
  TestCore core;
  const LoadData2D load{.dst = In(Memory::kL0A), .src = In(Memory::kL1)};
  const LoadDataTransposed transposed{.dst = In(Memory::kL0A), .src = In(Memory::kL1)};
  EXPECT_EQ(load.Footprint(*core).size() + transposed.Footprint(*core).size(), 0);
  EXPECT_EQ(std::get<Cost>(load.TimeOn(*core)).busy_cycles + transposed.TimeOn(*core).busy_cycles, 0);
  core.Issue(load);
  core.Issue(transposed);
  EXPECT_EQ(core->l0a().type(0), FractalType::kNone);
}

}  // namespace
}  // namespace tilesim::isa

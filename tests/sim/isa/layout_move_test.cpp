// Moves that lay out anew or fill: CopyNd2Nz, InitConst.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "formats/units.h"
#include "sim/isa/data_move.h"
#include "tests/sim/isa/reached_bytes.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

CopyNd2Nz RandomNd2Nz(Random& random, const TestCore& core) {
  const int64_t size = random.OneOf<int64_t>({1, 2, 4});
  const int64_t c0 = 32 / size;
  CopyNd2Nz op{.dst = In(Memory::kL1, random.Int(0, 9) * 32),
               .src = core.Gm(random.Int(0, 50)),
               .element_bytes = size,
               .num_matrices = random.Int(1, 3),
               .rows = random.Int(1, 20),
               .columns = random.Int(1, 90)};
  op.src_row_stride = op.columns + (random.Coin() ? 0 : random.Int(0, 20));
  op.src_matrix_stride = op.rows * op.src_row_stride + random.Int(0, 9);
  const int64_t strips = CeilDiv(op.columns, c0);
  switch (random.Int(0, 2)) {
    case 0:  // matrix after matrix, strip after strip
      op.dst_row_stride_blocks = random.Int(1, 2);
      op.dst_strip_stride_blocks = op.rows * op.dst_row_stride_blocks + random.Int(0, 3);
      op.dst_matrix_stride = strips * op.dst_strip_stride_blocks * c0;
      break;
    case 1:  // rows of the matrices in turn
      op.dst_row_stride_blocks = op.num_matrices;
      op.dst_matrix_stride = c0;
      op.dst_strip_stride_blocks = op.rows * op.num_matrices;
      break;
    default:  // strips of a row beside each other
      op.dst_strip_stride_blocks = 1;
      op.dst_row_stride_blocks = strips;
      op.dst_matrix_stride = (op.rows * strips + random.Int(0, 2)) * c0;
  }
  return op;
}

TEST(CopyNd2Nz, PutsEachElementWhereTheDefinitionDoesAndZeroesTheRestOfItsStrip) {
  Random random;
  TestCore core;
  FillBytes(random, core.gm().data(), kReach);
  for (int round = 0; round < Repetitions(120); ++round) {
    const CopyNd2Nz op = RandomNd2Nz(random, core);
    const int64_t size = op.element_bytes;
    const int64_t c0 = 32 / size;
    std::memset(core->l1(), 0xAB, kReach);
    Bytes expected(core->l1(), core->l1() + kReach);
    std::vector<bool> written(kReach);
    std::vector<bool> read(core.gm().size());
    for (int64_t i = 0; i < op.num_matrices; ++i) {
      for (int64_t r = 0; r < op.rows; ++r) {
        for (int64_t c = 0; c < AlignUp(op.columns, c0); ++c) {
          const int64_t to = i * op.dst_matrix_stride + c / c0 * op.dst_strip_stride_blocks * c0 +
                             r * op.dst_row_stride_blocks * c0 + c % c0;
          const int64_t from = i * op.src_matrix_stride + r * op.src_row_stride + c;
          for (int64_t b = 0; b < size; ++b) {
            const auto at = op.dst.begin + static_cast<uint64_t>(to * size + b);
            const auto at_gm = op.src.begin - core.address() + static_cast<uint64_t>(from * size + b);
            expected[at] = c < op.columns ? core.gm()[at_gm] : std::byte{0};
            written[at] = true;
            read[at_gm] = read[at_gm] || c < op.columns;
          }
        }
      }
    }
    const Operands operands = op.Footprint(*core);
    ASSERT_EQ(Covered(operands, Memory::kL1, Use::kWrite, 0, kReach), written) << "round " << round;
    ASSERT_EQ(Covered(operands, Memory::kGm, Use::kRead, core.address(), core.gm().size()), read);
    core.Issue(op);
    ASSERT_EQ(std::memcmp(core->l1(), expected.data(), kReach), 0) << "round " << round;
  }
}

TEST(CopyNd2Nz, MovesRowsLongerThanItsBuffer) {
  Random random;
  TestCore core;
  FillBytes(random, core.gm().data(), kReach);
  const CopyNd2Nz op{.dst = In(Memory::kL1),
                     .src = core.Gm(),
                     .element_bytes = 4,
                     .rows = 2,
                     .columns = 1501,
                     .src_row_stride = 1501,
                     .dst_strip_stride_blocks = 2,
                     .dst_row_stride_blocks = 1};
  core.Issue(op);
  for (int64_t r = 0; r < 2; ++r) {
    for (int64_t c = 0; c < 1504; ++c) {
      const uint32_t expected = c < 1501 ? ElementAt(DType::kInt32, core.gm().data(), r * 1501 + c) : 0;
      ASSERT_EQ(ElementAt(DType::kInt32, core->l1(), c / 8 * 16 + r * 8 + c % 8), expected) << r << " " << c;
    }
  }
}

TEST(CopyNd2Nz, RefusesWhatItsTablesForbidAndIgnoresWhatDoesNothing) {
  struct Refusal {
    void (*change)(CopyNd2Nz&);
    const char* says;
  };
  const std::vector<Refusal> refusals = {
      {[](CopyNd2Nz& op) { op.num_matrices = 4096; }, "ndNum = 4096, must be in [0, 4095]"},
      {[](CopyNd2Nz& op) { op.rows = 16385; }, "nValue = 16385, must be in [0, 16384]"},
      {[](CopyNd2Nz& op) { op.columns = 65536; }, "dValue = 65536, must be in [0, 65535]"},
      {[](CopyNd2Nz& op) { op.src_row_stride = 0; }, "srcDValue = 0, must be in [1, 65535]"},
      {[](CopyNd2Nz& op) { op.dst_strip_stride_blocks = 0; }, "dstNzC0Stride = 0, must be in [1, 16384]"},
      {[](CopyNd2Nz& op) { op.dst_strip_stride_blocks = 16385; },
       "dstNzC0Stride = 16385, must be in [1, 16384]"},
      {[](CopyNd2Nz& op) { op.dst_row_stride_blocks = 0; }, "dstNzNStride = 0, must be in [1, 16384]"},
      {[](CopyNd2Nz& op) { op.dst_row_stride_blocks = 16385; },
       "dstNzNStride = 16385, must be in [1, 16384]"},
      {[](CopyNd2Nz& op) { op.src_matrix_stride = 65536; },
       "srcNdMatrixStride = 65536, must be in [0, 65535]"},
      {[](CopyNd2Nz& op) { op.dst_matrix_stride = 65536; },
       "dstNzMatrixStride = 65536, must be in [0, 65535]"},
      {[](CopyNd2Nz& op) { op.num_matrices = 2, op.dst_matrix_stride = 24; },
       "dstNzMatrixStride = 24 elements of 2 bytes, must be a multiple of 16"},
      {[](CopyNd2Nz& op) { op.element_bytes = 8; }, "has elements of 8 bytes, must be of 1, 2 or 4"},
      {[](CopyNd2Nz& op) { op.dst.memory = Memory::kL0C; },
       "dst: is in L0C and src in GM; there is no such path: paths from GM are to UB and L1"},
      {[](CopyNd2Nz& op) { op.dst.begin = 8; }, "address 8 in L1 must be a multiple of 32"},
  };
  TestCore core;
  const CopyNd2Nz plain{.dst = In(Memory::kL1),
                        .src = core.Gm(),
                        .rows = 16,
                        .columns = 16,
                        .src_row_stride = 16,
                        .dst_strip_stride_blocks = 16,
                        .dst_row_stride_blocks = 1};
  EXPECT_EQ(core.FaultOf(plain), "(no fault)");
  for (const Refusal& refusal : refusals) {
    CopyNd2Nz op = plain;
    refusal.change(op);
    EXPECT_SAYS(core.FaultOf(op), refusal.says);
  }
  CopyNd2Nz nop = plain;
  nop.columns = 0;
  nop.src_row_stride = 0;
  EXPECT_EQ(core.FaultOf(nop), "(no fault)");
  EXPECT_EQ(nop.Footprint(*core).size(), 0);
}

TEST(InitConst, FillsBlocksOfL1OnMte2) {
  TestCore core;
  const InitConst op{.dst = In(Memory::kL1, 64),
                     .dtype = DType::kFp32,
                     .value_bits = 0x40490FDB,
                     .repeat_times = 3,
                     .num_blocks = 40,
                     .gap_blocks = 2};
  EXPECT_EQ(op.pipe(), Pipe::kMte2);
  std::memset(core->l1(), 0xAB, 8192);
  Bytes expected(8192, std::byte{0xAB});
  std::vector<bool> written(8192);
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t b = 0; b < 40 * 8; ++b) {
      PutElement(DType::kFp32, expected.data() + 64 + r * 42 * 32, b, 0x40490FDB);
    }
    std::fill_n(written.begin() + 64 + r * 42 * 32, 40 * 32, true);
  }
  EXPECT_EQ(Covered(op.Footprint(*core), Memory::kL1, Use::kWrite, 0, 8192), written);
  core.Issue(op);
  EXPECT_EQ(std::memcmp(core->l1(), expected.data(), 8192), 0);
}

TEST(InitConst, FillsFractalsOfL0OnMte1) {
  for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
    for (const DType dtype : {DType::kFp16, DType::kBf16, DType::kFp32}) {
      TestCore core;
      const uint32_t bits = BitsOf(dtype, -1.25);
      const InitConst op{.dst = In(memory, 512),
                         .dtype = dtype,
                         .value_bits = bits,
                         .repeat_times = 2,
                         .num_blocks = 2,
                         .gap_blocks = 1};
      EXPECT_EQ(op.pipe(), Pipe::kMte1);
      core.Issue(op);
      L0Memory& l0 = memory == Memory::kL0A ? core->l0a() : core->l0b();
      const Bytes bytes = L0Bytes(l0, dtype);
      for (const int64_t fractal : {0, 1, 2, 3, 4, 5, 6}) {
        const bool filled = fractal != 0 && fractal != 3 && fractal != 6;
        EXPECT_EQ(l0.type(fractal), filled ? TypeFor(dtype) : FractalType::kNone);
        EXPECT_EQ(ElementAt(dtype, bytes.data() + fractal * 512, 77), filled ? bits : 0);
      }
    }
  }
}

TEST(InitConst, RefusesWhatItsTablesForbidAndIgnoresWhatDoesNothing) {
  struct Refusal {
    void (*change)(InitConst&);
    const char* says;
  };
  const std::vector<Refusal> refusals = {
      {[](InitConst& op) { op.repeat_times = 32768; }, "repeatTimes = 32768, must be in [0, 32767]"},
      {[](InitConst& op) { op.num_blocks = 32768; }, "blockNum = 32768, must be in [0, 32767]"},
      {[](InitConst& op) { op.gap_blocks = 32768; }, "dstGap = 32768, must be in [0, 32767]"},
      {[](InitConst& op) { op.dst.memory = Memory::kUb; }, "dst: is in UB, must be in L1, L0A or L0B"},
      {[](InitConst& op) { op.dtype = DType::kInt64; }, "has elements of 8 bytes, must be of 2 or 4"},
      {[](InitConst& op) { op.dst = In(Memory::kL0A, 32); }, "address 32 in L0A must be a multiple of 512"},
      {[](InitConst& op) { op.num_blocks = 16385; }, "pass the end of the memory at 524288 by 32 bytes"},
  };
  TestCore core;
  const InitConst plain{.dst = In(Memory::kL1), .repeat_times = 1, .num_blocks = 1};
  EXPECT_EQ(core.FaultOf(plain), "(no fault)");
  for (const Refusal& refusal : refusals) {
    InitConst op = plain;
    refusal.change(op);
    EXPECT_SAYS(core.FaultOf(op), refusal.says);
  }
  InitConst nop = plain;
  nop.num_blocks = 0;
  EXPECT_EQ(nop.Footprint(*core).size(), 0);
  EXPECT_EQ(nop.TimeOn(*core).busy_cycles, 0);
}

}  // namespace
}  // namespace tilesim::isa

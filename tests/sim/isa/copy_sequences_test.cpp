// Copies that software makes of several moves, against their formulas element by element.
#include "sim/isa/copy_sequences.h"

#include <gtest/gtest.h>

#include "tests/sim/isa/reached_bytes.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kGmBytes = 256 * 1024;

TestCore MakeCore() {
  return TestCore({.values = true, .time = true, .hazards = false}, {.kind = CoreKind::kAiv}, kGmBytes);
}

// Numbers unlike each other near by.
void Number(std::byte* bytes, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>((i * 7 + i / 251) % 253 + 1);
  }
}

template <class F>
std::string FaultIn(F&& f) {
  try {
    f();
  } catch (const KernelFault& fault) {
    return fault.what();
  }
  return "(no fault)";
}

TEST(Nd2NzToUb, PutsEachElementInItsStripAndZeroesTheRestOfTheLast) {
  Random random;
  TestCore core = MakeCore();
  Number(core.gm().data(), kGmBytes);
  for (int round = 0; round < 60; ++round) {
    const int64_t size = random.OneOf<int64_t>({1, 2, 4});
    const int64_t c0 = 32 / size;
    const int64_t rows = random.Int(1, 20);
    const int64_t columns = random.Int(1, 70);
    const int64_t strips = (columns + c0 - 1) / c0;
    const int64_t row_stride = random.Int(1, 2);
    const CopyNd2Nz op{.dst = In(Memory::kUb, random.Int(0, 3) * 32),
                       .src = core.Gm(random.Int(0, 9) * size),
                       .element_bytes = size,
                       .num_matrices = random.Int(1, 3),
                       .rows = rows,
                       .columns = columns,
                       .src_matrix_stride = random.Int(0, 400),
                       .src_row_stride = columns + random.Int(0, 9),
                       .dst_strip_stride_blocks = rows * row_stride + random.Int(0, 3),
                       .dst_row_stride_blocks = row_stride,
                       .dst_matrix_stride = strips * (rows * row_stride + 3) * c0};
    constexpr int64_t kUb = 128 * 1024;
    FillBytes(random, core->ub(), kUb);
    Bytes expected(core->ub(), core->ub() + kUb);
    for (int64_t i = 0; i < op.num_matrices; ++i) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < strips * c0; ++c) {
          const int64_t to = i * op.dst_matrix_stride +
                             ((c / c0) * op.dst_strip_stride_blocks + r * op.dst_row_stride_blocks) * c0 +
                             c % c0;
          const int64_t from = i * op.src_matrix_stride + r * op.src_row_stride + c;
          for (int64_t b = 0; b < size; ++b) {
            expected[op.dst.begin + static_cast<uint64_t>(to * size + b)] =
                c < columns
                    ? core.gm()[op.src.begin - core.address() + static_cast<uint64_t>(from * size + b)]
                    : std::byte{0};
          }
        }
      }
    }
    core->registers().vector.pad_value_set = true;
    core->registers().vector.pad_value_bits = 77;
    IssueNd2NzToUb(*core, op, SourceLine::Here());
    ASSERT_EQ(std::memcmp(expected.data(), core->ub(), kUb), 0) << "round " << round;
    EXPECT_EQ(core->registers().vector.pad_value_bits, 77U);  // what SetPadValue has set stays
  }
}

TEST(Nd2NzToUb, TakesMoreRowsThanOneMoveHas) {
  TestCore core = MakeCore();
  Number(core.gm().data(), kGmBytes);
  IssueNd2NzToUb(*core,
                 {.dst = In(Memory::kUb),
                  .src = core.Gm(),
                  .element_bytes = 4,
                  .rows = 5000,
                  .columns = 8,
                  .src_row_stride = 9,
                  .dst_strip_stride_blocks = 5000,
                  .dst_row_stride_blocks = 1},
                 SourceLine::Here());
  EXPECT_EQ(core->statistics().instructions[static_cast<size_t>(Pipe::kMte2)], 2);
  for (const int64_t r : {0, 4094, 4095, 4999}) {
    EXPECT_EQ(std::memcmp(core->ub() + r * 32, core.gm().data() + r * 36, 32), 0) << r;
  }
}

TEST(Nz2NdToGm, PutsEachElementInItsRow) {
  Random random;
  TestCore core = MakeCore();
  Number(core->ub(), 128 * 1024);
  for (int round = 0; round < 60; ++round) {
    const int64_t size = random.OneOf<int64_t>({2, 4});
    const int64_t rows = random.Int(1, 20);
    const int64_t columns = random.Int(1, 5) * 16;
    const CopyNz2Nd op{.dst = core.Gm(random.Int(0, 9) * size),
                       .src = In(Memory::kUb, random.Int(0, 9) * 32),
                       .element_bytes = size,
                       .num_matrices = random.Int(1, 3),
                       .rows = rows,
                       .columns = columns,
                       .src_matrix_stride = random.Int(1, 9),
                       .src_strip_stride = random.Int(0, 30),
                       .dst_row_stride = columns + random.Int(0, 9),
                       .dst_matrix_stride = rows * (columns + 9)};
    FillBytes(random, core.gm().data(), kGmBytes / 4);
    Bytes expected = core.gm();
    for (int64_t i = 0; i < op.num_matrices; ++i) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          const int64_t to = i * op.dst_matrix_stride + r * op.dst_row_stride + c;
          const int64_t from =
              i * op.src_matrix_stride * 256 + (c / 16) * op.src_strip_stride * 16 + r * 16 + c % 16;
          for (int64_t b = 0; b < size; ++b) {
            expected[op.dst.begin - core.address() + static_cast<uint64_t>(to * size + b)] =
                core->ub()[op.src.begin + static_cast<uint64_t>(from * size + b)];
          }
        }
      }
    }
    IssueNz2NdToGm(*core, op, SourceLine::Here());
    ASSERT_EQ(std::memcmp(expected.data(), core.gm().data(), expected.size()), 0) << "round " << round;
  }
}

TEST(Nz2NdToGm, RefusesWhatItsTableForbids) {
  const auto says = [](void (*change)(CopyNz2Nd&), const char* words) {
    TestCore core = MakeCore();
    CopyNz2Nd op{.dst = core.Gm(), .src = In(Memory::kUb), .rows = 2, .columns = 16, .dst_row_stride = 16};
    change(op);
    EXPECT_SAYS(FaultIn([&] { IssueNz2NdToGm(*core, op, SourceLine::Here()); }), words);
  };
  using Op = CopyNz2Nd;
  says([](Op& op) { op.element_bytes = 1; }, "has elements of 1 bytes, must be of 2 or 4");
  says([](Op& op) { op.num_matrices = 4096; }, "ndNum = 4096, must be in [0, 4095]");
  says([](Op& op) { op.rows = 0; }, "nValue = 0, must be in [1, 8192]");
  says([](Op& op) { op.columns = 8208; }, "dValue = 8208, must be in [1, 8192]");
  says([](Op& op) { op.columns = 24; }, "dValue = 24, must be a multiple of 16");
  says([](Op& op) { op.src_matrix_stride = 0; }, "srcNdMatrixStride = 0, must be in [1, 512]");
  says([](Op& op) { op.src_strip_stride = 4097; }, "srcNStride = 4097, must be in [0, 4096]");
  says([](Op& op) { op.dst_row_stride = 15; },
       "dstDStride = 15 elements from row to row, must be at least 16");
}

// The documented example: bursts of 24 floats from columns 16 and 47 of rows 0 and 2 of a 3 x 87 tensor.
SliceCopy Example() {
  SliceCopy copy;
  copy.element_bytes = 4;
  copy.dims = 2;
  copy.src_ranges[0] = {.start = 16, .end = 70, .stride = 7, .burst_blocks = 3, .extent = 87};
  copy.src_ranges[1] = {.start = 0, .end = 2, .stride = 1, .burst_blocks = 1, .extent = 3};
  copy.dst_ranges[0] = {.start = 0, .end = 47, .stride = 0, .burst_blocks = 3, .extent = 48};
  copy.dst_ranges[1] = {.start = 0, .end = 1, .stride = 0, .burst_blocks = 1, .extent = 2};
  return copy;
}

TEST(SliceCopy, PacksBurstsOfRowsInBothDirections) {
  TestCore core = MakeCore();
  Number(core.gm().data(), kGmBytes);
  SliceCopy in = Example();
  in.dst = In(Memory::kUb, 64);
  in.src = core.Gm();
  IssueSliceCopy(*core, in, SourceLine::Here());
  const auto piece = [](int64_t row, int64_t burst) { return (row * 2 * 87 + 16 + burst * 31) * 4; };
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t burst = 0; burst < 2; ++burst) {
      EXPECT_EQ(std::memcmp(core->ub() + 64 + (row * 48 + burst * 24) * 4,
                            core.gm().data() + piece(row, burst), 96),
                0);
    }
  }
  SliceCopy out = Example();
  std::swap(out.dst_ranges, out.src_ranges);
  out.dst = core.Gm(4096);
  out.src = In(Memory::kUb, 64);
  Bytes expected = core.gm();
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t burst = 0; burst < 2; ++burst) {
      std::memcpy(expected.data() + 4096 + piece(row, burst), core.gm().data() + piece(row, burst), 96);
    }
  }
  IssueSliceCopy(*core, out, SourceLine::Here());
  EXPECT_EQ(std::memcmp(expected.data(), core.gm().data(), expected.size()), 0);
  EXPECT_EQ(core->statistics().instructions[static_cast<size_t>(Pipe::kMte3)], 2);
}

// Three dimensions, the second fastest; and gaps in UB.
TEST(SliceCopy, WalksOuterDimensionsInOrder) {
  TestCore core = MakeCore();
  Number(core.gm().data(), kGmBytes);
  SliceCopy copy{.dst = In(Memory::kUb), .src = core.Gm(), .element_bytes = 2, .dims = 3};
  copy.src_ranges[0] = {.start = 1, .end = 36, .stride = 4, .burst_blocks = 1, .extent = 40};
  copy.src_ranges[1] = {.start = 1, .end = 4, .stride = 1, .burst_blocks = 1, .extent = 5};  // 1, 3
  copy.src_ranges[2] = {.start = 0, .end = 3, .stride = 2, .burst_blocks = 1, .extent = 4};  // 0, 3
  copy.dst_ranges[0] = {.start = 0, .end = 47, .stride = 16, .burst_blocks = 1, .extent = 48};
  copy.dst_ranges[1] = {.start = 0, .end = 3, .stride = 0, .burst_blocks = 1, .extent = 4};
  copy.dst_ranges[2] = {.start = 0, .end = 0, .stride = 0, .burst_blocks = 1, .extent = 1};
  IssueSliceCopy(*core, copy, SourceLine::Here());
  int64_t row = 0;
  for (const int64_t k : {0, 3}) {
    for (const int64_t j : {1, 3}) {
      for (int64_t burst = 0; burst < 2; ++burst) {
        EXPECT_EQ(std::memcmp(core->ub() + (row * 48 + burst * 32) * 2,
                              core.gm().data() + ((k * 5 + j) * 40 + 1 + burst * 20) * 2, 32),
                  0);
      }
      ++row;
    }
  }
}

TEST(SliceCopy, RefusesWhatDoesNotFit) {
  const auto says = [](void (*change)(SliceCopy&), const char* words) {
    TestCore core = MakeCore();
    SliceCopy copy = Example();
    copy.dst = In(Memory::kUb);
    copy.src = core.Gm();
    change(copy);
    EXPECT_SAYS(FaultIn([&] { IssueSliceCopy(*core, copy, SourceLine::Here()); }), words);
  };
  using Op = SliceCopy;
  says([](Op& op) { op.dims = 9; }, "dimValue = 9, must be in [1, 8]");
  says([](Op& op) { op.dst_ranges[0].burst_blocks = 6; }, "burstLen = 6, must be that of srcInfo[0], 3");
  says([](Op& op) { op.src_ranges[0].burst_blocks = op.dst_ranges[0].burst_blocks = 0; },
       "dstInfo[0]: burstLen = 0, must be at least 1");
  says([](Op& op) { op.src_ranges[0].end = 71; },
       "srcInfo[0]: indices 16 to 71 are 56 elements, must be whole bursts of 24 with 7 between them");
  says([](Op& op) { op.src_ranges[0].extent = 70; },
       "srcInfo[0]: endIndex = 70, must be less than shapeValue = 70");
  says([](Op& op) { op.src_ranges[0].extent = 0; }, "give the extent of every dimension in shapeValue");
  says([](Op& op) { op.src_ranges[1].start = 3; },
       "srcInfo[1]: startIndex = 3, must be at most endIndex = 2");
  says([](Op& op) { op.src_ranges[1].extent = 2; },
       "srcInfo[1]: takes index 2, must be less than shapeValue = 2");
  says([](Op& op) { op.src_ranges[1].burst_blocks = 2; }, "srcInfo[1]: burstLen = 2, must be 1");
  says([](Op& op) { op.src_ranges[1].stride = 0; },
       "dstInfo: takes 2 times 2 bursts and srcInfo 3 times 2; both must take as many");
  says(
      [](Op& op) {
        op.dst_ranges[0] = {.start = 0, .end = 49, .stride = 2, .burst_blocks = 3, .extent = 50};
      },
      "dstInfo[0]: stride is 8 bytes of UB, must be a multiple of 32");
  says([](Op& op) { op.dst_ranges[1] = {.start = 0, .end = 1536, .burst_blocks = 1, .extent = 2000}; },
       "makes 1537 moves, must be 1536 at most");
}

}  // namespace
}  // namespace tilesim::isa

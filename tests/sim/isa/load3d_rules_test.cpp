// What LoadData3D does at its edges, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/isa/load3d.h"
#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {
namespace {

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
  core->registers().pad_bits = Half(1.5).bits;
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
    std::vector<float> expected(6 * 256);  // one matrix: along K, the windows share rows of fractals
    for (int64_t i = 0; i < 3; ++i) {
      LoadData3D one = op;
      (along_k ? one.k_start : one.m_start) = along_k ? i * 16 : i * 2 * 16;
      core.Issue(one);
      for (int64_t m = 0; m < 2; ++m) {
        const int64_t to = along_k ? m * 3 + i : i * 2 + m;
        std::copy_n(core->l0a().Fractal(m), 256, expected.begin() + to * 256);
      }
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
struct Load3dRefusal {
  void (*change)(LoadData3D&, CoreRegisters&);
  const char* says;
};

TEST(LoadData3D, RefusesWhatItsTablesForbid) {
  using R = CoreRegisters;
  const std::vector<Load3dRefusal> refusals = {
      {[](LoadData3D& op, R&) { op.dst.memory = Memory::kL0C; }, "dst: is in L0C, must be in L0A or L0B"},
      {[](LoadData3D& op, R&) { op.src.memory = Memory::kUb; }, "src: is in UB, must be in L1"},
      {[](LoadData3D& op, R&) { op.dtype = DType::kInt64; },
       "has elements of type int64; allowed here: int4, int8, uint8, fp16, bf16"},
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
  for (const Load3dRefusal& refusal : refusals) {
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

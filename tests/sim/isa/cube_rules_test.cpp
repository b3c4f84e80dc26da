// What Mmad does at its edges, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sim/isa/cube.h"
#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {
namespace {

TEST(Mmad, IsOrderedByItsPipeFromTenFractalsOfCOn) {
  const auto ordered = [](int64_t m, int64_t n, bool init, bool bias = false) {
    Mmad op;
    op.m = m;
    op.n = n;
    op.k = 16;
    op.init = init;
    op.bias = bias;
    return op.OrderedInPipe();
  };
  EXPECT_FALSE(ordered(48, 48, false));   // 9
  EXPECT_TRUE(ordered(32, 80, false));    // 10
  EXPECT_FALSE(ordered(144, 16, false));  // 9
  EXPECT_TRUE(ordered(145, 16, false));   // 10: the last one begun
  EXPECT_TRUE(ordered(16, 16, true));     // does not accumulate
  EXPECT_FALSE(ordered(16, 16, true, true));
}

TEST(Mmad, DoesNothingWhereASizeIsZeroButTakesItsIssue) {
  TestCore core;
  Mmad op{.dst = In(Memory::kL0C), .a = In(Memory::kL0A), .b = In(Memory::kL0B), .m = 16, .n = 16, .k = 16};
  for (int64_t* size : {&op.m, &op.n, &op.k}) {
    const int64_t kept = std::exchange(*size, 0);
    EXPECT_EQ(op.Footprint(*core).size(), 0);
    core.Issue(op);
    EXPECT_TRUE(std::isnan(core->l0c()[0]));
    EXPECT_EQ(op.TimeOn(*core).busy_cycles, core.soc().mmad_issue_cycles);
    EXPECT_EQ(op.TimeOn(*core).latency_cycles, 0);
    *size = kept;
  }
  core.Issue(op);
  EXPECT_EQ(core->l0c()[0], 0.0F);
}

TEST(Mmad, RefusesWhatItsTablesForbid) {
  struct Refusal {
    void (*change)(Mmad&);
    const char* says;
  };
  const std::vector<Refusal> refusals = {
      {[](Mmad& op) { op.m = 4096; }, "m = 4096, must be in [0, 4095]"},
      {[](Mmad& op) { op.n = 4096; }, "n = 4096, must be in [0, 4095]"},
      {[](Mmad& op) { op.k = 4096; }, "k = 4096, must be in [0, 4095]"},
      {[](Mmad& op) { op.unit_flag = 1; }, "unitFlag = 1, must be 0 (off), 2 (keep) or 3 (flip)"},
      {[](Mmad& op) { op.dtype = DType::kInt32; },
       "has elements of type int32; allowed here: int4, int8, fp16, bf16, fp32"},
      {[](Mmad& op) { op.dtype = VectorType::kInt4, op.k = 15; }, "k = 15, must be even with int4"},
      {[](Mmad& op) { op.init = false, op.start = In(Memory::kL1); }, "bias: is in L1, must be in BT or L0C"},
      {[](Mmad& op) { op.bias = true, op.start = In(Memory::kBt, 32); },
       "its address 32 in BT must be a multiple of 64"},
      {[](Mmad& op) { op.init = false, op.start = In(Memory::kBt, 1024 - 64), op.n = 17; },
       "of BT pass the end of the memory at 1024"},
      {[](Mmad& op) { op.init = false, op.start = In(Memory::kL0C, 1024), op.m = 32; },
       "overlaps C at 0, must be C itself or lie apart from it"},
      {[](Mmad& op) { op.dst.memory = Memory::kL0A; }, "dst: is in L0A, must be in L0C"},
      {[](Mmad& op) { op.a.memory = Memory::kL1; }, "a: is in L1, must be in L0A"},
      {[](Mmad& op) { op.b.memory = Memory::kL0A; }, "b: is in L0A, must be in L0B"},
      {[](Mmad& op) { op.dst.begin = 512; }, "its address 512 in L0C must be a multiple of 1024"},
      {[](Mmad& op) { op.a.begin = 32; }, "its address 32 in L0A must be a multiple of 512"},
      {[](Mmad& op) { op.b.begin = 256; }, "its address 256 in L0B must be a multiple of 512"},
      {[](Mmad& op) { op.dst.limit = 1023; },
       "bytes [0, 1024) of L0C pass the end of the tensor's buffer at 1023"},
      {[](Mmad& op) {
         op.k = 2064;
         op.m = 16;
       },
       "bytes [0, 66048) of L0A pass the end of the memory at 65536 by 512 bytes"},
  };
  for (const Refusal& refusal : refusals) {
    TestCore core;
    Mmad op{.dst = In(Memory::kL0C), .a = In(Memory::kL0A), .b = In(Memory::kL0B), .m = 16, .n = 16, .k = 16};
    ASSERT_EQ(core.FaultOf(op), "(no fault)");
    refusal.change(op);
    EXPECT_SAYS(core.FaultOf(op), refusal.says);
  }
  TestCore core;
  const Mmad ignored{.dst = In(Memory::kL0C),
                     .a = In(Memory::kL0A),
                     .b = In(Memory::kL0B),
                     .m = 16,
                     .n = 16,
                     .k = 16,
                     .start = In(Memory::kL1)};  // not read, as C starts at 0
  EXPECT_EQ(core.FaultOf(ignored), "(no fault)");
}

}  // namespace
}  // namespace tilesim::isa

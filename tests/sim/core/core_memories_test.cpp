// What a core finds in the memories that another one left.
#include "sim/core/core_memories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "sim/soc/soc_config.h"

namespace tilesim {
namespace {

constexpr std::byte kClean{0xFF};
constexpr std::byte kOurs{0x11};
constexpr std::byte kOthers{0x22};

// UB of a core that has written its first `left` bytes and is done.
class LeftUb {
 public:
  explicit LeftUb(uint64_t left) { Leave(left); }

  void Leave(uint64_t end) {
    memories_.Reach(Memory::kUb, end);
    std::fill_n(memories_.Ub(), end, kOthers);
    memories_.NoteWrite(Memory::kUb, end);
    memories_.Clean();
  }
  void Overwrite(uint64_t begin, uint64_t end) {
    memories_.Reach(Memory::kUb, end);
    std::byte* const ub = memories_.UbToOverwrite(begin, end);
    std::fill(ub + begin, ub + end, kOurs);
    memories_.NoteWrite(Memory::kUb, end);
  }
  // A letter for each run of equal bytes: clean, ours, others'.
  std::string Runs() {
    memories_.ReachAll();
    const std::byte* const ub = memories_.Ub();
    std::string runs;
    for (size_t i = 0; i < memories_.ub_bytes(); ++i) {
      const char letter = ub[i] == kClean ? 'c' : ub[i] == kOurs ? 'o' : 'x';
      if (runs.empty() || runs.back() != letter) {
        runs += letter;
      }
    }
    return runs;
  }
  CoreMemories& memories() { return memories_; }

 private:
  CoreMemories memories_{LoadSoc("ascend910b2"), CoreKind::kAiv};
};

TEST(CoreMemories, AreCleanForTheNextCore) {
  LeftUb ub(1000);
  EXPECT_TRUE(ub.memories().IsCleanFrom(Memory::kUb, 0));
  EXPECT_EQ(ub.Runs(), "c");
}

TEST(CoreMemories, KeepWhatIsWrittenBeforeAnybodyReads) {
  for (const uint64_t left : {0, 150, 1000}) {
    LeftUb ub(left);
    ub.Overwrite(100, 300);
    EXPECT_EQ(ub.Runs(), "coc") << left;
    EXPECT_FALSE(ub.memories().IsCleanFrom(Memory::kUb, 299));
    EXPECT_TRUE(ub.memories().IsCleanFrom(Memory::kUb, 300));
  }
}

TEST(CoreMemories, AreCleanBetweenWhatIsWrittenInAnyOrder) {
  LeftUb ub(1000);
  ub.Overwrite(500, 600);
  ub.Overwrite(100, 200);
  ub.Overwrite(550, 700);
  ub.Overwrite(900, 1100);
  EXPECT_EQ(ub.Runs(), "cocococ");
}

TEST(CoreMemories, AreCleanWhereTheCoreBetweenNeverLooked) {
  LeftUb ub(1000);
  ub.Overwrite(0, 10);
  ub.memories().Clean();
  EXPECT_EQ(ub.Runs(), "c");
  ub.Leave(2000);
  ub.memories().Clean();  // one that wrote nothing
  EXPECT_EQ(ub.Runs(), "c");
}

}  // namespace
}  // namespace tilesim

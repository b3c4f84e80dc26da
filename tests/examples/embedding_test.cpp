#include "tests/examples/example_run.h"

namespace right {
#define embedding embedding_right
#include "docs/examples/kernels/embedding.cpp"
#undef embedding
}  // namespace right
namespace kept {
#define embedding embedding_kept
#define KEEP_THE_ROWS
#include "docs/examples/kernels/embedding.cpp"
#undef KEEP_THE_ROWS
#undef embedding
}  // namespace kept
namespace around_the_queue {
#define embedding embedding_around_the_queue
#define SKIP_THE_QUEUE
#include "docs/examples/kernels/embedding.cpp"
#undef SKIP_THE_QUEUE
#undef embedding
}  // namespace around_the_queue

namespace tilesim::testing {
namespace {

struct EmbeddingExample {
  uint32_t count = 1500, rows = 300, width = 256;
  std::vector<int32_t> ids;
  std::vector<half> table = RandomNumbers<half>(300 * 256, -4, 4);
  std::vector<half> y = std::vector<half>(1500 * 256);
  Example run = Example(KernelType::kAivOnly, 48);

  EmbeddingExample() {
    for (uint32_t i = 0; i < count; ++i) {
      ids.push_back(static_cast<int32_t>(i * 7919 % rows));
    }
    run.In("ids", ids).In("table", table).Out("y", y);
  }
  template <class Kernel>
  std::string Faults(Kernel kernel) {
    return run.Faults([&] { kernel(At(ids), At(table), At(y), count, rows, width); });
  }
};

TEST(EmbeddingExample, TakesTheRowsThatTheNumbersName) {
  EmbeddingExample e;
  EXPECT_EQ(e.Faults(right::embedding_right), "");
  for (uint32_t i = 0; i < e.count; ++i) {
    for (uint32_t j = 0; j < e.width; ++j) {
      ASSERT_EQ(static_cast<float>(e.y[i * e.width + j]),
                static_cast<float>(e.table[static_cast<uint32_t>(e.ids[i]) * e.width + j]))
          << i << ", " << j;
    }
  }
}

TEST(EmbeddingExample, SaysThatNoBufferIsLeft) {
  EmbeddingExample e;
  const std::string faults = e.Faults(kept::embedding_kept);
  ExpectSays(faults, "queue: all 2 buffers of the TQue at ");
  ExpectSays(faults, " are in use (the oldest is with the kernel since DeQue (");
  ExpectSays(faults,
             "), so the call would wait for ever; FreeTensor one before, or give InitBuffer more than 2");
}

TEST(EmbeddingExample, SaysThatARowIsStoredBeforeItHasArrived) {
  EmbeddingExample e;
  const std::string faults = e.Faults(around_the_queue::embedding_around_the_queue);
  ExpectSays(faults, "needs EnQue and DeQue of the TQue at ");
  ExpectSays(
      faults,
      ", which set and wait for MTE2_MTE3 (or SetFlag/WaitFlag<MTE2_MTE3> where the tensor is not that "
      "queue's), between them");
}

}  // namespace
}  // namespace tilesim::testing

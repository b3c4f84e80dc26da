#include "tests/examples/example_run.h"

namespace right {
#define top_k top_k_right
#include "docs/examples/kernels/top_k.cpp"
#undef top_k
}  // namespace right
namespace in_place {
#define top_k top_k_in_place
#define MERGE_IN_PLACE
#include "docs/examples/kernels/top_k.cpp"
#undef MERGE_IN_PLACE
#undef top_k
}  // namespace in_place
namespace without_enque {
#define top_k top_k_without_enque
#define FORGET_TO_ENQUEUE
#include "docs/examples/kernels/top_k.cpp"
#undef FORGET_TO_ENQUEUE
#undef top_k
}  // namespace without_enque

namespace tilesim::testing {
namespace {

struct TopKExample {
  uint32_t rows = 20, k = 40;
  std::vector<float> x = RandomNumbers<float>(20 * 2048, -1, 1);
  std::vector<float> values = std::vector<float>(20 * 40);
  std::vector<uint32_t> places = std::vector<uint32_t>(20 * 40);
  Example run = Example(KernelType::kAivOnly, 10).In("x", x).Out("values", values).Out("places", places);

  TopKExample() {
    x[5] = x[77] = x[2000] = 3;  // equal ones stay in their order
  }
  template <class Kernel>
  std::string Faults(Kernel kernel) {
    return run.Faults([&] { kernel(At(x), At(values), At(places), rows, k); });
  }
};

TEST(TopKExample, FindsTheLargestAndTheirPlaces) {
  TopKExample e;
  EXPECT_EQ(e.Faults(right::top_k_right), "");
  for (uint32_t row = 0; row < e.rows; ++row) {
    const float* const x = e.x.data() + row * 2048;
    std::vector<uint32_t> order(2048);
    for (uint32_t i = 0; i < 2048; ++i) {
      order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return x[a] > x[b]; });
    for (uint32_t i = 0; i < e.k; ++i) {
      ASSERT_EQ(e.places[row * e.k + i], order[i]) << row << ", " << i;
      ASSERT_EQ(e.values[row * e.k + i], x[order[i]]) << row << ", " << i;
    }
  }
}

TEST(TopKExample, SaysThatAListIsMergedIntoItself) {
  TopKExample e;
  ExpectSays(e.Faults(in_place::top_k_in_place), "dst must be apart from every source");
}

TEST(TopKExample, SaysThatNothingWasQueued) {
  TopKExample e;
  ExpectSays(e.Faults(without_enque::top_k_without_enque),
             " holds no tensor: nothing was put into it so far; EnQue one before");
}

}  // namespace
}  // namespace tilesim::testing

// TransDataTo5HD in a run of values only, which mostly runs at once (Core::at_once): it does, refuses and
// leaves behind what the same call does that is issued step by step.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/sim/isa/isa_fixture.h"
// after the others: it defines names in the global namespace
#include "tests/sim/ascendc/vector_forms.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using namespace AscendC;

using isa::Random;
using isa::Seed;

constexpr int64_t kUb = 192 * 1024;
constexpr int64_t kBlock = 32;

struct Rows {
  std::array<uint64_t, 16> begins{};
  std::array<uint64_t, 16> sizes{};  // of their tensors, in bytes
};

struct Call {
  Rows dst;
  Rows src;
  TransDataTo5HDParams params;
  bool by_address = true;
};

// Rows anywhere in UB or close together; some that end with it or lie beyond, or that are off their blocks.
Rows RandomRows(Random& random) {
  Rows rows;
  const int64_t first = random.Int(0, 5000);
  const bool close = random.Coin();
  for (size_t i = 0; i < rows.begins.size(); ++i) {
    const int64_t block = close ? first + static_cast<int64_t>(i) * 8 : random.Int(0, 5000);
    rows.begins[i] = static_cast<uint64_t>(block * kBlock);
    rows.sizes[i] = static_cast<uint64_t>(kUb - block * kBlock);
  }
  const auto one = static_cast<size_t>(random.Int(0, 15));
  switch (random.Int(0, 11)) {
    case 0:
      rows.begins[one] = static_cast<uint64_t>(kUb - random.Int(-1, 3) * kBlock);
      rows.sizes[one] = static_cast<uint64_t>(kBlock);
      break;
    case 1:
      rows.begins[one] += 2;
      break;
    case 2:
      rows.begins[one] = ~uint64_t{0} - static_cast<uint64_t>(random.Int(0, 2) * kBlock + 31);
      rows.sizes[one] = 0;
      break;
    case 3:
      rows.sizes[one] = static_cast<uint64_t>(random.Int(0, 3) * kBlock);
      break;
    default:
      break;
  }
  return rows;
}

Call RandomCall(Random& random) {
  constexpr uint16_t kStrides[] = {0, 1, 1, 8, 64};
  const auto stride = [&] { return kStrides[random.Int(0, 4)]; };
  Call call{.dst = RandomRows(random), .src = RandomRows(random), .params = {}, .by_address = random.Coin()};
  call.params = TransDataTo5HDParams(random.Coin(), random.Coin(), static_cast<uint8_t>(random.Int(0, 9)),
                                     stride(), stride());
  return call;
}

template <class T>
void Do(Call call) {  // the lists are the kernel's to change
  if (call.by_address) {
    return TransDataTo5HD<T>(call.dst.begins.data(), call.src.begins.data(), call.params);
  }
  LocalTensor<T> dst[16];
  LocalTensor<T> src[16];
  for (size_t i = 0; i < 16; ++i) {
    dst[i] = {TPosition::VECCALC, call.dst.begins[i], call.dst.sizes[i], {}};
    src[i] = {TPosition::VECCALC, call.src.begins[i], call.src.sizes[i], {}};
  }
  TransDataTo5HD(dst, src, call.params);
}

struct Left {
  std::string faults;
  UbCopy ub;
  uint64_t noted = 0;  // data blocks up to the last that has been written
  int64_t instructions = 0;
};

template <class T>
Left After(const Call& call, uint32_t seed, bool at_once) {
  Left left;
  const auto look = [&](Core& core) {
    left.ub.assign(core.ub(), core.ub() + kUb);
    while (!core.UbIsCleanFrom(left.noted * kBlock)) {
      ++left.noted;
    }
    EXPECT_TRUE(core.FitsUb(kUb, 0, Use::kWrite));  // all has been written, by FillUb
  };
  const LaunchResult result = RunOn(
      [&] {
        Core& core = AscendC::simulator::ThisCore();
        EXPECT_EQ(core.at_once(), at_once);
        core.ReachAll();
        FillUb<T, T>(seed, core.ub());
        try {
          Do<T>(call);
        } catch (...) {
          look(core);
          throw;
        }
        look(core);
      },
      {.values = true, .time = !at_once, .hazards = false});
  left.faults = TextWithoutCycles(result);
  left.instructions = result.Instructions();
  return left;
}

template <class T>
class TransposeAtOnce : public ::testing::Test {};
using Types = ::testing::Types<int8_t, uint16_t, half, int32_t, float>;
TYPED_TEST_SUITE(TransposeAtOnce, Types);

TYPED_TEST(TransposeAtOnce, DoesWhatIssuedOnesDo) {
  using T = TypeParam;
  Random random;
  int refused = 0;
  int done = 0;
  for (int round = 0; round < Repetitions(600); ++round) {
    const Call call = RandomCall(random);
    const auto seed = static_cast<uint32_t>(random.Int(0, INT32_MAX));
    const Left issued = After<T>(call, seed, false);
    const Left at_once = After<T>(call, seed, true);
    const std::string text = Say("round ", round, ", seed ", Seed());
    ASSERT_EQ(at_once.faults, issued.faults) << text;
    ASSERT_TRUE(at_once.ub == issued.ub) << text;
    if (issued.faults.empty()) {  // else more may be noted than was written
      ASSERT_EQ(at_once.noted, issued.noted) << text;
    }
    ASSERT_EQ(at_once.instructions, issued.instructions) << text;
    (issued.faults.empty() ? done : refused) += 1;
  }
  EXPECT_GT(done, PartOf(100));
  EXPECT_GT(refused, PartOf(50));
}

}  // namespace
}  // namespace tilesim

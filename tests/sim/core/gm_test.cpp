// GmSpace and GmWindow.
#include "sim/core/gm.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "formats/half.h"
#include "gtest/gtest.h"
#include "sim/core/gm_window.h"
#include "sim/core/update_layer.h"
#include "tests/sim/core/probe.h"

namespace tilesim {
namespace {

uint64_t At(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

TEST(GmSpace, FindsTheBufferOfAnAddress) {
  GmSpace gm;
  gm.Add({.name = "x", .address = 1000, .size_bytes = 24});
  EXPECT_EQ(gm.Find(999), nullptr);
  ASSERT_NE(gm.Find(1000), nullptr);
  EXPECT_EQ(gm.Find(1023)->name, "x");
  EXPECT_EQ(gm.Find(1024), nullptr);
}

TEST(GmSpace, SaysWhyAnAddressIsInNoBuffer) {
  GmSpace gm;
  gm.Add({.name = "x", .address = 1000, .size_bytes = 24});
  gm.AddFreed({.name = "y", .address = 2000, .size_bytes = 8});
  const std::string mend =
      "; hand the kernel memory of the device (aclrtMalloc, GmAlloc, or LaunchOptions::gm)";
  EXPECT_EQ(gm.Describe(0), "GM address 0 is a null pointer" + mend);
  EXPECT_EQ(gm.Describe(999), "GM address 999 is in no buffer of this launch" + mend);
  EXPECT_EQ(gm.Describe(1024),
            "GM address 1024 is in no buffer of this launch: it is the byte behind the end of x, which has "
            "24 bytes; make the buffer larger or the offset smaller");
  EXPECT_EQ(gm.Describe(1027),
            "GM address 1027 is in no buffer of this launch: it is 3 bytes behind the end of x, which has 24 "
            "bytes; make the buffer larger or the offset smaller");
  EXPECT_EQ(gm.Describe(2007),
            "GM address 2007 is in no buffer of this launch: y, which held it, was freed before" + mend);
  EXPECT_EQ(gm.Describe(90000000), "GM address 90000000 is in no buffer of this launch" + mend);
}

template <class T>
class GmWindowOf : public testing::Test {
 public:
  static constexpr DType kType = std::is_same_v<T, Half>       ? DType::kFp16
                                 : std::is_same_v<T, BFloat16> ? DType::kBf16
                                 : std::is_same_v<T, int32_t>  ? DType::kInt32
                                                               : DType::kFp32;
};
using AtomicTypes = testing::Types<Half, BFloat16, float, int32_t>;
TYPED_TEST_SUITE(GmWindowOf, AtomicTypes);

TYPED_TEST(GmWindowOf, UpdatesLandAtCommitAndItsOwnCoreSeesThemBefore) {
  using T = TypeParam;
  // two pages of 64 KiB at least, so that updates cross their border
  std::vector<T> gm(70000, T(2.0F));
  const std::vector<T> add(gm.size() - 2, T(3.0F));
  GmWindow window;
  window.Atomic(AtomicOp::kAdd, TestFixture::kType, At(gm.data() + 1), add.data(), add.size());
  window.Atomic(AtomicOp::kAdd, TestFixture::kType, At(gm.data() + 40000), add.data(), 1);
  EXPECT_EQ(static_cast<float>(gm[40000]), 2.0F);
  std::vector<T> seen(gm.size());
  window.Read(At(gm.data()), seen.data(), seen.size() * sizeof(T));
  EXPECT_EQ(static_cast<float>(gm[40000]), 2.0F);  // reading changes nothing
  window.Commit();
  window.Commit();  // nothing is left to land twice
  EXPECT_EQ(std::memcmp(seen.data(), gm.data(), seen.size() * sizeof(T)), 0);
  for (size_t i = 0; i < gm.size(); ++i) {
    const float expected = i == 0 || i == gm.size() - 1 ? 2.0F : i == 40000 ? 8.0F : 5.0F;
    ASSERT_EQ(static_cast<float>(gm[i]), expected) << i;
  }
}

TYPED_TEST(GmWindowOf, TakesTheLargestAndTheSmallest) {
  using T = TypeParam;
  std::vector<T> gm = {T(1.0F), T(5.0F), T(-3.0F), T(7.0F)};
  const std::vector<T> value = {T(4.0F), T(4.0F), T(-4.0F), T(-4.0F)};
  GmWindow window;
  window.Atomic(AtomicOp::kMax, TestFixture::kType, At(gm.data()), value.data(), 2);
  window.Atomic(AtomicOp::kMin, TestFixture::kType, At(gm.data() + 2), value.data() + 2, 2);
  window.Commit();
  const std::vector<float> expected = {4.0F, 5.0F, -4.0F, -4.0F};
  for (size_t i = 0; i < gm.size(); ++i) {
    EXPECT_EQ(static_cast<float>(gm[i]), expected[i]);
  }
}

template <class T>
float SumOnto(float gm_value, std::initializer_list<float> updates) {
  std::vector<T> gm = {T(gm_value)};
  GmWindow window;
  for (const float update : updates) {
    const T value(update);
    window.Atomic(AtomicOp::kAdd, GmWindowOf<T>::kType, At(gm.data()), &value, 1);
  }
  T seen(0.0F);
  window.Read(At(gm.data()), &seen, sizeof(T));
  window.Commit();
  EXPECT_EQ(static_cast<float>(seen), static_cast<float>(gm[0]));
  return static_cast<float>(gm[0]);
}

TEST(GmWindow, EachSixteenBitSumRoundsToItsType) {
  EXPECT_EQ(SumOnto<Half>(2048, {1}), 2048);           // 2049 is no fp16; ties to even
  EXPECT_EQ(SumOnto<Half>(2048, {1, 1, 1, 1}), 2048);  // joined they would have made 2052
  EXPECT_EQ(SumOnto<Half>(0, {2048, 1, -2048}), 0);
  EXPECT_EQ(SumOnto<BFloat16>(256, {1, 1}), 256);
  EXPECT_EQ(SumOnto<float>(16777216, {1, 1}), 16777218);  // a core's own are joined
}

template <class T>
void ExpectRandomSumsLandOneByOne(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> gm(40000);  // more than a page
  for (T& value : gm) {
    value = T(static_cast<float>(random() % 1000) / 7);
  }
  std::vector<T> model = gm;
  GmWindow window;
  for (int step = 0; step < 60; ++step) {
    const size_t begin = (step % 2 == 0 ? 32768 - 300 : 0) + random() % 300;
    std::vector<T> update(1 + random() % 600);
    for (size_t i = 0; i < update.size(); ++i) {
      update[i] = T(static_cast<float>(random() % 1000) / 11 - 30);
      model[begin + i] = T(static_cast<float>(model[begin + i]) + static_cast<float>(update[i]));
    }
    window.Atomic(AtomicOp::kAdd, GmWindowOf<T>::kType, At(gm.data() + begin), update.data(), update.size());
    if (step % 20 == 19) {
      std::vector<T> seen(gm.size());
      window.Read(At(gm.data()), seen.data(), seen.size() * sizeof(T));
      ASSERT_EQ(std::memcmp(seen.data(), model.data(), seen.size() * sizeof(T)), 0) << "step " << step;
    }
  }
  window.Commit();
  EXPECT_EQ(std::memcmp(gm.data(), model.data(), gm.size() * sizeof(T)), 0);
}

TEST(GmWindow, SixteenBitSumsLandInProgramOrder) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ExpectRandomSumsLandOneByOne<Half>(seed);
    ExpectRandomSumsLandOneByOne<BFloat16>(seed);
  }
}

TEST(GmWindow, CoresThatShareMemoryForUpdatesDoNotShareUpdates) {
  const auto pool = std::make_shared<UpdateLayerPool>();
  std::vector<float> sums(40000, 1.0F);
  std::vector<Half> halves(80000, Half(1.0F));
  const std::vector<float> ones(sums.size(), 1.0F);
  const std::vector<Half> twos(1, Half(2.0F));
  GmWindow first;
  GmWindow second;
  first.UsePool(pool);
  second.UsePool(pool);
  first.Atomic(AtomicOp::kAdd, DType::kFp32, At(sums.data()), ones.data(), ones.size());
  first.Commit();  // leaves layers that were touched everywhere
  second.Atomic(AtomicOp::kMax, DType::kFp16, At(halves.data() + 70000), twos.data(), 1);
  second.Commit();
  EXPECT_EQ(sums, std::vector<float>(sums.size(), 2.0F));
  for (size_t i = 0; i < halves.size(); ++i) {
    ASSERT_EQ(static_cast<float>(halves[i]), i == 70000 ? 2.0F : 1.0F) << i;
  }
}

TEST(GmWindow, DifferentOperationsOnOneElementKeepTheirOrder) {
  std::vector<float> gm = {1.0F};
  const float ten = 10.0F;
  GmWindow window;
  window.Atomic(AtomicOp::kAdd, DType::kFp32, At(gm.data()), &ten, 1);  // 11
  const float four = 4.0F;
  window.Atomic(AtomicOp::kMin, DType::kFp32, At(gm.data()), &four, 1);  // 4
  window.Atomic(AtomicOp::kAdd, DType::kFp32, At(gm.data()), &ten, 1);   // 14
  window.Commit();
  EXPECT_EQ(gm[0], 14.0F);
}

// A plain model: every access acts on bytes at once.
TEST(GmWindow, OneCoreSeesMemoryAsIfEveryAccessActedAtOnce) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<float> gm(64);
    std::vector<float> model(64);
    std::iota(gm.begin(), gm.end(), 0.0F);
    model = gm;
    auto* gm_bytes = reinterpret_cast<std::byte*>(gm.data());
    auto* model_bytes = reinterpret_cast<std::byte*>(model.data());
    GmWindow window;
    for (int step = 0; step < 400; ++step) {
      const size_t begin = random() % 256;
      const size_t size = 1 + random() % std::min<size_t>(256 - begin, 40);
      std::vector<std::byte> bytes(size);
      switch (random() % 4) {
        case 0:
          window.Read(At(gm_bytes + begin), bytes.data(), size);
          ASSERT_EQ(std::memcmp(bytes.data(), model_bytes + begin, size), 0) << "step " << step;
          break;
        case 1:
          for (std::byte& byte : bytes) {
            byte = static_cast<std::byte>(random() %
                                          64);  // small numbers: sums of them stay exact or not, alike
          }
          window.Write(At(gm_bytes + begin), bytes.data(), size);
          std::memcpy(model_bytes + begin, bytes.data(), size);
          break;
        case 2: {
          const auto value = static_cast<int32_t>(random());
          const size_t at = begin / 4;
          int32_t now = 0;
          window.Atomic(AtomicOp::kMax, DType::kInt32, At(gm.data() + at), &value, 1);
          std::memcpy(&now, &model[at], 4);
          now = std::max(now, value);
          std::memcpy(&model[at], &now, 4);
          break;
        }
        default:
          if (random() % 8 == 0) {
            window.Commit();
            ASSERT_EQ(std::memcmp(gm.data(), model.data(), 256), 0);
          }
          const Half half(1.0F);
          const size_t at = begin / 2;
          Half now;
          window.Atomic(AtomicOp::kMin, DType::kFp16, At(gm_bytes + at * 2), &half, 1);
          std::memcpy(&now, model_bytes + at * 2, 2);
          now = half < now ? half : now;
          std::memcpy(model_bytes + at * 2, &now, 2);
      }
    }
    window.Commit();
    EXPECT_EQ(std::memcmp(gm.data(), model.data(), 256), 0);
  }
}

}  // namespace
}  // namespace tilesim

// Sort32, MrgSort, Sort, Extract and Concat as kernels call them.
#include <numeric>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

// Scores in no order, some of them twice; small whole numbers, so that half has them.
std::vector<int> Scores(int count) {
  std::vector<int> scores;
  for (int i = 0; i < count; ++i) {
    scores.push_back(i * 37 % 101 - 50);
  }
  return scores;
}
// The places of `scores` in descending order, equal ones in their own.
std::vector<uint32_t> Order(const std::vector<int>& scores) {
  std::vector<uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  for (size_t i = 1; i < order.size(); ++i) {
    for (size_t j = i; j > 0 && scores[order[j]] > scores[order[j - 1]]; --j) {
      std::swap(order[j], order[j - 1]);
    }
  }
  return order;
}

template <class T>
void SortsInWhole(int32_t repeats) {
  const std::vector<int> scores = Scores(32 * repeats);
  const std::vector<uint32_t> order = Order(scores);
  EXPECT_EQ(FaultsOn([&] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              constexpr uint32_t kPart = 16 * 1024;
              pipe.InitBuffer(buffer, 8 * kPart);
              const auto part = [&](uint32_t i) { return buffer.Get<T>()[i * kPart / sizeof(T)]; };
              const LocalTensor<uint32_t> index = part(1).template ReinterpretCast<uint32_t>();
              for (uint32_t i = 0; i < scores.size(); ++i) {
                part(0).SetValue(i, T(static_cast<float>(scores[i])));
                index.SetValue(i, i);
              }
              LocalTensor<T> concat;
              LocalTensor<T> tmp = part(4);
              Concat(concat, part(0), tmp, repeats);
              Sort<T, true>(part(2), concat, index, tmp, repeats);
              const LocalTensor<uint32_t> places = part(6).template ReinterpretCast<uint32_t>();
              Extract(part(7), places, part(2), repeats);
              ResetMask();
              for (uint32_t i = 0; i < scores.size(); ++i) {
                ASSERT_EQ(places.GetValue(i), order[i]) << i << " of " << repeats;
                ASSERT_EQ(float(part(7).GetValue(i)), static_cast<float>(scores[order[i]]));
              }
            }),
            "");
}

// 63: rounds of 4-way merges, with 3 and 4 queues left, of which the last is short.
TEST(VectorSortForms, SortMakesOneQueue) {
  for (const int32_t repeats : {1, 2, 3, 4, 5, 7, 16, 21, 63}) {
    SortsInWhole<float>(repeats);
  }
  SortsInWhole<half>(21);
}

TEST(VectorSortForms, SortRefusesATmpThatIsSmallerThanItsQueue) {
  const auto sort = [](uint32_t tmp_bytes) {
    return FaultsOn([&] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> scores, queue, places, rest;
      pipe.InitBuffer(scores, 256);
      pipe.InitBuffer(queue, 512);
      pipe.InitBuffer(places, 256);
      pipe.InitBuffer(rest, tmp_bytes);
      const LocalTensor<float> score = scores.Get<float>();
      const LocalTensor<uint32_t> index = places.Get<uint32_t>();
      Duplicate(score, 1.0F, 64);
      Duplicate(index.ReinterpretCast<int32_t>(), 7, 64);
      PipeBarrier<PIPE_ALL>();
      LocalTensor<float> tmp = rest.Get<float>();
      Sort<float, true>(queue.Get<float>(), score, index, tmp, 2);
    });
  };
  EXPECT_EQ(sort(512), "");
  const std::string refused = sort(480);
  EXPECT_NE(refused.find("tmp: holds 120 elements, must hold 128, as many as dst"), std::string::npos)
      << refused;
}

TEST(VectorSortForms, MrgSortTellsWhatEachQueueGave) {
  EXPECT_EQ(FaultsOn([] {
              TPipe pipe;
              TBuf<TPosition::VECCALC> buffer;
              pipe.InitBuffer(buffer, 4096);
              const LocalTensor<float> src = buffer.Get<float>();
              const LocalTensor<float> dst = src[256];
              int at = 0;
              for (const float score : {9.0F, 1.0F, 8.0F, 7.0F}) {
                src.SetValue(static_cast<uint32_t>(at), score);
                src.ReinterpretCast<uint32_t>().SetValue(static_cast<uint32_t>(at + 1), at);
                at += 2;
              }
              const LocalTensor<float> none;
              const MrgSortSrcList<float> queues(src, src[4], none, none);
              const uint16_t lengths[4] = {2, 2, 0, 0};
              MrgSort(dst, queues, MrgSort4Info(lengths, true, 3, 1));
              uint16_t gave[4] = {7, 7, 7, 7};
              GetMrgSortResult(gave[0], gave[1], gave[2], gave[3]);
              EXPECT_EQ(gave[0], 1);
              EXPECT_EQ(gave[1], 2);
              EXPECT_EQ(gave[2] + gave[3], 0);
              EXPECT_EQ(dst.GetValue(0), 9.0F);
              EXPECT_EQ(dst.GetValue(2), 8.0F);
              EXPECT_EQ(dst.GetValue(4), 7.0F);
              EXPECT_EQ(dst.ReinterpretCast<uint32_t>().GetValue(5), 6U);

              uint32_t numbers[4] = {9, 9, 9, 9};
              MrgSort<float, true>(dst[64], queues, lengths, numbers, 3, 1);
              EXPECT_EQ(numbers[0], 1U);
              EXPECT_EQ(numbers[1], 2U);
              EXPECT_EQ(numbers[3], 0U);
              numbers[0] = 9;
              MrgSort<float>(dst[128], queues, lengths, numbers, 3, 1);
              EXPECT_EQ(numbers[0], 9U);
              EXPECT_EQ(dst.GetValue(128 + 6), 1.0F);
            }),
            "");
}

TEST(VectorSortForms, PairsTakeEightBytes) {
  EXPECT_EQ(GetSortOffset<float>(32), 64U);
  EXPECT_EQ(GetSortOffset<half>(32), 128U);
  EXPECT_EQ(GetSortLen<float>(5), 10U);
  EXPECT_EQ(GetSortLen<half>(5), 20U);
}

TEST(VectorSortForms, AMergeBeforeItsSourceIsThereIsAHazard) {
  const RunMode strict{.strict_sync = true};
  const std::string faults = FaultsOn(
      [] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 8192);
        const LocalTensor<float> a = buffer.Get<float>();
        Duplicate(a, 1.0F, 64);
        PipeBarrier<PIPE_V>();
        Sort32(a[512], a, a[32].ReinterpretCast<uint32_t>(), 1);
        SetFlag<HardEvent::V_S>(0);
        WaitFlag<HardEvent::V_S>(0);
        a.SetValue(0, 2.0F);
        Sort32(a[1024], a, a[32].ReinterpretCast<uint32_t>(), 1);
        PipeBarrier<PIPE_ALL>();
      },
      strict);
  ExpectSays(faults, "Sort32");
}

}  // namespace
}  // namespace tilesim

// Moves of a vector core, to the element: what a count rounds to, gaps, pads.
#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

enum class Path : uint8_t { kFromGm, kToGm, kWithinUb };
constexpr Path kPaths[] = {Path::kFromGm, Path::kToGm, Path::kWithinUb};
constexpr uint32_t kElements = 128;

// Moves 1, 2, 3, ... over zeros; `how`: a count, or DataCopyParams.
template <class T, class How>
std::vector<float> Moved(Path path, const How& how) {
  Gm<T> src(kElements);
  Gm<T> dst(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    src.data()[i] = T(static_cast<float>(i + 1));
  }
  const LaunchResult result = RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 4096);
        const LocalTensor<T> from = Part<T>(buffer, 0);
        const LocalTensor<T> to = Part<T>(buffer, 1);
        DataCopy(from, src.tensor(), kElements);
        Duplicate(to, T(0.0F), kElements);
        PipeBarrier<PIPE_ALL>();
        if (path == Path::kToGm) {
          DataCopy(dst.tensor(), from, how);
          return;
        }
        if (path == Path::kFromGm) {
          DataCopy(to, src.tensor(), how);
        } else {
          DataCopy(to, from, how);
        }
        PipeBarrier<PIPE_ALL>();
        DataCopy(dst.tensor(), to, kElements);
      },
      {}, src, dst);
  EXPECT_EQ(TextOf(result), "");
  return {dst.data().begin(), dst.data().end()};
}

// What does not fill a data block of 32 bytes stays behind.
TEST(VectorMoves, OfACountTakeWholeDataBlocksOnly) {
  const auto first = [](uint32_t count) {
    std::vector<float> expected(kElements);
    for (uint32_t i = 0; i < count; ++i) {
      expected[i] = static_cast<float>(i + 1);
    }
    return expected;
  };
  for (const Path path : kPaths) {
    SCOPED_TRACE(static_cast<int>(path));
    EXPECT_EQ(Moved<float>(path, uint32_t{13}), first(8));
    EXPECT_EQ(Moved<float>(path, uint32_t{7}), first(0));
    EXPECT_EQ(Moved<float>(path, uint32_t{16}), first(16));
    EXPECT_EQ(Moved<half>(path, uint32_t{13}), first(0));
    EXPECT_EQ(Moved<half>(path, uint32_t{31}), first(16));
  }
}

// Gaps run from the end of a block to the start of the next.
TEST(VectorMoves, OfBlocksKeepTheGapsOfSrcAndDstApart) {
  std::vector<float> expected(kElements);
  for (const auto& [to, from] :
       {std::pair{0, 0}, std::pair{5, 3}, std::pair{10, 6}}) {  // data blocks of 8 elements
    for (int i = 0; i < 16; ++i) {
      expected[static_cast<size_t>(to * 8 + i)] = static_cast<float>(from * 8 + i + 1);
    }
  }
  for (const Path path : kPaths) {
    EXPECT_EQ(Moved<float>(path, DataCopyParams(3, 2, 1, 3)), expected) << static_cast<int>(path);
  }
}

template <class T>
std::vector<float> Padded(const DataCopyPadExtParams<T>& pad, const std::function<void()>& set) {
  Gm<T> src(4, T(1.0F));
  std::vector<float> block;
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 4096);
                  const LocalTensor<T> to = Part<T>(buffer, 0);
                  set();
                  DataCopyPad(to, src.tensor(), DataCopyExtParams(1, 3 * sizeof(T), 0, 0, 0), pad);
                  PipeBarrier<PIPE_ALL>();
                  for (uint32_t i = 0; i < 8; ++i) {
                    block.push_back(static_cast<float>(to.GetValue(i)));
                  }
                },
                {}, src)),
            "");
  return block;
}

TEST(VectorMoves, PadWithWhatSetPadValueSetLastUnlessToldAValue) {
  const std::vector<float> expected = {5, 5, 1, 1, 1, 5, 5, 5};
  const auto untold = [&](auto value) {
    using T = decltype(value);
    return Padded<T>({false, 2, 1, T(9.0F)}, [&] {
      SetPadValue(T(3.0F));
      SetPadValue(value);
    });
  };
  EXPECT_EQ(untold(5.0F), expected);
  EXPECT_EQ(untold(half(5.0F)), expected);
  EXPECT_EQ(untold(bfloat16_t(5.0F)), expected);
  EXPECT_EQ(untold(int32_t{5}), expected);
  EXPECT_EQ(untold(int8_t{5}), expected);
  EXPECT_EQ(Padded<float>({true, 2, 1, 5.0F}, [] { SetPadValue(3.0F); }), expected);
}

}  // namespace
}  // namespace tilesim

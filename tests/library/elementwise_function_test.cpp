// The elementwise functions of the high-level library against std:: functions in double.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"
#include "tests/support/test_seed.h"
// after the others
#include "tiling/tiling_api.h"

namespace tilesim {
namespace {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

template <class T>
using Call = std::function<void(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LocalTensor<uint8_t>* scratch, uint32_t count)>;

// Reads `src` from GM, makes the call, and writes `count` elements of dst to GM. `scratch_bytes` 0: no buffer
// is given.
template <class T>
LaunchResult RunCall(const Call<T>& call, Gm<T>& src, Gm<T>& dst, uint32_t count, uint32_t scratch_bytes,
                     const RunMode& mode = {}) {
  return RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> in;
        TBuf<TPosition::VECCALC> out;
        TBuf<TPosition::VECCALC> tmp;
        const uint32_t bytes = AscendC::AlignUp(count * sizeof(T), 32);
        pipe.InitBuffer(in, bytes);
        pipe.InitBuffer(out, bytes);
        const LocalTensor<T> x = in.Get<T>();
        const LocalTensor<T> y = out.Get<T>();
        const DataCopyExtParams move(1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0);
        AscendC::DataCopyPad(x, src.tensor(), move, DataCopyPadExtParams<T>(false, 0, 0, T(0)));
        AscendC::PipeBarrier<PIPE_ALL>();
        if (scratch_bytes > 0) {
          pipe.InitBuffer(tmp, scratch_bytes);
          const LocalTensor<uint8_t> scratch = tmp.Get<uint8_t>(scratch_bytes);
          call(y, x, &scratch, count);
        } else {
          call(y, x, nullptr, count);
        }
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopyPad(dst.tensor(), y, move);
      },
      mode, src, dst);
}

TEST(Sketch, Tanh) {
  const uint32_t count = 1000;
  Gm<float> src(count);
  Gm<float> dst(count);
  for (uint32_t i = 0; i < count; ++i) {
    src.data()[i] = (static_cast<float>(i) - 500) / 50;
  }
  uint32_t max = 0;
  uint32_t min = 0;
  AscendC::GetTanhMaxMinTmpSize(ge::Shape({count}), 4, false, max, min);
  const Call<float> call = [](const auto& y, const auto& x, const auto* tmp, uint32_t n) {
    tmp != nullptr ? AscendC::Tanh(y, x, *tmp, n) : AscendC::Tanh<float, false>(y, x, n);
  };
  for (const uint32_t bytes : {0U, min, max}) {
    EXPECT_EQ(TextOf(RunCall<float>(call, src, dst, count, bytes)), "");
    for (uint32_t i = 0; i < count; ++i) {
      const double want = std::tanh(static_cast<double>(src.data()[i]));
      EXPECT_NEAR(dst.data()[i], want, std::abs(want) * 3e-7) << src.data()[i];
    }
  }
  ExpectSays(TextOf(RunCall<float>(call, src, dst, count, min - 32)), "GetTanhMaxMinTmpSize");
}

}  // namespace
}  // namespace tilesim

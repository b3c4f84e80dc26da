// What the tests of the row-wise library functions share: rows of GM in UB, a call, and rows back.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"
#include "tests/support/test_seed.h"
// after the others
#include "tiling/tiling_api.h"

namespace tilesim {

// `rows` rows of `columns` elements, which in UB begin `width` elements apart; what lies between has no
// value.
struct Rows {
  uint32_t rows = 1;
  uint32_t columns = 0;
  uint32_t width = 0;

  size_t elements() const { return size_t{rows} * columns; }
};

// UB of a kernel, given out from its start.
class Ub {
 public:
  explicit Ub(uint32_t bytes = 160 * 1024) { pipe_.InitBuffer(buffer_, bytes); }

  template <class T>
  AscendC::LocalTensor<T> Room(uint32_t elements) {
    const auto bytes = static_cast<uint32_t>(elements * sizeof(T));
    const AscendC::LocalTensor<T> tensor = buffer_.GetWithOffset<T>(elements, next_);
    next_ += (bytes + 31) / 32 * 32;
    return tensor;
  }
  template <class T>
  AscendC::LocalTensor<T> In(Gm<T>& gm, const Rows& rows) {
    const AscendC::LocalTensor<T> tensor = Room<T>(rows.rows * rows.width);
    for (uint32_t row = 0; row < rows.rows; ++row) {
      AscendC::DataCopyPad(tensor[row * rows.width], gm.tensor()[row * rows.columns], RowOf<T>(rows),
                           AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
    return tensor;
  }
  template <class T>
  void Out(Gm<T>& gm, const AscendC::LocalTensor<T>& tensor, const Rows& rows) {
    AscendC::PipeBarrier<PIPE_ALL>();
    for (uint32_t row = 0; row < rows.rows; ++row) {
      AscendC::DataCopyPad(gm.tensor()[row * rows.columns], tensor[row * rows.width], RowOf<T>(rows));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
  }

 private:
  template <class T>
  static AscendC::DataCopyExtParams RowOf(const Rows& rows) {
    return {1, static_cast<uint32_t>(rows.columns * sizeof(T)), 0, 0, 0};
  }

  AscendC::TPipe pipe_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
  uint32_t next_ = 0;
};

template <class T>
uint32_t Padded(uint32_t columns) {
  constexpr uint32_t kUnit = 32 / sizeof(T);
  return (columns + kUnit - 1) / kUnit * kUnit;
}

// Values that T has, from -most to most.
template <class T>
void FillRandom(Gm<T>& gm, std::mt19937& random, float most) {
  std::uniform_real_distribution<float> values(-most, most);
  for (T& value : gm.data()) {
    value = T(values(random));
  }
}
template <class T>
double Value(T value) {
  return static_cast<double>(static_cast<float>(value));
}
// Half the distance of neighbours of T around 1.
template <class T>
constexpr double kUlp = std::is_same_v<T, float> ? 6e-8 : 4.9e-4;

// Every order of V behind V has to be in the call itself.
inline constexpr RunMode kStrict = {.values = true, .time = true, .hazards = true, .strict_sync = true};

}  // namespace tilesim

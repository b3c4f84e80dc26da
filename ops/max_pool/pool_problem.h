#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/refusal.h"
#include "ops/cases/window.h"

namespace tilesim {

// What a NaN in a window does.
enum class NanRule : uint8_t {
  kPropagate,  // it wins, the last NaN is the argmax: PyTorch, CANN
  kIgnore,     // it never wins: TensorFlow.js
};
std::span<const std::string_view> NanRuleNames();  // "propagate", "ignore"
std::string_view Name(NanRule rule);
std::optional<NanRule> ParseNanRule(std::string_view name);

// What an argmax counts.
enum class ArgmaxOrder : uint8_t {
  kPlane,      // (d * H + h) * W + w, within one n, c
  kNhwc,       // ((d * H + h) * W + w) * C + c, within one n: TensorFlow.js
  kBatchNhwc,  // (((n * D + d) * H + h) * W + w) * C + c
};
std::span<const std::string_view> ArgmaxOrderNames();  // "plane", "nhwc", "batch_nhwc"
std::string_view Name(ArgmaxOrder order);
std::optional<ArgmaxOrder> ParseArgmaxOrder(std::string_view name);

// A max pooling, forward, whose values, argmax or gradient are asked for; 2D is D = 1 with a layout of four
// axes. x is (batch, channels, in), y, argmax and dy are (batch, channels, out).
// The first maximum in row-major order wins; padding never does. A window of nothing but -inf has its first
// in-bounds element as argmax (nan=ignore: argmax -1), one without any element gives -inf and argmax -1.
// Knows nothing of tiling.
struct PoolProblem {
  DType dtype = DType::kFp16;  // of x, y, dy, dx; argmax is int32
  Format layout = Format::kNCDHW;
  int64_t batch = 1;
  int64_t channels = 1;
  Windows windows;
  Extents3 out;
  Rounding rounding = Rounding::kFloor;
  NanRule nan = NanRule::kPropagate;
  ArgmaxOrder argmax = ArgmaxOrder::kPlane;

  [[nodiscard]] bool Is2d() const;
  [[nodiscard]] bool ChannelsLast() const;

  // Logical extents in the canonical order (n,c,d,h,w), without d in 2D.
  [[nodiscard]] std::vector<int64_t> XExtents() const;
  [[nodiscard]] std::vector<int64_t> YExtents() const;

  // In the layout that the case file gives.
  [[nodiscard]] Layout XLayout() const;  // of dx too
  [[nodiscard]] Layout YLayout() const;  // of argmax and dy too

  // Positions that an argmax tells apart, as a double so that nothing wraps.
  [[nodiscard]] double ArgmaxPositions() const;

  // Elements looked at, padding counted; exact up to 2^53.
  [[nodiscard]] double Taps() const;
};

// The first rule that the problem breaks, by the name of its column in the case file: extents at least 1 (but
// a batch of 0), strides, dilations, pads, a window that fits, an output of the size that follows, an argmax
// that int32 holds.
std::optional<Refusal> WhyNot(const PoolProblem& problem);

// The first broken of the rules that ask nothing of the output's extents nor of the argmax. ForwardExtents
// and SamePads of the windows of a problem that keeps them do not overflow.
std::optional<Refusal> WhyNotForward(const PoolProblem& problem);

// The window as the case file writes it: "3x3x2", in 2D "3x2".
std::string WindowText(const PoolProblem& problem);

// The operator's limits.
struct PoolLimits {
  static constexpr int64_t kExtent = INT32_MAX;           // as the cells of a case file
  static constexpr int64_t kElements = int64_t{1} << 36;  // of one tensor
  static constexpr int64_t kStride = INT32_MAX;
  static constexpr int64_t kDilation = INT32_MAX;
  static constexpr int64_t kPad = INT32_MAX;
  static constexpr int64_t kPositions = int64_t{1} << 31;  // that an int32 argmax tells apart
};

}  // namespace tilesim

#include "ops/max_pool/pool_problem.h"

#include <algorithm>
#include <cstddef>

namespace tilesim {
namespace {

// In the order of the enumerators.
constexpr std::string_view kNanRules[] = {"propagate", "ignore"};
constexpr std::string_view kArgmaxOrders[] = {"plane", "nhwc", "batch_nhwc"};

template <class Value>
std::optional<Value> ValueOf(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Value>(found - names.begin()));
}

double Product(const Extents3& extents) {
  return static_cast<double>(extents.d) * static_cast<double>(extents.h) * static_cast<double>(extents.w);
}

}  // namespace

std::span<const std::string_view> NanRuleNames() { return kNanRules; }
std::string_view Name(NanRule rule) { return kNanRules[static_cast<size_t>(rule)]; }
std::optional<NanRule> ParseNanRule(std::string_view name) { return ValueOf<NanRule>(kNanRules, name); }

std::span<const std::string_view> ArgmaxOrderNames() { return kArgmaxOrders; }
std::string_view Name(ArgmaxOrder order) { return kArgmaxOrders[static_cast<size_t>(order)]; }
std::optional<ArgmaxOrder> ParseArgmaxOrder(std::string_view name) {
  return ValueOf<ArgmaxOrder>(kArgmaxOrders, name);
}

bool PoolProblem::Is2d() const { return layout == Format::kNCHW || layout == Format::kNHWC; }

bool PoolProblem::ChannelsLast() const { return layout == Format::kNDHWC || layout == Format::kNHWC; }

std::vector<int64_t> PoolProblem::XExtents() const {
  const Extents3& in = windows.in;
  return Is2d() ? std::vector{batch, channels, in.h, in.w} : std::vector{batch, channels, in.d, in.h, in.w};
}

std::vector<int64_t> PoolProblem::YExtents() const {
  return Is2d() ? std::vector{batch, channels, out.h, out.w}
                : std::vector{batch, channels, out.d, out.h, out.w};
}

Layout PoolProblem::XLayout() const { return {layout, XExtents()}; }

Layout PoolProblem::YLayout() const { return {layout, YExtents()}; }

double PoolProblem::ArgmaxPositions() const {
  const double plane = Product(windows.in);
  switch (argmax) {
    case ArgmaxOrder::kPlane:
      return plane;
    case ArgmaxOrder::kNhwc:
      return plane * static_cast<double>(channels);
    case ArgmaxOrder::kBatchNhwc:
      break;
  }
  return plane * static_cast<double>(channels) * static_cast<double>(batch);
}

double PoolProblem::Taps() const {
  return static_cast<double>(batch) * static_cast<double>(channels) * Product(out) * Product(windows.kernel);
}

std::string WindowText(const PoolProblem& problem) {
  const std::string text = Text(problem.windows.kernel);
  return problem.Is2d() ? text.substr(text.find('x') + 1) : text;
}

}  // namespace tilesim

#include "ops/max_pool/pool_problem.h"

#include <algorithm>
#include <span>

namespace tilesim {
namespace {

template <class Value>
struct Named {
  Value value;
  std::string_view name;
};
constexpr Named<NanRule> kNanRules[] = {{NanRule::kPropagate, "propagate"}, {NanRule::kIgnore, "ignore"}};
constexpr Named<ArgmaxOrder> kArgmaxOrders[] = {
    {ArgmaxOrder::kPlane, "plane"}, {ArgmaxOrder::kNhwc, "nhwc"}, {ArgmaxOrder::kBatchNhwc, "batch_nhwc"}};

template <class Value>
std::string_view NameOf(std::span<const Named<Value>> rows, Value value) {
  return std::ranges::find(rows, value, &Named<Value>::value)->name;
}

template <class Value>
std::optional<Value> ValueOf(std::span<const Named<Value>> rows, std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Named<Value>::name);
  return row == rows.end() ? std::nullopt : std::optional(row->value);
}

double Product(const Extents3& extents) {
  return static_cast<double>(extents.d) * static_cast<double>(extents.h) * static_cast<double>(extents.w);
}

}  // namespace

std::string_view Name(NanRule rule) { return NameOf<NanRule>(kNanRules, rule); }
std::optional<NanRule> ParseNanRule(std::string_view name) { return ValueOf<NanRule>(kNanRules, name); }

std::string_view Name(ArgmaxOrder order) { return NameOf<ArgmaxOrder>(kArgmaxOrders, order); }
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

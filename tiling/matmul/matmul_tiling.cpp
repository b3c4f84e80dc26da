#include "tiling/matmul/matmul_tiling.h"

#include <algorithm>
#include <array>

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 3> kOrders = {"row", "column", "diagonal"};

}  // namespace

std::string_view Name(MatmulOrder order) { return kOrders[static_cast<size_t>(order)]; }

std::optional<MatmulOrder> ParseMatmulOrder(std::string_view name) {
  const auto* const found = std::ranges::find(kOrders, name);
  return found == kOrders.end() ? std::nullopt
                                : std::optional(static_cast<MatmulOrder>(found - kOrders.begin()));
}

std::span<const std::string_view> MatmulOrderNames() { return kOrders; }

}  // namespace tilesim

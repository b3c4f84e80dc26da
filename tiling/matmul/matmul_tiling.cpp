#include "tiling/matmul/matmul_tiling.h"

#include <array>

namespace tilesim {
namespace {

constexpr std::array<std::string_view, 3> kOrders = {"row", "column", "diagonal"};

}  // namespace

std::string_view Name(MatmulOrder order) { return kOrders[static_cast<size_t>(order)]; }

std::span<const std::string_view> MatmulOrderNames() { return kOrders; }

}  // namespace tilesim

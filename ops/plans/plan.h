// A tiling of any operator, and why it is what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/elementwise/elementwise_tiling.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/rearrange/rearrange_tiling.h"

namespace tilesim {

enum class PlannerKind : uint8_t { kOp, kApi };

// A tiling, or why there is none. Not legal: `reasons` say what stops it, and it must not be run.
template <class Tiling>
struct PlanWith {
  Tiling tiling;
  bool legal = false;
  std::string planner;  // "op", "api", "given"
  // What stops it; of planner `api` also what its caller has to heed.
  std::vector<std::string> reasons;
  // Of a legal plan: what was chosen, over what, and what stops it from more.
  std::vector<std::string> why = {};
};

// One alternative an operator family; none where a planner gave nothing.
using AnyTiling = std::variant<std::monostate, FilterTiling, InputTiling, MaxPoolTiling, MaxPoolGradTiling,
                               MatmulTiling, ElementwiseTiling, RearrangeTiling>;

// A plan of any operator.
struct Plan : PlanWith<AnyTiling> {
  Plan() = default;
  // Typed plans leave the base sizes 0 where a planner gave nothing.
  template <class Tiling>
  Plan(PlanWith<Tiling> plan, bool has_tiling)
      : PlanWith<AnyTiling>{.tiling = {},
                            .legal = plan.legal,
                            .planner = std::move(plan.planner),
                            .reasons = std::move(plan.reasons),
                            .why = std::move(plan.why)} {
    if (has_tiling) {
      tiling = std::move(plan.tiling);
    }
  }

  [[nodiscard]] bool HasTiling() const { return tiling.index() != 0; }
  [[nodiscard]] int64_t UsedCores() const;  // that a launch starts; 0 without a tiling
};

// As `plan` prints it, on one line; "null" without a tiling.
std::string JsonOf(const AnyTiling& tiling);
// The vendor's struct alone, byte for byte; of a pooling's gradient in two phases both, the gradient's first.
// Empty without a tiling.
std::vector<std::byte> ToBytes(const AnyTiling& tiling);

// A field of the vendor's tile program struct (dwTiling, conv3DDxTiling, of poolings data) by its name, of
// poolings also one of the split; none where there is no such field.
std::optional<int64_t> FieldOf(const AnyTiling& tiling, std::string_view name);
// How the cores share the work: "basic_block_mk", of a matrix product the order of its tasks: "column"; ""
// without a tiling.
std::string_view StrategyOf(const AnyTiling& tiling);

}  // namespace tilesim

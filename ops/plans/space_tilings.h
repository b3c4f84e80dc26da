#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "ops/operator.h"
#include "ops/plans/plan.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// The tilings of a space, each checked and weighed by what the operator hands in: plan_of(tiling), and
// bytes_of(tiling), of L1 or, of poolings, of UB.
template <class Tiling>
class SpaceTilings : public TunableTilings {
 public:
  SpaceTilings(std::unique_ptr<TilingSpace<Tiling>> space, std::function<Plan(const Tiling&)> plan_of,
               std::function<int64_t(const Tiling&)> bytes_of)
      : space_(std::move(space)), plan_of_(std::move(plan_of)), bytes_of_(std::move(bytes_of)) {}

  [[nodiscard]] TileSpace& space() override { return *space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override { return plan_of_(space_->TilingOf(path)); }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_->BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return bytes_of_(std::get<Tiling>(plan.tiling));
  }

 private:
  const std::unique_ptr<TilingSpace<Tiling>> space_;
  const std::function<Plan(const Tiling&)> plan_of_;
  const std::function<int64_t(const Tiling&)> bytes_of_;
};

}  // namespace tilesim

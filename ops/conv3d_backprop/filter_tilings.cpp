#include <memory>

#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/gradient_plan.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

class FilterTilings : public TunableTilings {
 public:
  FilterTilings(const FilterProblem& problem, const SocConfig& soc, int64_t cores)
      : problem_(problem),
        memory_(CoreMemoryOf(soc)),
        cores_(cores),
        space_(AllTilingsOf(problem, soc, cores)) {}

  [[nodiscard]] TileSpace& space() override { return *space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return AnyPlan(PlanOfGiven(space_->TilingOf(path), problem_, memory_, cores_));
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_->BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return DemandOf(std::get<FilterTiling>(plan.tiling).data.dwTiling, problem_).l1_bytes();
  }

 private:
  const FilterProblem problem_;
  const CoreMemory memory_;
  const int64_t cores_;
  const std::unique_ptr<TilingSpace<FilterTiling>> space_;
};

}  // namespace

bool FilterOperator::HasTilings() const { return WhyNot(ToFilterProblem(problem_)).empty(); }

std::unique_ptr<TunableTilings> FilterOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return HasTilings() ? std::make_unique<FilterTilings>(ToFilterProblem(problem_), soc, cores) : nullptr;
}

}  // namespace tilesim

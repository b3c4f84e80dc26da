#include <memory>

#include "ops/conv3d_backprop/gradient_plan.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/conv_backprop/gradient_legality.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

class InputTilings : public TunableTilings {
 public:
  InputTilings(const InputProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : problem_(problem),
        memory_(CoreMemoryOf(soc)),
        cores_(cores),
        space_(AllTilingsOf(problem, soc, cores, least_reads)) {}

  [[nodiscard]] TileSpace& space() override { return *space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return AnyPlan(PlanOfGiven(space_->TilingOf(path), problem_, memory_, cores_));
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_->BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return DemandOf(std::get<InputTiling>(plan.tiling).data.conv3DDxTiling, problem_).l1_bytes();
  }

 private:
  const InputProblem problem_;
  const CoreMemory memory_;
  const int64_t cores_;
  const std::unique_ptr<TilingSpace<InputTiling>> space_;
};

}  // namespace

bool InputOperator::HasTilings() const { return WhyNot(ToInputProblem(problem_)).empty(); }

std::unique_ptr<TunableTilings> InputOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return HasTilings() ? std::make_unique<InputTilings>(ToInputProblem(problem_), soc, cores,
                                                       LeastWork(soc).gm_read_bytes)
                      : nullptr;
}

}  // namespace tilesim

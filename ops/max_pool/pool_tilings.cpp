// The tilings of poolings that may be searched.
#include <memory>

#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_device.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/tune/max_pool_grad_space.h"
#include "tiling/tune/max_pool_space.h"

namespace tilesim {
namespace {

class ForwardTilings : public TunableTilings {
 public:
  ForwardTilings(const PoolProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : problem_(problem), soc_(soc), cores_(cores), space_(ToPoolShape(problem), soc, cores, least_reads) {}

  [[nodiscard]] TileSpace& space() override { return space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return {CheckMaxPoolTiling(problem_, space_.TilingOf(path), soc_, cores_), true};
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_.BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return MaxPoolBuffersOf(ToPoolShape(problem_), TileOf(std::get<MaxPoolTiling>(plan.tiling))).total();
  }

 private:
  const PoolProblem problem_;
  const SocConfig& soc_;
  const int64_t cores_;
  MaxPoolSpace space_;
};

class GradientTilings : public TunableTilings {
 public:
  GradientTilings(const PoolProblem& problem, ArgmaxSource source, const SocConfig& soc, int64_t cores,
                  int64_t least_reads)
      : problem_(problem),
        source_(source),
        soc_(soc),
        cores_(cores),
        space_(ToPoolGradProblem(problem, source), soc, cores, least_reads) {}

  [[nodiscard]] TileSpace& space() override { return space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return {CheckMaxPoolGradTiling(problem_, source_, space_.TilingOf(path), soc_, cores_), true};
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_.BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return Signed(std::get<MaxPoolGradTiling>(plan.tiling).data.totalUBSize);
  }

 private:
  const PoolProblem problem_;
  const ArgmaxSource source_;
  const SocConfig& soc_;
  const int64_t cores_;
  MaxPoolGradSpace space_;
};

}  // namespace

std::unique_ptr<TunableTilings> MaxPoolOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<ForwardTilings>(problem_, soc, cores, LeastWork(soc).gm_read_bytes);
}

std::unique_ptr<TunableTilings> MaxPoolGradOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<GradientTilings>(problem_, source_, soc, cores, LeastWork(soc).gm_read_bytes);
}

}  // namespace tilesim

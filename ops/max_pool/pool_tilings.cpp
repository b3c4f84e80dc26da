// The tilings of poolings that may be searched.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_device.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

// Of UB.
int64_t PoolingBytes(const PoolProblem& problem, const MaxPoolTiling& tiling) {
  return MaxPoolBuffersOf(ToPoolShape(problem), TileOf(tiling)).total();
}

class ForwardTilings : public TunableTilings {
 public:
  ForwardTilings(const PoolProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : problem_(problem),
        soc_(soc),
        cores_(cores),
        space_(AllTilingsOf(ToPoolShape(problem), soc, cores, least_reads)) {}

  [[nodiscard]] TileSpace& space() override { return *space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return {CheckMaxPoolTiling(problem_, space_->TilingOf(path), soc_, cores_), true};
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_->BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return PoolingBytes(problem_, std::get<MaxPoolTiling>(plan.tiling));
  }

 private:
  const PoolProblem problem_;
  const SocConfig& soc_;
  const int64_t cores_;
  const std::unique_ptr<TilingSpace<MaxPoolTiling>> space_;
};

class GradientTilings : public TunableTilings {
 public:
  GradientTilings(const PoolProblem& problem, ArgmaxSource source, const SocConfig& soc, int64_t cores,
                  int64_t least_reads)
      : problem_(problem),
        source_(source),
        soc_(soc),
        cores_(cores),
        least_reads_(least_reads),
        space_(AllTilingsOf(ToPoolGradProblem(problem, source), soc, cores, least_reads)) {}

  [[nodiscard]] TileSpace& space() override { return *space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return {CheckMaxPoolGradTiling(problem_, source_, space_->TilingOf(path), soc_, cores_), true};
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_->BusiestCoreOf(path);
  }
  // Neither phase takes less than it would alone, and the second begins when all cores have met; but they are
  // launched once.
  [[nodiscard]] std::optional<LeftOut> left_out(const std::function<bool()>& late) const override {
    if (source_ == ArgmaxSource::kGiven) {
      return std::nullopt;
    }
    LeftOut left_out = {.what = "tilings in two phases were not searched", .bound_us = 0};
    if (late()) {
      return left_out;
    }
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const PoolGradProblem problem = ToPoolGradProblem(problem_, source_);
    const int64_t x_bytes = ElementsRead(problem_) * static_cast<int64_t>(SizeOf(problem_.dtype));
    const auto second = AllTilingsOf(SecondPhaseOf(problem), soc_, cores_, least_reads_ - x_bytes);
    const double meeting_us = static_cast<double>(soc_.cross_core_cycles) / soc_.clock_mhz;
    second->GiveUpWhen(late);
    const TileSpace::Opened opened = second->Open(0, {}, kAny);
    if (opened.whole) {
      left_out.bound_us = LeastUsOfIndices(FirstPhaseOf(problem), soc_, cores_, x_bytes) + meeting_us +
                          LeastBoundUs(opened) - TimeWithLaunchUs(0, cores_, soc_);
    }
    return left_out;
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    const auto& tiling = std::get<MaxPoolGradTiling>(plan.tiling);
    const int64_t gradient = Signed(tiling.data.totalUBSize);
    return tiling.pooling ? std::max(gradient, PoolingBytes(problem_, *tiling.pooling)) : gradient;
  }

 private:
  const PoolProblem problem_;
  const ArgmaxSource source_;
  const SocConfig& soc_;
  const int64_t cores_;
  const int64_t least_reads_;
  const std::unique_ptr<TilingSpace<MaxPoolGradTiling>> space_;
};

}  // namespace

std::unique_ptr<TunableTilings> MaxPoolOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<ForwardTilings>(problem_, soc, cores, LeastWork(soc).gm_read_bytes);
}

std::unique_ptr<TunableTilings> MaxPoolGradOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<GradientTilings>(problem_, source_, soc, cores, LeastWork(soc).gm_read_bytes);
}

}  // namespace tilesim

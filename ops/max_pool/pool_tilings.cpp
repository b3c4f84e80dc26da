// The tilings of poolings that may be searched.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/max_pool_operator.h"
#include "ops/max_pool/pool_device.h"
#include "ops/plans/space_tilings.h"
#include "tiling/cost_model.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

// Of UB.
int64_t PoolingBytes(const PoolProblem& problem, const MaxPoolTiling& tiling) {
  return MaxPoolBuffersOf(ToPoolShape(problem), TileOf(tiling)).total();
}

class GradientTilings : public SpaceTilings<MaxPoolGradTiling> {
 public:
  GradientTilings(const PoolProblem& problem, ArgmaxSource source, const SocConfig& soc, int64_t cores,
                  int64_t least_reads)
      : SpaceTilings(
            AllTilingsOf(ToPoolGradProblem(problem, source), soc, cores, least_reads),
            [problem, source, &soc, cores](const MaxPoolGradTiling& tiling) {
              return Plan(CheckMaxPoolGradTiling(problem, source, tiling, soc, cores), true);
            },
            [problem](const MaxPoolGradTiling& tiling) {
              const int64_t gradient = Signed(tiling.data.totalUBSize);
              return tiling.pooling ? std::max(gradient, PoolingBytes(problem, *tiling.pooling)) : gradient;
            }),
        problem_(problem),
        source_(source),
        soc_(soc),
        cores_(cores),
        least_reads_(least_reads) {}

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

 private:
  const PoolProblem problem_;
  const ArgmaxSource source_;
  const SocConfig& soc_;
  const int64_t cores_;
  const int64_t least_reads_;
};

}  // namespace

std::unique_ptr<TunableTilings> MaxPoolOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<SpaceTilings<MaxPoolTiling>>(
      AllTilingsOf(ToPoolShape(problem_), soc, cores, LeastWork(soc).gm_read_bytes),
      [problem = problem_, &soc, cores](const MaxPoolTiling& tiling) {
        return Plan(CheckMaxPoolTiling(problem, tiling, soc, cores), true);
      },
      [problem = problem_](const MaxPoolTiling& tiling) { return PoolingBytes(problem, tiling); });
}

std::unique_ptr<TunableTilings> MaxPoolGradOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<GradientTilings>(problem_, source_, soc, cores, LeastWork(soc).gm_read_bytes);
}

}  // namespace tilesim

#include <memory>

#include "ops/matmul/matmul_operator.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {
namespace {

class MatmulTilings : public TunableTilings {
 public:
  MatmulTilings(const MatmulProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
      : problem_(problem),
        soc_(soc),
        cores_(cores),
        space_(AllTilingsOf(ToMatmulShape(problem), soc, cores, least_reads)) {}

  [[nodiscard]] TileSpace& space() override { return *space_; }
  [[nodiscard]] Plan PlanOf(const TilePath& path) const override {
    return {CheckMatmulTiling(problem_, space_->TilingOf(path), soc_, cores_), true};
  }
  [[nodiscard]] size_t BusiestCoreOf(const TilePath& path) const override {
    return space_->BusiestCoreOf(path);
  }
  [[nodiscard]] int64_t LocalBytesOf(const Plan& plan) const override {
    return MatmulBytesOf(std::get<MatmulTiling>(plan.tiling).data, problem_.dtype).l1;
  }

 private:
  const MatmulProblem problem_;
  const SocConfig& soc_;
  const int64_t cores_;
  const std::unique_ptr<TilingSpace<MatmulTiling>> space_;
};

}  // namespace

std::unique_ptr<TunableTilings> MatmulOperator::Tilings(const SocConfig& soc, int64_t cores) const {
  return std::make_unique<MatmulTilings>(problem_, soc, cores, LeastWork(soc).gm_read_bytes);
}

}  // namespace tilesim

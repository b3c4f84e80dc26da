#include "tiling/matmul/matmul_op_planner.h"

#include <string_view>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/cube_op_plan.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_search.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/matmul/matmul_text.h"

namespace tilesim {
namespace {

// So many of the tilings that promise most are looked into.
constexpr size_t kMostCandidates = 96;

class MatmulSearch {
 public:
  MatmulSearch(const MatmulShape& shape, const SocConfig& soc, int64_t cores)
      : shape_(shape),
        choices_{.memory = CoreMemoryOf(soc), .cores = cores, .splits_k = shape.out == DType::kFp32},
        found_(FindMatmulTilings(shape, soc, choices_, kMostCandidates)) {}

  void Promising(CandidateList<MatmulTiling>& list) const {
    list.all = found_.best_first;
    list.tried = found_.tried;
  }
  void Small(CandidateList<MatmulTiling>& list) const { list.Add(found_.smallest, 0); }
  // All have as many tasks or one less than the first.
  [[nodiscard]] static size_t BusiestCore(const MatmulTiling& /*tiling*/) { return 0; }
  [[nodiscard]] Rejections WhyNothingFits() const {
    return WhyNot(found_.smallest, shape_, choices_.memory, choices_.cores);
  }

 private:
  const MatmulShape& shape_;
  const MatmulChoices choices_;
  const MatmulCandidates found_;
};

}  // namespace

Rejections NotLarger(const MatmulShape& shape, const MatmulTiling& tiling, const CoreMemory& memory) {
  struct Step {
    std::string_view name;
    uint32_t MatmulTilingData::*size;
    uint32_t by;
    int64_t most;
  };
  const MatmulTilingData& t = tiling.data;
  const int64_t blocks_k = CeilDiv(int64_t{t.singleCoreK}, int64_t{t.baseK});
  const Step steps[] = {
      {"baseM", &MatmulTilingData::baseM, 16, AlignUp(int64_t{t.singleCoreM}, int64_t{16})},
      {"baseN", &MatmulTilingData::baseN, 16, AlignUp(int64_t{t.singleCoreN}, int64_t{16})},
      {"baseK", &MatmulTilingData::baseK, t.baseK, AlignUp(int64_t{t.singleCoreK}, int64_t{16})},
      {"stepKa", &MatmulTilingData::stepKa, t.stepKa, blocks_k},
      {"stepKb", &MatmulTilingData::stepKb, t.stepKb, blocks_k}};
  Rejections all;
  for (const Step& step : steps) {
    MatmulTilingData larger = t;
    larger.*step.size += step.by;
    larger.depthA1 = t.depthA1 / t.stepKa * larger.stepKa;
    larger.depthB1 = t.depthB1 / t.stepKb * larger.stepKb;
    Rejections reasons;
    if (larger.*step.size <= step.most) {
      CheckMatmulCapacity(larger, shape.dtype, memory, reasons);
    }
    for (Rejection& reason : reasons) {
      reason.rule = Say("with ", step.name, " ", larger.*step.size, ", ", reason.rule);
      reason.field = Say("matmulTiling.", step.name);
      reason.mend = Say(step.name, " ", t.*step.size, " fits");
      all.push_back(std::move(reason));
    }
  }
  return all;
}

std::vector<std::string> Explained(const MatmulShape& shape, const MatmulTiling& tiling,
                                   const CoreMemory& memory) {
  const MatmulTilingData& t = tiling.data;
  const MatmulSplit& s = tiling.split;
  const MatmulBytes bytes = MatmulBytesOf(t, shape.dtype);
  const auto copies = [](int64_t depth, int64_t step, int64_t step_k) {
    return depth == 2 * step * step_k ? "twice " : "";
  };
  return {Say(Counted(TasksOf(s), "task"), " of ", t.singleCoreM, " x ", t.singleCoreN, " x ", t.singleCoreK,
              " (M x N x K), ", s.m_dim, " x ", s.n_dim, " x ", s.k_dim, ", on ",
              Counted(s.used_cores, "core"), " in the order ", Name(s.order),
              s.k_dim > 1 ? "; parts of K add into C, which is zeroed first" : ""),
          Say("a Mmad is ", t.baseM, " x ", t.baseN, " x ", t.baseK, ": L0A ", bytes.l0a, " of ",
              memory.l0a_bytes, " B, L0B ", bytes.l0b, " of ", memory.l0b_bytes, " B, L0C ", bytes.l0c,
              " of ", memory.l0c_bytes, " B"),
          Say("L1 holds ", copies(t.depthA1, t.stepM, t.stepKa), t.stepM, " x ", t.stepKa,
              " blocks of A and ", copies(t.depthB1, t.stepN, t.stepKb), t.stepN, " x ", t.stepKb,
              " of B: ", bytes.l1, " of ", memory.l1_bytes, " B; ",
              t.iterateOrder == 0 ? "blocks of M pass first" : "blocks of N pass first")};
}

MatmulOpPlan PlanMatmulOp(const MatmulShape& shape, const SocConfig& soc, int64_t cores,
                          const CostModel<MatmulTiling>& cost) {
  return PlanCubeOp<MatmulSearch>(shape, {}, soc, cores, cost);
}

}  // namespace tilesim

#include "tiling/max_pool/max_pool_grad_explain.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "formats/counted.h"
#include "formats/error.h"
#include "tiling/max_pool/max_pool_explain.h"
#include "tiling/max_pool/max_pool_grad_legality.h"
#include "tiling/max_pool/max_pool_grad_ub.h"

namespace tilesim {
namespace {

using GradData = MaxPool3DGradWithArgmaxTilingData;

std::string TasksLine(const MaxPoolGradTiling& tiling) {
  const GradData& t = tiling.data;
  return Say(Counted(t.totalCnt, "task"), " of ",
             tiling.split.channels_last == 1 ? Counted(t.baseNc, "channel")
                                             : Counted(t.baseNc, "plane n, c", "planes n, c"),
             " on ", Counted(t.usedCoreNum, "core"), ": ", t.ncCnt, " x ", t.doCnt, " x ", t.hoCnt, " x ",
             t.woCnt, " (lanes x D x H x W)");
}

std::string BlockLine(const MaxPoolGradTiling& tiling) {
  const GradData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  return Say("a block is ", t.baseDo * Unsigned(s.cut_d), " x ", t.baseHo * Unsigned(s.cut_h), " x ",
             t.baseWo * Unsigned(s.cut_w), " positions of dx, a task ", t.singleCoreDo, " x ", t.singleCoreHo,
             " x ", t.singleCoreWo, " slots; ", Name(s.strategy), ": ", s.part_do, " x ", s.part_ho, " x ",
             s.part_wo, " outputs stand in UB");
}

std::string UbLine(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, int64_t ub_bytes) {
  const PoolGradUb ub = UbOf(tiling, problem.shape.element_bytes());
  const int64_t budget = ub_bytes - kSelectScratchBytes;
  const auto percent = [&](int64_t bytes) { return Say(bytes * 100 / budget, " %"); };
  return Say("UB: ", ub.Total(), " of ", budget, " bytes; dx ", percent(ub.image), ", dy and argmax ",
             percent(ub.grads + ub.indices), ", on their way in ", percent(kPoolQueueBuffers * ub.in),
             ", out ", percent(kPoolQueueBuffers * ub.out));
}

std::string PhasesLine(const MaxPoolGradTiling& tiling) {
  const PoolShape y = ShapeOf(*tiling.pooling, DType::kInt32);
  const int64_t outputs = y.batch * y.channels * y.d.out * y.h.out * y.w.out;
  return Say("two phases on ", Counted(LaunchedCores(tiling), "core"),
             ": x is pooled first, its argmax stands in ", outputs * static_cast<int64_t>(SizeOf(y.dtype)),
             " bytes of workspace in GM; when all cores have met, the gradient reads it");
}

// Of a tiling in one phase.
Rejections NotLargerInOne(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, int64_t ub_bytes,
                          int64_t cores) {
  const GradData& t = tiling.data;
  const PoolGradSplit& s = tiling.split;
  const PoolGradBlockSizes sizes = {.d = Signed(t.baseDo),
                                    .h = Signed(t.baseHo),
                                    .w = Signed(t.baseWo),
                                    .run_d = Signed(t.singleCoreDo),
                                    .cut = {s.cut_d, s.cut_h, s.cut_w}};
  struct Step {
    std::string_view name;
    int64_t now;
    PoolGradBlockSizes sizes;
    int64_t out_points;
  };
  std::array<Step, 4> steps = {{{"data.baseDo", sizes.d, sizes, s.out_points},
                                {"data.baseHo", sizes.h, sizes, s.out_points},
                                {"data.baseWo", sizes.w, sizes, s.out_points},
                                {"split.outPoints", s.out_points, sizes, s.out_points + 16}}};
  ++steps[0].sizes.d;
  steps[0].sizes.run_d = std::max(sizes.run_d, sizes.d + 1);
  ++steps[1].sizes.h;
  ++steps[2].sizes.w;
  Rejections reasons;
  for (const Step& step : steps) {
    MaxPoolGradTiling larger = tiling;
    larger.split.out_points = step.out_points;
    SetBlockFields(problem, step.sizes, s.strategy, {s.part_do, s.part_ho, s.part_wo}, larger);
    larger.split.used_cores = 1;
    larger.data.usedCoreNum = 1;
    larger.data.totalUBSize = static_cast<uint64_t>(UbOf(larger, problem.shape.element_bytes()).Total());
    const Rejections found = WhyNot(larger, problem, ub_bytes, cores);
    if (!found.empty()) {
      const Rejection& first = found.front();
      const int64_t next = step.now + (step.name == "split.outPoints" ? 16 : 1);
      reasons.push_back({Say("with ", step.name, " ", next, ", ", first.rule), std::string(step.name),
                         first.value, first.limit, Say(step.name, " ", step.now, " fits"), first.kind});
    }
  }
  return reasons;
}

}  // namespace

std::vector<std::string> Explained(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling,
                                   int64_t ub_bytes) {
  std::vector<std::string> lines;
  if (tiling.pooling) {
    lines.push_back(PhasesLine(tiling));
    for (const std::string& line : Explained(*tiling.pooling, FirstPhaseOf(problem), ub_bytes)) {
      lines.push_back(Say(kPoolingPhase, line));
    }
  }
  for (const std::string& line : {TasksLine(tiling), BlockLine(tiling), UbLine(problem, tiling, ub_bytes)}) {
    lines.push_back(line);
  }
  return lines;
}

Rejections NotLarger(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, int64_t ub_bytes,
                     int64_t cores) {
  if (!tiling.pooling) {
    return NotLargerInOne(problem, tiling, ub_bytes, cores);
  }
  Rejections reasons = OfPoolingPhase(NotLarger(*tiling.pooling, FirstPhaseOf(problem), ub_bytes));
  std::ranges::move(NotLargerInOne(SecondPhaseOf(problem), SecondPhaseOf(tiling), ub_bytes, cores),
                    std::back_inserter(reasons));
  return reasons;
}

}  // namespace tilesim

#include "ops/knowledge/near_plan.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/knowledge/known_plan.h"
#include "ops/knowledge/model_version.h"
#include "ops/matmul/matmul_operator.h"
#include "ops/max_pool/max_pool_grad_operator.h"
#include "ops/max_pool/pool_device.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"
#include "tiling/max_pool/pool_legality.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

using Tilings = std::vector<AnyTiling>;  // the most like first

// A size of an extent that is now `now`.
int64_t Fitted(int64_t size, int64_t was, int64_t now) { return size == was ? now : std::min(size, now); }

// The largest of these sizes becomes half as large; false where all are 1.
bool Shrink(std::initializer_list<int64_t*> sizes) {
  int64_t* const largest = *std::ranges::max_element(sizes, {}, [](const int64_t* size) { return *size; });
  const bool shrinks = *largest > 1;
  *largest = CeilDiv(*largest, int64_t{2});
  return shrinks;
}

Tilings LikePool(const MaxPoolTiling& near, const PoolShape& s, int64_t cores) {
  const PoolShape was = ShapeOf(near, s.dtype);
  const auto lanes_of = [](const PoolShape& shape) {
    return std::min(kPoolLanes, std::max<int64_t>(
                                    shape.channels_last ? shape.channels : shape.batch * shape.channels, 1));
  };
  PoolTile tile = TileOf(near);
  tile.lanes = Fitted(tile.lanes, lanes_of(was), lanes_of(s));
  tile.store_rows = Fitted(tile.store_rows, tile.h, INT64_MAX);
  tile.d = Fitted(tile.d, was.d.out, s.d.out);
  tile.h = Fitted(tile.h, was.h.out, s.h.out);
  tile.w = Fitted(tile.w, was.w.out, s.w.out);
  Tilings tilings;
  do {
    tile.store_rows = std::min(tile.store_rows, tile.h);
    tilings.emplace_back(TilingOf(s, tile, CoresFor(BlockCountsOf(s, tile).total(), cores)));
  } while (tile.store_rows > 1 ? Shrink({&tile.store_rows})
                               : Shrink({&tile.rows}) || Shrink({&tile.d, &tile.h, &tile.w}));
  return tilings;
}

Tilings LikePoolGrad(const MaxPoolGradTiling& near, const PoolGradProblem& problem, const SocConfig& soc,
                     int64_t cores) {
  const PoolGradAxes was = AxesOf(near);
  const PoolGradAxes now = AxesOf(problem);
  const auto fitted = [&](size_t axis, uint64_t slots) {
    return Fitted(Signed(slots), was[axis].Slots().size(), now[axis].Slots().size());
  };
  const PoolGradSplit& s = near.split;
  PoolGradBlockSizes sizes = {.d = fitted(0, near.data.baseDo),
                              .h = fitted(1, near.data.baseHo),
                              .w = fitted(2, near.data.baseWo),
                              .run_d = fitted(0, near.data.singleCoreDo),
                              .cut = {s.cut_d, s.cut_h, s.cut_w}};
  Tilings tilings;
  do {
    sizes.run_d = std::max(sizes.run_d, sizes.d);
    if (auto tiling =
            FittedWithParts(problem, {.sizes = sizes, .strategy = s.strategy}, soc.ub_bytes, cores)) {
      tiling->split.used_cores = CoresFor(Signed(tiling->data.totalCnt), cores);
      tiling->data.usedCoreNum = Unsigned(tiling->split.used_cores);
      tilings.emplace_back(*tiling);
    }
  } while (Shrink({&sizes.d, &sizes.h, &sizes.w}));
  return tilings;
}

Tilings LikeTwoPhases(const MaxPoolGradTiling& near, const PoolGradProblem& problem, const SocConfig& soc,
                      int64_t cores) {
  const Tilings gradients = LikePoolGrad(SecondPhaseOf(near), SecondPhaseOf(problem), soc, cores);
  Tilings tilings;
  if (gradients.empty()) {
    return tilings;
  }
  auto tiling = std::get<MaxPoolGradTiling>(gradients.front());  // which fits
  for (const AnyTiling& pooling : LikePool(*near.pooling, FirstPhaseOf(problem), cores)) {
    tiling.pooling = std::get<MaxPoolTiling>(pooling);
    tilings.emplace_back(tiling);
  }
  return tilings;
}

Tilings LikeMatmul(const MatmulTiling& near, const MatmulShape& p, int64_t cores) {
  MatmulTiling tiling = near;
  MatmulTilingData& t = tiling.data;
  MatmulSplit& s = tiling.split;
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  const auto block = [&](uint32_t base, uint32_t single) {
    return std::min(base, narrow(AlignUp(int64_t{single}, kFractalEdge)));
  };
  t.singleCoreM = narrow(Fitted(t.singleCoreM, t.M, p.m));
  t.singleCoreN = narrow(Fitted(t.singleCoreN, t.N, p.n));
  t.singleCoreK = narrow(Fitted(t.singleCoreK, t.Ka, p.k));
  t.M = narrow(p.m), t.N = narrow(p.n), t.Ka = t.Kb = narrow(p.k);
  t.baseM = block(t.baseM, t.singleCoreM);
  t.baseN = block(t.baseN, t.singleCoreN);
  t.baseK = block(t.baseK, t.singleCoreK);
  s.m_dim = CeilDiv(p.m, int64_t{t.singleCoreM});
  s.n_dim = CeilDiv(p.n, int64_t{t.singleCoreN});
  s.k_dim = CeilDiv(p.k, int64_t{t.singleCoreK});
  s.m_tile_count_l2 = std::min(s.m_tile_count_l2, s.m_dim);
  s.n_tile_count_l2 = std::min(s.n_tile_count_l2, s.n_dim);
  s.used_cores = std::min(cores, s.m_dim * s.n_dim * s.k_dim);
  t.usedCoreNum = narrow(s.used_cores);
  Tilings tilings = {tiling};
  t.depthA1 = t.stepM * t.stepKa;
  t.depthB1 = t.stepN * t.stepKb;
  tilings.emplace_back(tiling);
  s.m_tile_count_l2 = s.n_tile_count_l2 = 1;
  t.stepM = t.stepN = t.stepKa = t.stepKb = t.depthA1 = t.depthB1 = 1;
  t.dbL0C = 1;
  tilings.emplace_back(tiling);
  return tilings;
}

// Copies and steps of convolutions' gradients.
std::vector<CubeChoice> SmallerChoices(CubeChoice choice) {
  std::vector<CubeChoice> choices = {choice};
  choice.l1_copies_a = choice.l1_copies_b = 1;
  choices.push_back(choice);
  choice.step_ka = choice.step_kb = 1;
  choice.l0c_copies = 1;
  choices.push_back(choice);
  return choices;
}

template <class Data>
CubeChoice ChoiceOf(const Data& t) {
  CubeChoice choice;
  choice.base_m = t.baseM, choice.base_n = t.baseN, choice.base_k = t.baseK;
  choice.step_ka = t.stepKa, choice.step_kb = t.stepKb;
  choice.l1_copies_a = t.al1Pbuffer, choice.l1_copies_b = t.bl1Pbuffer, choice.l0c_copies = t.cl0Pbuffer;
  choice.iterate_order = t.iterateOrder;
  return choice;
}

Tilings LikeFilter(const FilterTiling& near, const FilterProblem& p, const SocConfig& soc, int64_t cores) {
  const TConv3DBpFilterTiling& t = near.data.dwTiling;
  const FilterExtents e = ExtentsOf(p);
  const FilterCut was = CutOf(near);
  const FilterTaskSize part = {.m = std::min(was.part.m, e.m),
                               .lines = std::min(was.part.lines, e.cin1_g),
                               .rows = Fitted(was.part.rows, t.ho, p.ho)};
  std::vector<FilterSplit> splits = FilterDealing(p, cores).SplitsInto(part);
  std::ranges::stable_sort(splits, {}, [&](const FilterSplit& split) {
    return std::tuple(split.strategy != was.split.strategy, split.column_first != was.split.column_first,
                      std::abs(split.used_cores - was.split.used_cores));
  });
  CubeChoice choice = ChoiceOf(t);
  choice.step_m = t.stepM, choice.step_n = t.stepN;
  choice.base_m = std::min(choice.base_m, AlignUp(part.m, kFractalEdge));
  choice.base_n = std::min(choice.base_n, part.lines * p.hk * p.wk * e.c0);
  choice.base_k = std::min(choice.base_k, AlignUp(part.rows * p.wo, kFractalEdge));
  std::vector<CubeChoice> choices = SmallerChoices(choice);
  choices.back().step_m = choices.back().step_n = 1;
  Tilings tilings;
  for (const CubeChoice& smaller : choices) {
    if (!splits.empty()) {
      tilings.emplace_back(TilingOf(p, CoreMemoryOf(soc), {splits.front(), part}, smaller));
    }
  }
  return tilings;
}

Tilings LikeInput(const InputTiling& near, const InputProblem& p, int64_t cores) {
  const TConv3DBackpropInputTiling& t = near.data.conv3DDxTiling;
  const InputExtents e = ExtentsOf(p);
  InputCut cut = CutOf(near);
  cut.rows = Fitted(cut.rows, t.hi, p.hi);
  cut.lines = std::min(cut.lines, e.cin1_g);
  cut.cores = cores;
  CubeChoice choice = ChoiceOf(t);
  choice.base_m = std::min(choice.base_m, AlignUp(cut.rows * p.wi, kFractalEdge));
  choice.base_n = std::min(choice.base_n, AlignUp(cut.lines * e.c0, kFractalEdge));
  Tilings tilings;
  for (const CubeChoice& smaller : SmallerChoices(choice)) {
    tilings.emplace_back(TilingOf(p, cut, smaller));
  }
  return tilings;
}

Tilings LikeTilings(const std::string& json, const std::string& where, const Case& problem,
                    const SocConfig& soc, int64_t cores) {
  if (const auto* const pooling = std::get_if<PoolCase>(&problem.problem)) {
    if (!pooling->is_gradient) {
      return LikePool(ParseTiling<MaxPoolTiling>(json, where), ToPoolShape(pooling->pool), cores);
    }
    const MaxPoolGradTiling near = ParseMaxPoolGradTiling(json, where);
    if (near.pooling) {
      return LikeTwoPhases(near, ToPoolGradProblem(pooling->pool, ArgmaxSource::kX), soc, cores);
    }
    const ArgmaxSource source = near.split.recomputes == 1 ? ArgmaxSource::kX : ArgmaxSource::kGiven;
    return LikePoolGrad(near, ToPoolGradProblem(pooling->pool, source), soc, cores);
  }
  if (const auto* const product = std::get_if<MatmulCase>(&problem.problem)) {
    return LikeMatmul(ParseMatmulTiling(json, where), ToMatmulShape(product->matmul), cores);
  }
  if (problem.gradient() == ConvGradient::kFilter) {
    const FilterTilingText near = ParseFilterTiling(json, where);
    return LikeFilter({near.data, near.split.value_or(FilterSplit())}, ToFilterProblem(problem.conv()), soc,
                      cores);
  }
  const InputTilingText near = ParseInputTiling(json, where);
  return LikeInput({near.data, near.split.value_or(InputSplit())}, ToInputProblem(problem.conv()), cores);
}

}  // namespace

std::optional<TuneSeed> SeedOf(const KnowledgeBase& base, const Case& problem, const Operator& op,
                               const SocConfig& soc, int64_t cores) {
  const std::optional<KnowledgeKey> key = KeyOf(problem);
  if (!key) {
    return std::nullopt;
  }
  const std::string model = ModelVersion(soc);
  const KnowledgeRecord* const exact = base.Find(*key, soc.name, cores);
  if (exact != nullptr && exact->origin.model == model) {
    return TuneSeed{PlanOfRecord(*exact, problem, op, soc, cores), "kb", Say("exact ", exact->place)};
  }
  if (const KnowledgeRecord* const near = base.Nearest(*key, soc.name, cores, model)) {
    if (std::optional<Plan> plan = NearPlan(*near, problem, op, soc, cores)) {
      return TuneSeed{*std::move(plan), "near", Say("near ", near->place, " (", near->origin.id, ")")};
    }
  }
  return std::nullopt;
}

std::string WhyPassedOver(const KnowledgeBase& base, const Case& problem, const SocConfig& soc,
                          int64_t cores) {
  const std::optional<KnowledgeKey> key = KeyOf(problem);
  const std::string model = ModelVersion(soc);
  const KnowledgeRecord* record = key ? base.Find(*key, soc.name, cores) : nullptr;
  if (key && record == nullptr) {
    record = base.Nearest(*key, soc.name, cores, std::nullopt);
    const KnowledgeRecord* const taken = base.Nearest(*key, soc.name, cores, model);
    if (taken != nullptr && taken->key == record->key) {  // tuned again since
      return "";
    }
  }
  return record == nullptr || record->origin.model == model
             ? ""
             : Say(record->place, ": was tuned under model ", record->origin.model, ", this is ", model,
                   " (version of the clock - digest of the part's figures, --set included); passed over");
}

std::optional<Plan> NearPlan(const KnowledgeRecord& record, const Case& problem, const Operator& op,
                             const SocConfig& soc, int64_t cores) {
  const std::string json = JsonOf(record.tiling, problem, record.place);
  for (const AnyTiling& tiling : LikeTilings(json, record.place, problem, soc, cores)) {
    Plan plan = op.GivenPlan(JsonOf(tiling), record.place, soc, cores);
    if (plan.legal) {
      return plan;
    }
  }
  return std::nullopt;
}

}  // namespace tilesim

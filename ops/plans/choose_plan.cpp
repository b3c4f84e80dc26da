#include "ops/plans/choose_plan.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "formats/input_file.h"
#include "formats/shown_text.h"
#include "ops/cases/file_kind.h"
#include "ops/knowledge/known_plan.h"
#include "ops/operator_run.h"
#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/elementwise/elementwise_planner.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/rearrange/rearrange_planner.h"

namespace tilesim {
namespace {

using nlohmann::json;

constexpr std::string_view kPlanIt = "give the JSON that `tilesim plan` prints for this case";

std::string TilingText(const std::string& path) {
  std::error_code ignored;
  RequireUser(std::filesystem::exists(path, ignored), path, ": no such tiling file; ", kPlanIt);
  RequireUser(!std::filesystem::is_directory(path, ignored), path, ": is a folder, must be a tiling file; ",
              kPlanIt);
  const std::string text = ReadInput(path, Say("; ", kPlanIt));
  const std::string_view kind = KindOfText(text);
  RequireUser(kind.empty() || kind == "a tiling", path, ": looks like ", kind, ", must be a tiling file; ",
              kPlanIt, kind == "a knowledge base" ? ", or this one to --kb" : "");
  RequireUser(text.find_first_not_of(" \t\r\n") != std::string::npos, path, ": is empty; ", kPlanIt);
  return text;
}

// A tiling that the case gives is not overruled, nor overrules, without a word.
void RequireOneTiling(const Case& problem, const PlanOptions& options) {
  if (problem.tiling_file.empty()) {
    return;
  }
  const bool on_command_line = problem.row == 0;
  const std::string own =
      on_command_line ? "--tiling_file" : Say("the row's tiling_file '", problem.tiling_file, "'");
  const std::string_view mend = on_command_line ? "" : "; empty that cell, or leave the option out";
  RequireUser(options.tiling_file.empty(), "--tiling and ", own,
              " exclude each other: ", on_command_line ? "they are the same" : "a case has one tiling", mend);
  RequireUser(options.knowledge == nullptr, "--kb and ", own,
              " exclude each other: the tiling is looked up or given", mend);
  RequireUser(!options.planner, "--planner and ", own, " exclude each other: the tiling is planned or given",
              mend);
}

// The operators whose tilings have the same fields.
struct TilingFamily {
  std::string_view of;
  std::span<const TilingField> fields;
};
enum FamilyNumber : size_t {
  kFilterFamily,
  kInputFamily,
  kPoolFamily,
  kPoolGradientFamily,
  kMatmulFamily,
  kElementwiseFamily,
  kRearrangeFamily,
  kFamilies
};

std::array<TilingFamily, kFamilies> Families() {
  return {{{"a filter gradient (conv3d_backprop_filter, conv2d_backprop_filter)",
            FieldsIn<Conv3DBackpropFilterTilingData>()},
           {"an input gradient (conv3d_backprop_input, conv2d_backprop_input, conv3d_transpose)",
            FieldsIn<Conv3DBackpropInputTilingData>()},
           {"a max pooling (max_pool3d, max_pool2d)", FieldsIn<MaxPool3DWithArgmaxTilingData>()},
           {"a max pooling's gradient (max_pool3d_grad, max_pool2d_grad)",
            FieldsIn<MaxPool3DGradWithArgmaxTilingData>()},
           {"a matmul", FieldsIn<MatmulTilingData>()},
           {"an operator on elements (copy, mem_set, add)", FieldsIn<ElementwiseTilingData>()},
           {"a rearrangement (transpose, trans_data)", FieldsIn<RearrangeTilingData>()}}};
}

FamilyNumber FamilyOf(const Case& problem) {
  if (const auto* const pooling = std::get_if<PoolCase>(&problem.problem)) {
    return pooling->is_gradient ? kPoolGradientFamily : kPoolFamily;
  }
  if (std::holds_alternative<MatmulCase>(problem.problem)) {
    return kMatmulFamily;
  }
  if (std::holds_alternative<ElementwiseCase>(problem.problem)) {
    return kElementwiseFamily;
  }
  if (!std::holds_alternative<ConvCase>(problem.problem)) {
    return kRearrangeFamily;
  }
  return problem.gradient() == ConvGradient::kFilter ? kFilterFamily : kInputFamily;
}

int64_t FieldsThere(const json& tiling, std::span<const TilingField> fields) {
  return std::ranges::count_if(fields, [&](const TilingField& field) {
    const auto section = tiling.find(field.section);
    return section != tiling.end() && section->is_object() && section->contains(field.name);
  });
}

// Text that has clearly the fields of another family is refused by that family's name; any other text is for
// the family's own reader to judge.
void RequireOwnFamily(const std::string& text, const std::string& path, const Case& problem) {
  json tiling = json::parse(text, nullptr, false);
  if (tiling.is_object() && tiling.contains("tiling")) {
    tiling = json(tiling["tiling"]);
  }
  if (!tiling.is_object()) {
    return;
  }
  const std::array<TilingFamily, kFamilies> families = Families();
  const auto there = [&](const TilingFamily& family) { return FieldsThere(tiling, family.fields); };
  const TilingFamily& likest = *std::ranges::max_element(families, {}, there);
  constexpr int64_t kClearly = 2;  // times as many fields: both poolings share a few
  RequireUser(there(likest) <= kClearly * (there(families[FamilyOf(problem)]) + 1), path,
              ": is the tiling of ", likest.of, ", the case is of ", problem.op, "; ", kPlanIt);
}

// "", or whose tiling the text says it is.
std::string WhoseTiling(const std::string& text) {
  const json whole = json::parse(text, nullptr, false);
  return whole.is_object() && whole.contains("id") && whole["id"].is_string()
             ? Say("; it is the tiling of case '", Shown(whole["id"].get<std::string>()), "'")
             : "";
}

// A tiling of another problem breaks a rule in nearly every field, each of which says what would fit: the
// first few, and how many there are, say as much.
void Shorten(std::vector<std::string>& reasons, const std::string& text) {
  constexpr size_t kMostWhole = 4;  // a change by hand and what follows from it
  constexpr size_t kShown = 3;
  if (reasons.size() <= kMostWhole) {
    return;
  }
  const size_t more = reasons.size() - kShown;
  reasons.resize(kShown);
  for (std::string& reason : reasons) {
    reason.erase(std::min(reason.rfind("; "), reason.size()));  // its own mend
  }
  reasons.push_back(Say("and ", more, " more", WhoseTiling(text), "; ", kPlanIt));
}

Plan GivenPlan(const Case& problem, const Operator& op, const std::string& path, const SocConfig& soc,
               int64_t cores) {
  const std::string text = TilingText(path);
  RequireOwnFamily(text, path, problem);
  Plan plan = op.GivenPlan(text, path, soc, cores);
  if (!plan.legal && !plan.reasons.empty()) {
    Shorten(plan.reasons, text);
    plan.reasons.front() = Say(path, " does not fit the case: ", plan.reasons.front());
  }
  return plan;
}

}  // namespace

int64_t CoresFor(const Case& problem, const Operator& op, const SocConfig& soc, const PlanOptions& options) {
  const int64_t most = CoresOf(op, soc);
  RequireUser(most > 0, problem.op, " runs on vector cores, ", soc.name,
              " has none here (chip.aiv_per_aic = ", soc.aiv_per_aic,
              "); give a part that has, or --set chip.aiv_per_aic=2");
  const int64_t cores = options.cores.value_or(most);
  RequireUser(cores <= most, "--cores = '", cores, "': must be a whole number of 1 to ", most, ", all that ",
              problem.op, " can use of ", soc.name, "; the default is all of the part");
  return cores;
}

Plan ChoosePlan(const Case& problem, const Operator& op, const SocConfig& soc, const PlanOptions& options) {
  RequireOneTiling(problem, options);
  const int64_t cores = CoresFor(problem, op, soc, options);
  const std::string& path = problem.tiling_file.empty() ? options.tiling_file : problem.tiling_file;
  if (!path.empty()) {
    return GivenPlan(problem, op, path, soc, cores);
  }
  std::optional<Plan> known;
  if (options.knowledge != nullptr) {
    known = KnownPlan(*options.knowledge, problem, op, soc, cores);
  }
  Plan plan = known ? *std::move(known) : op.MakePlan(options.planner.value_or(PlannerKind::kOp), soc, cores);
  if (options.knowledge != nullptr && !known) {
    plan.why.insert(plan.why.begin(), Say(options.knowledge->path(), " has no record of the case on ",
                                          Counted(cores, "core"), " of ", soc.name));
  }
  return plan;
}

}  // namespace tilesim

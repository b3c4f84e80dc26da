#include "cli/plan_row.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <variant>

#include "cli/json_text.h"
#include "formats/error.h"

namespace tilesim {
namespace {

using In = ReportColumn::In;

// A table joins fields that belong together, so that a row fits a line; CSV has those that each operator's
// tiling is chosen by, empty where it has none of that name.
constexpr ReportColumn kPlanColumns[] = {{"id"},
                                         {"kernel", 0, {}, In::kTable},  // of a call of several; else nowhere
                                         {"legal"},
                                         {"verdict", 9, {}, In::kTable},
                                         {"planner", 7},
                                         {"used_cores", 5, "cores"},
                                         {"strategy", 14},
                                         {"task", 15, {}, In::kTable},
                                         {"base MxNxK", 11, {}, In::kTable},
                                         {"step MxN KaxKb", 14, {}, In::kTable},
                                         {"copies", 6, {}, In::kTable},
                                         {"singleCoreCout"},
                                         {"singleCoreCin"},
                                         {"singleCoreHo"},
                                         {"singleCoreM"},
                                         {"baseM"},
                                         {"baseN"},
                                         {"baseK"},
                                         {"stepM"},
                                         {"stepN"},
                                         {"stepKa"},
                                         {"stepKb"},
                                         {"al1Pbuffer"},
                                         {"bl1Pbuffer"},
                                         {"al0Pbuffer"},
                                         {"bl0Pbuffer"},
                                         {"cl0Pbuffer"},
                                         {"iterateOrder", 5, "order"},
                                         // of poolings
                                         {"ncFactor"},
                                         {"dyFactor"},
                                         {"hyFactor"},
                                         {"wyFactor"},
                                         {"partH"},
                                         {"partW"},
                                         {"storeRows"},
                                         // of their gradients
                                         {"baseNc"},
                                         {"baseDo"},
                                         {"baseHo"},
                                         {"baseWo"},
                                         {"singleCoreDo"},
                                         {"cutD"},
                                         {"cutH"},
                                         {"cutW"},
                                         {"partDo"},
                                         {"partHo"},
                                         {"partWo"},
                                         {"outPoints"},
                                         {"xRows"},
                                         {"xTaps"},
                                         // of matmul
                                         {"singleCoreN"},
                                         {"singleCoreK"},
                                         {"depthA1"},
                                         {"depthB1"},
                                         {"dbL0A"},
                                         {"dbL0B"},
                                         {"dbL0C"},
                                         {"mTileCntL2"},
                                         {"nTileCntL2"},
                                         {"unitFlag"},
                                         // of copies, fills and sums
                                         {"tileRows"},
                                         {"tileColumns"},
                                         {"bufferNum"},
                                         {"bufferBytes"},
                                         // of transposes and layout conversions
                                         {"colDigits"},
                                         {"rowDigits"},
                                         {"inPitch"},
                                         {"outPitch"},
                                         {"reasons", ReportColumn::kMessage},
                                         {"why", ReportColumn::kMessage}};

// What only matrix products have, convolutions among them: of no use where no case is one.
constexpr std::string_view kOfProducts[] = {"base MxNxK", "step MxN KaxKb", "copies", "iterateOrder"};

std::string OnLines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += Say(text.empty() ? "" : "\n", sentence);
  }
  return text;
}

// The fields, joined; nothing where the tiling has not all of them.
std::string Joined(const Plan& plan, std::initializer_list<std::string_view> fields,
                   std::string_view by = "x") {
  std::string text;
  for (const std::string_view field : fields) {
    const std::optional<int64_t> value = FieldOf(plan.tiling, field);
    if (!value) {
      return "";
    }
    text += Say(text.empty() ? "" : by, *value);
  }
  return text;
}

ReportCell CellOf(const std::string& text) { return text.empty() ? ReportCell() : ReportCell(text); }

// The part of the work that is done at once: of dw cout x cin x ho, of dx pixels x cin, of matmul m x n x k,
// of pooling lanes x depth x height x width, of copies and the like rows x columns.
std::string TaskOf(const Plan& plan) {
  const std::string of_family[] = {Joined(plan, {"singleCoreM", "singleCoreCin"}),
                                   Joined(plan, {"singleCoreCout", "singleCoreCin", "singleCoreHo"}),
                                   Joined(plan, {"singleCoreM", "singleCoreN", "singleCoreK"}),
                                   Joined(plan, {"ncFactor", "dyFactor", "hyFactor", "wyFactor"}),
                                   Joined(plan, {"baseNc", "baseDo", "baseHo", "baseWo"}),
                                   Joined(plan, {"tileRows", "tileColumns"})};
  const auto* const there = std::ranges::find_if_not(of_family, &std::string::empty);
  return there == std::end(of_family) ? "" : *there;
}

ReportCell TilingCell(std::string_view column, const Plan& plan) {
  if (column == "used_cores") {
    return plan.UsedCores();
  }
  if (column == "strategy") {
    return std::string(StrategyOf(plan.tiling));
  }
  if (column == "task") {
    return CellOf(TaskOf(plan));
  }
  if (column == "base MxNxK") {
    return CellOf(Joined(plan, {"baseM", "baseN", "baseK"}));
  }
  if (column == "step MxN KaxKb") {
    const std::string steps = Joined(plan, {"stepM", "stepN"});
    return CellOf(steps.empty() ? steps : Say(steps, " ", Joined(plan, {"stepKa", "stepKb"})));
  }
  if (column == "copies") {  // of A and B in L1, of matmul in blocks; of A, B and C in L0
    if (const std::string depths = Joined(plan, {"depthA1", "depthB1"}); !depths.empty()) {
      return CellOf(Say(depths, " ", Joined(plan, {"dbL0A", "dbL0B", "dbL0C"}, "")));
    }
    const std::string in_l1 = Joined(plan, {"al1Pbuffer", "bl1Pbuffer"}, "");
    return CellOf(in_l1.empty()
                      ? in_l1
                      : Say(in_l1, " ", Joined(plan, {"al0Pbuffer", "bl0Pbuffer", "cl0Pbuffer"}, "")));
  }
  const std::optional<int64_t> value = FieldOf(plan.tiling, column);
  return value ? ReportCell(*value) : ReportCell();
}

std::string VerdictOf(const Planned& planned) {
  if (planned.plan.legal) {
    return "legal";
  }
  return planned.outcome == Outcome::kUserMistake ? "refused" : "no_tiling";
}

}  // namespace

std::vector<ReportColumn> PlanColumns(const std::vector<CaseOrError>& cases, bool sequence) {
  constexpr int kLongestStrategy = 17;  // of poolings
  constexpr int kLongestKernel = 20;
  std::vector<ReportColumn> columns(std::begin(kPlanColumns), std::end(kPlanColumns));
  bool products = false;
  bool others = false;
  for (const CaseOrError& item : cases) {
    if (const auto* const problem = std::get_if<Case>(&item)) {
      const bool is_product = std::holds_alternative<ConvCase>(problem->problem) ||
                              std::holds_alternative<MatmulCase>(problem->problem);
      products |= is_product;
      others |= !is_product;
    }
  }
  for (ReportColumn& column : columns) {
    if (column.name == "id") {
      column.table_width = IdWidth(IdsOf(cases));
    } else if (column.name == "kernel" && sequence) {
      column.table_width = kLongestKernel;
      column.in = In::kAll;
    } else if (column.name == "strategy" && (others || sequence)) {
      column.table_width = kLongestStrategy;
    } else if (others && !products && std::ranges::find(kOfProducts, column.name) != std::end(kOfProducts)) {
      column.table_width = 0;
    }
  }
  return columns;
}

ReportRow ToRow(const Planned& planned) {
  ReportRow row;
  for (const ReportColumn& column : kPlanColumns) {
    if (column.name == "id") {
      row.emplace_back(planned.id);
    } else if (column.name == "kernel") {
      row.push_back(CellOf(planned.kernel));
    } else if (column.name == "legal") {
      row.emplace_back(planned.plan.legal);
    } else if (column.name == "verdict") {
      row.emplace_back(VerdictOf(planned));
    } else if (column.name == "planner") {
      row.emplace_back(planned.plan.planner);
    } else if (column.name == "reasons") {
      row.emplace_back(OnLines(planned.plan.reasons));
    } else if (column.name == "why") {
      row.emplace_back(OnLines(planned.plan.why));
    } else {
      row.push_back(planned.plan.HasTiling() ? TilingCell(column.name, planned.plan) : ReportCell());
    }
  }
  return row;
}

namespace {

nlohmann::ordered_json ObjectOf(const Planned& planned) {
  nlohmann::ordered_json object;
  object["id"] = planned.id;
  if (!planned.kernel.empty()) {
    object["kernel"] = planned.kernel;
  }
  object["legal"] = planned.plan.legal;
  object["planner"] = planned.plan.planner;
  object["reasons"] = planned.plan.reasons;
  object["why"] = planned.plan.why;
  object["tiling"] = nlohmann::ordered_json::parse(JsonOf(planned.plan.tiling));
  return object;
}

}  // namespace

std::string JsonOf(const Planned& planned) { return JsonText(ObjectOf(planned)) + "\n"; }
std::string IndentedJsonOf(const Planned& planned) { return JsonText(ObjectOf(planned), 2) + "\n"; }

}  // namespace tilesim

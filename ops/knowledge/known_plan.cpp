#include "ops/knowledge/known_plan.h"

#include <string>

#include "formats/error.h"
#include "ops/knowledge/model_version.h"

namespace tilesim {

Plan PlanOfRecord(const KnowledgeRecord& record, const Case& problem, const Operator& op,
                  const SocConfig& soc, int64_t cores) {
  Plan plan = op.GivenPlan(JsonOf(record.tiling, problem, record.place), record.place, soc, cores);
  RequireUser(plan.legal, record.place,
              " does not fit the case: ", plan.reasons.empty() ? "no reason is known" : plan.reasons.front(),
              "; tune the case again");
  RequireSameKnowledge(record.tiling, PartsOf(problem, plan.tiling), record.place);
  plan.planner = "kb";
  return plan;
}

std::optional<Plan> KnownPlan(const KnowledgeBase& base, const Case& problem, const Operator& op,
                              const SocConfig& soc, int64_t cores) {
  const std::optional<KnowledgeKey> key = KeyOf(problem);
  const KnowledgeRecord* const record = key ? base.Find(*key, soc.name, cores) : nullptr;
  if (record == nullptr) {
    return std::nullopt;
  }
  const std::string model = ModelVersion(soc);
  RequireUser(record->origin.model == model, record->place, ": was tuned under model ", record->origin.model,
              ", this is ", model,
              " (version of the clock - digest of the part's figures, --set included), so its tiling may not "
              "be the best; tune again, or leave --kb out");
  Plan plan = PlanOfRecord(*record, problem, op, soc, cores);
  plan.why.insert(plan.why.begin(), Say("known from ", record->place, ": ", record->origin.time_us, " us; ",
                                        record->origin.sentence, " (model ", model, ")"));
  return plan;
}

}  // namespace tilesim

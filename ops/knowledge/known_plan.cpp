#include "ops/knowledge/known_plan.h"

#include "formats/error.h"
#include "ops/knowledge/model_version.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMend = "; tune the case again";

// What is computed of the rest must not say anything else.
void RequireSameKnowledge(const KnowledgeRecord& record, const ordered_json& computed) {
  for (const auto& [name, value] : computed.items()) {
    const auto found = record.tiling.knowledge.find(name);
    RequireUser(found != record.tiling.knowledge.end(), record.place, ": knowledge lacks '", name, "'",
                kMend);
    RequireUser(*found == value, record.place, ": knowledge.", name, ": found ", found->dump(), ", must be ",
                value.dump(), ", which follows from the other fields", kMend);
  }
  for (const auto& [name, value] : record.tiling.knowledge.items()) {
    RequireUser(computed.contains(name), record.place, ": knowledge has '", name,
                "', which a tiling of this operator has not", kMend);
  }
}

}  // namespace

Plan PlanOfRecord(const KnowledgeRecord& record, const Case& problem, const Operator& op,
                  const SocConfig& soc, int64_t cores) {
  ordered_json text;
  try {
    text = TilingTextOf(problem, record.tiling);
  } catch (const nlohmann::json::exception& error) {
    throw UserError(Say(record.place, ": its tiling: ", PlainText(error), kMend));
  }
  Plan plan = op.GivenPlan(text.dump(), record.place, soc, cores);
  RequireUser(plan.legal, record.place,
              " does not fit the case: ", plan.reasons.empty() ? "no reason is known" : plan.reasons.front(),
              kMend);
  RequireSameKnowledge(record, PartsOf(problem, plan.tiling).knowledge);
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

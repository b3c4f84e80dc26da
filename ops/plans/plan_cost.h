// What a plan takes, from its operator's tile program: the price that planners and the tuner go by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ops/operator.h"
#include "ops/plans/plan.h"
#include "sim/core/free_memory.h"
#include "sim/soc/soc_config.h"
#include "tiling/cost_model.h"

namespace tilesim {

// The launch of a legal plan, on the calling thread and without checks (RunMode::cost_only): the cycles are
// those of TimeOperator. None where they are more than `most_cycles`.
std::optional<LaunchCost> CostOfPlan(const Operator& op, const Plan& plan, const SocConfig& soc,
                                     int64_t most_cycles);

// What a core that is run by itself finds in L2: all, as where cores share most of what they read, or what it
// has moved before, as where each reads something else.
enum class FoundInL2 : uint8_t { kAll, kMovedBefore };

// What its core `core` takes where each core of the launch has an even share of L2's rate: many times
// cheaper; HBM it has for itself. Of its tasks one `part`-th is run; from the first product on the others
// take as long for the cube's work as these.
PartCost CostOfCore(const Operator& op, const Plan& plan, const SocConfig& soc, size_t core, size_t part,
                    FoundInL2 found = FoundInL2::kAll);

// What the launch takes as its first tasks tell, one `part`-th of each core's.
PartCost CostOfFirstTasks(const Operator& op, const Plan& plan, const SocConfig& soc, size_t part);

// Cycles below which the plan's launch does not end, from its core `core` alone: moves of GM find all in L2,
// which nobody else takes of. None where they are more than `most_cycles`.
std::optional<int64_t> LeastCyclesOfCore(const Operator& op, const Plan& plan, const SocConfig& soc,
                                         size_t core, int64_t most_cycles);

// None where what the cores do cannot be recorded.
template <class F>
auto IfRecorded(const F& cost) -> decltype(cost()) {
  try {
    return cost();
  } catch (const RecordingTooLong&) {
    return std::nullopt;
  }
}

// Tilings as plans of `op`. Both must outlive the model.
template <class Tiling>
CostModel<Tiling> CostModelOf(const Operator& op, const SocConfig& soc, FoundInL2 found = FoundInL2::kAll) {
  const auto plan_of = [](const Tiling& tiling) {
    return Plan(PlanWith<Tiling>{.tiling = tiling, .legal = true, .planner = {}, .reasons = {}}, true);
  };
  return {.launch =
              [=, &op, &soc](const Tiling& tiling, int64_t most_cycles) {
                return IfRecorded([&] { return CostOfPlan(op, plan_of(tiling), soc, most_cycles); });
              },
          .core =
              [=, &op, &soc](const Tiling& tiling, size_t core, size_t part) {
                return IfRecorded(
                    [&] { return std::optional(CostOfCore(op, plan_of(tiling), soc, core, part, found)); });
              },
          .first_tasks =
              [=, &op, &soc](const Tiling& tiling, size_t part) {
                return IfRecorded(
                    [&] { return std::optional(CostOfFirstTasks(op, plan_of(tiling), soc, part)); });
              }};
}

}  // namespace tilesim

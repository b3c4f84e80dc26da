// The parts of a case's run that a single kernel and a sequence of kernels have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ops/harness/comparison.h"
#include "ops/harness/harness.h"

namespace tilesim {

// A message about a row says where the row stands.
std::string AtItsPlace(const Case& problem, std::string_view message);
// Refuses what the part's memory, or with values this machine's, cannot hold.
void RequireRoom(const Operator& op, const SocConfig& soc, const HarnessOptions& options, const Plan& plan);
// Refuses a synchronising call to leave out that is none of `sites`.
void RequireSite(const std::optional<SourceLine>& dropped, const std::set<SyncSite>& sites);
// The words of the faults of result.launch, the worst kind as verdict.
void JudgeFaults(CaseResult& result);
// Compares result.outputs with the truths of `op`, run with `plan` on `part`.
void JudgeOutputs(const Case& problem, const Operator& op, const Plan& plan, const SocConfig& part,
                  std::vector<CaseTruth> truths, const RunOptions& options, CaseResult& result);
// Says of a case with inf or NaN among its inputs how `part` takes them.
void TellNotFinite(const Operator& op, const SocConfig& part, CaseResult& result);
// The same of a case with `count` windows that lie in the padding.
void TellOfNothing(const Operator& op, const SocConfig& part, int64_t count, CaseResult& result);
// A plan that is not legal, in the result.
void RefusePlan(const Case& problem, const Plan& plan, CaseResult& result);

}  // namespace tilesim

#include "cli/run_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "cli/case_source.h"
#include "formats/error.h"

namespace tilesim {
namespace {

RunMode ModeOf(const Arguments& arguments) {
  static constexpr std::string_view kModes[] = {"full", "functional", "timing"};
  const std::string mode = arguments.Choice("mode", kModes);
  return {.values = mode != "timing",
          .time = mode != "functional",
          .hazards = mode == "full",
          .strict_sync = arguments.Has("strict-sync")};
}

// FILE:LINE
SourceLine LineOf(const std::string& text) {
  static std::string file;  // of the only --drop-sync there is; SourceLine only points at it
  const size_t colon = text.rfind(':');
  int line = 0;
  const char* const end = text.data() + text.size();
  const bool number =
      colon != std::string::npos && std::from_chars(text.data() + colon + 1, end, line).ptr == end;
  RequireUser(number && line > 0 && colon > 0, "--drop-sync = '", text,
              "': must be FILE:LINE of a synchronising call, for example cube_operands.h:59");
  file = text.substr(0, colon);
  return {file.c_str(), line};
}

// As many as any operator may use; the harness knows how many a case's own may.
std::optional<int64_t> CoresOf(const Arguments& arguments, const SocConfig& soc) {
  const int64_t most = soc.aic_cores * std::max<int64_t>(1, soc.aiv_per_aic);
  return arguments.Has("cores") ? std::optional(arguments.Whole("cores", most, 1, most)) : std::nullopt;
}

KnowledgeBase ReadKnowledge(const Arguments& arguments) {
  try {
    KnowledgeBase base = KnowledgeBase::Read(arguments.Text("kb", ""));
    if (base.records().empty() && !arguments.Has("quiet")) {
      std::fprintf(stderr, "tilesim: --kb %s: has no record, as if it were not given\n", base.path().c_str());
    }
    return base;
  } catch (const UserError& error) {  // it names the file, the option is known here
    throw UserError(Say("--kb ", error.what()));
  }
}

}  // namespace

const KnowledgeBase* KnowledgeOf(const Arguments& arguments) {
  if (!arguments.Has("kb")) {
    return nullptr;
  }
  RequireUser(!arguments.Has("tiling"),
              "--kb and --tiling exclude each other: the tiling is looked up or given");
  static const KnowledgeBase base = ReadKnowledge(arguments);
  return &base;
}

PlanOptions PlanOptionsOf(const Arguments& arguments, const SocConfig& soc) {
  static constexpr std::string_view kPlanners[] = {"op", "api"};
  RequireUser(!arguments.Has("planner") || !arguments.Has("tiling"),
              "--planner and --tiling exclude each other: the tiling is planned or given");
  std::optional<PlannerKind> planner;
  if (arguments.Has("planner")) {
    planner = arguments.Choice("planner", kPlanners) == "api" ? PlannerKind::kApi : PlannerKind::kOp;
  }
  return {.planner = planner,
          .tiling_file = arguments.Text("tiling", ""),
          .cores = CoresOf(arguments, soc),
          .knowledge = KnowledgeOf(arguments)};
}

bool IsAclnn(const Arguments& arguments) {
  static constexpr std::string_view kSequences[] = {"op", "aclnn"};
  return arguments.Choice("sequence", kSequences) == "aclnn";
}

HarnessOptions HarnessOptionsOf(const Arguments& arguments, const SocConfig& soc) {
  constexpr int64_t kMostThreads = 1024;
  HarnessOptions options;
  options.plan = PlanOptionsOf(arguments, soc);
  options.mode = ModeOf(arguments);
  options.numerics_given = std::ranges::any_of(
      arguments.All("set"), [](const std::string& set) { return set.starts_with("numerics.ieee="); });
  options.aclnn = IsAclnn(arguments);
  options.threads = static_cast<int>(arguments.Whole("threads", 0, 1, kMostThreads));
  if (arguments.Has("drop-sync")) {
    options.drop_sync = LineOf(arguments.Text("drop-sync", ""));
  }
  return options;
}

}  // namespace tilesim

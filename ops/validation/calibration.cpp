#include "ops/validation/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

#include "ops/validation/validation.h"

namespace tilesim {
namespace {

using Member = std::variant<int64_t SocConfig::*, double SocConfig::*>;
using S = SocConfig;

struct Fitted {
  std::string_view family;
  std::string_view key;
  Member member;
};
constexpr Fitted kFitted[] = {
    {"mmad", "cube.mmad_issue_cycles", &S::mmad_issue_cycles},
    {"mmad", "cube.mmad_latency_cycles", &S::mmad_latency_cycles},
    {"l1_to_l0", "mte1.load_issue_cycles", &S::load_issue_cycles},
    {"l1_to_l0", "mte1.load_min_l0a_cycles", &S::load_min_l0a_cycles},
    {"l1_to_l0", "mte1.load_min_l0b_cycles", &S::load_min_l0b_cycles},
    {"gm_to_l0", "gm.l0_move_cycles", &S::gm_l0_move_cycles},
    {"gm_to_l0", "gm.l0a_core_bytes_per_cycle", &S::gm_l0a_core_bytes_per_cycle},
    {"gm_to_l0", "gm.l0b_core_bytes_per_cycle", &S::gm_l0b_core_bytes_per_cycle},
    {"gm_to_l1", "gm.read_latency_cycles", &S::gm_read_latency_cycles},
    {"gm_to_l1", "gm.l1_core_bytes_per_cycle", &S::gm_l1_core_bytes_per_cycle},
    {"gm_to_ub", "gm.ub_read_latency_cycles", &S::gm_ub_read_latency_cycles},
    {"gm_to_ub", "gm.miss_latency_cycles", &S::gm_miss_latency_cycles},
    {"gm_to_ub", "gm.ub_core_bytes_per_cycle", &S::gm_ub_core_bytes_per_cycle},
    {"gm_to_ub", "gm.hbm_ub_core_bytes_per_cycle", &S::hbm_ub_core_bytes_per_cycle},
    {"nd2nz", "gm.nd2nz_row_cycles", &S::nd2nz_row_cycles},
    {"nd2nz", "gm.nd2nz_read_cycles", &S::nd2nz_read_cycles},
    {"ub_to_gm", "gm.write_latency_cycles", &S::gm_write_latency_cycles},
    {"ub_to_gm", "gm.write_burst_bytes_per_cycle", &S::gm_write_burst_bytes_per_cycle},
    {"ub_to_gm", "gm.write_core_bytes_per_cycle", &S::gm_write_core_bytes_per_cycle},
    {"fixpipe", "fixpipe.floor_cycles", &S::fixpipe_floor_cycles},
    {"fixpipe", "fixpipe.bytes_per_cycle", &S::fixpipe_bytes_per_cycle},
    {"vector_1_source", "vector.startup_cycles", &S::vector_startup_cycles},
    {"vector_2_sources", "vector.startup_cycles", &S::vector_startup_cycles},
    {"compare", "vector.partial_block_cycles", &S::vector_partial_block_cycles},
};

constexpr double kFactors[] = {0.95, 0.975, 1.025, 1.05};

// Other values of one figure.
std::vector<SocConfig> Varied(const SocConfig& soc, const Member& member) {
  std::vector<SocConfig> all;
  for (const double factor : kFactors) {
    all.push_back(soc);
    if (const auto* const rate = std::get_if<double SocConfig::*>(&member)) {
      all.back().** rate *= factor;
    } else {
      int64_t& figure = all.back().*std::get<int64_t SocConfig::*>(member);
      const auto moved = static_cast<int64_t>(std::llround(factor * static_cast<double>(figure)));
      const int64_t steps = factor < 0.96 ? -2 : factor < 1 ? -1 : factor < 1.04 ? 1 : 2;
      figure = std::max<int64_t>(0, std::abs(moved - figure) < std::abs(steps) ? figure + steps : moved);
    }
  }
  return all;
}

}  // namespace

std::vector<std::string_view> FittedFigures(std::string_view family) {
  std::vector<std::string_view> keys;
  for (const Fitted& figure : kFitted) {
    if (figure.family == family) {
      keys.push_back(figure.key);
    }
  }
  return keys;
}

// One figure, and every pair of them.
std::vector<SocConfig> FigureCandidates(std::string_view family, const SocConfig& soc) {
  std::vector<SocConfig> all = {soc};
  for (const Fitted& one : kFitted) {
    if (one.family != family) {
      continue;
    }
    for (const SocConfig& varied : Varied(soc, one.member)) {
      all.push_back(varied);
      for (const Fitted* other = &one + 1; other != std::end(kFitted); ++other) {
        if (other->family == family) {
          std::ranges::copy(Varied(varied, other->member), std::back_inserter(all));
        }
      }
    }
  }
  return all;
}

std::optional<double> LeaveOneOut(std::span<const MeasuredInstruction* const> rows, std::string_view family,
                                  const std::function<const SocConfig&(const std::string&)>& part) {
  if (rows.size() < 2 || FittedFigures(family).empty()) {
    return std::nullopt;
  }
  std::map<std::string, std::vector<SocConfig>> candidates;
  std::vector<std::vector<double>> errors;
  for (const MeasuredInstruction* row : rows) {
    const auto [place, fresh] = candidates.try_emplace(row->part);
    if (fresh) {
      place->second = FigureCandidates(family, part(row->part));
    }
    errors.resize(place->second.size());
    for (size_t i = 0; i < place->second.size(); ++i) {
      errors[i].push_back(std::abs(Validate(*row, place->second[i]).pair.value().ErrorPercent()));
    }
  }
  return LeaveOneOutPercent(errors);
}

}  // namespace tilesim

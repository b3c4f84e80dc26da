#include "ops/validation/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
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

constexpr size_t kFolds = 5;
// Where a search looks, and begins: wide enough for any part, and chosen without one.
constexpr double kLeast = 0.25;
constexpr double kMost = 1024;
constexpr double kStarts[] = {4, 128};
constexpr double kWidestStep = 2;  // octaves
constexpr double kFinestStep = 1.0 / 32;

// The figures of one family on one part, fitted to some of its measurements.
class Fit {
 public:
  Fit(std::string_view family, const SocConfig& soc, std::span<const MeasuredInstruction* const> rows)
      : soc_(soc), rows_(rows) {
    for (const Fitted& figure : kFitted) {
      if (figure.family == family) {
        members_.push_back(figure.member);
      }
    }
  }

  // Absolute errors in percent of the rows at `tested`, by figures fitted to those at `fitted` alone.
  std::vector<double> Errors(std::span<const size_t> fitted, std::span<const size_t> tested) {
    const Figures best = Search(fitted);
    std::vector<double> errors;
    for (const size_t row : tested) {
      errors.push_back(ErrorOf(best, row));
    }
    return errors;
  }

 private:
  using Figures = std::vector<double>;  // log2 of each in a search

  // From several places with large steps, from the best of these with small ones.
  Figures Search(std::span<const size_t> rows) {
    Figures best;
    double least = std::numeric_limits<double>::infinity();
    for (const double start : kStarts) {
      Figures figures(members_.size(), std::log2(start));
      if (const double sum = Descend(figures, rows, kWidestStep, kWidestStep / 8); sum < least) {
        least = sum;
        best = figures;
      }
    }
    Descend(best, rows, kWidestStep / 16, kFinestStep);
    return best;
  }

  // Each figure up or down, or one for another, as long as the rows gain, then a step of half the size. Gives
  // the sum of the errors.
  double Descend(Figures& best, std::span<const size_t> rows, double widest, double finest) {
    double least = Sum(best, rows);
    for (double step = widest; step >= finest; step /= 2) {
      for (bool gained = true; gained;) {
        gained = false;
        for (const Figures& move : Moves(step)) {
          Figures other = best;
          for (size_t i = 0; i < best.size(); ++i) {
            other[i] = std::clamp(best[i] + move[i], std::log2(kLeast), std::log2(kMost));
          }
          if (const double sum = Sum(other, rows); sum < least) {
            least = sum;
            best = other;
            gained = true;
          }
        }
      }
    }
    return least;
  }

  [[nodiscard]] std::vector<Figures> Moves(double step) const {
    std::vector<Figures> moves;
    for (size_t i = 0; i < members_.size(); ++i) {
      for (size_t j = i; j < members_.size(); ++j) {
        for (const double by : {step, -step}) {
          Figures move(members_.size());
          move[j] = -by;
          move[i] = by;  // where both are one, the first
          moves.push_back(std::move(move));
        }
      }
    }
    return moves;
  }

  double Sum(const Figures& figures, std::span<const size_t> rows) {
    double sum = 0;
    for (const size_t row : rows) {
      sum += ErrorOf(figures, row);
    }
    return sum;
  }

  double ErrorOf(const Figures& figures, size_t row) {
    const Figures values = ValuesOf(figures);
    std::vector<double>& known =
        errors_.try_emplace(values, rows_.size(), std::numeric_limits<double>::quiet_NaN()).first->second;
    if (std::isnan(known[row])) {
      const ValidatedRow found = Validate(*rows_[row], With(values));
      known[row] = found.pair ? std::abs(found.pair->ErrorPercent()) : 1e6;
    }
    return known[row];
  }

  [[nodiscard]] Figures ValuesOf(const Figures& figures) const {
    Figures values;
    for (size_t i = 0; i < figures.size(); ++i) {
      const bool whole = std::holds_alternative<int64_t SocConfig::*>(members_[i]);
      values.push_back(whole ? std::round(std::exp2(figures[i])) : std::exp2(figures[i]));
    }
    return values;
  }

  [[nodiscard]] SocConfig With(const Figures& values) const {
    SocConfig soc = soc_;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (const auto* const rate = std::get_if<double SocConfig::*>(&members_[i])) {
        soc.** rate = values[i];
      } else {
        soc.*std::get<int64_t SocConfig::*>(members_[i]) = std::llround(values[i]);
      }
    }
    return soc;
  }

  const SocConfig& soc_;
  std::span<const MeasuredInstruction* const> rows_;
  std::vector<Member> members_;
  std::map<Figures, std::vector<double>> errors_;  // of values, by row
};

// Which fifth of its table each row is of: every fifth size, so that the others lie on both sides of it.
std::vector<size_t> FifthsOf(std::span<const MeasuredInstruction* const> rows) {
  std::map<std::string_view, std::vector<size_t>> tables;
  for (size_t i = 0; i < rows.size(); ++i) {
    tables[rows[i]->instruction].push_back(i);
  }
  std::vector<size_t> fifths(rows.size());
  for (auto& [name, table] : tables) {
    const auto amount = [&](size_t row) {
      double product = 1;
      for (const int64_t extent : rows[row]->size) {
        product *= static_cast<double>(extent);
      }
      return product;
    };
    std::ranges::stable_sort(table, {}, amount);
    for (size_t at = 0; at < table.size(); ++at) {
      fifths[table[at]] = at % kFolds;
    }
  }
  return fifths;
}

// Not more of them than a search can ask often: drawn, for steps of equal size could miss a table's small
// rows.
// The more figures, the more often it asks.
std::vector<size_t> Thinned(std::vector<size_t> rows, size_t figures) {
  constexpr size_t kMostRows = 80;
  const size_t kept = figures == 1 ? rows.size() : std::min(kMostRows / figures, rows.size());
  std::mt19937_64 random(1);
  for (size_t i = 0; kept < rows.size() && i < kept; ++i) {
    std::swap(rows[i], rows[i + random() % (rows.size() - i)]);
  }
  rows.resize(kept);
  return rows;
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

std::optional<double> LeaveOneOut(std::span<const MeasuredInstruction* const> rows, std::string_view family,
                                  const std::function<const SocConfig&(const std::string&)>& part) {
  const size_t figures = FittedFigures(family).size();
  if (figures == 0) {
    return std::nullopt;
  }
  std::map<std::string, std::vector<const MeasuredInstruction*>> parts;
  for (const MeasuredInstruction* row : rows) {
    parts[row->part].push_back(row);
  }
  double sum = 0;
  for (const auto& [name, of_part] : parts) {
    if (of_part.size() < kFolds) {
      return std::nullopt;
    }
    Fit fit(family, part(name), of_part);
    const std::vector<size_t> fifths = FifthsOf(of_part);
    for (size_t left_out = 0; left_out < kFolds; ++left_out) {
      std::vector<size_t> fitted;
      std::vector<size_t> tested;
      for (size_t row = 0; row < of_part.size(); ++row) {
        (fifths[row] == left_out ? tested : fitted).push_back(row);
      }
      for (const double error : fit.Errors(Thinned(fitted, figures), tested)) {
        sum += error / static_cast<double>(rows.size());
      }
    }
  }
  return sum;
}

}  // namespace tilesim

#include "ops/harness/comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "formats/error.h"
#include "formats/npy.h"

namespace tilesim {
namespace {

// A file in the output's layout, in canonical order. `column`: of the case, that names it. Doubles take
// values as they are; of a whole `type` what it does not hold is refused: rounded it could seem right.
template <class V>
std::vector<V> ReadInLayout(std::string_view column, const std::string& path, const Layout& layout,
                            DType type) {
  std::vector<V> stored;
  const auto take = [&](const Tensor& whole) {
    VisitDType(type, [&]<class T>(TypeTag<T>) {
      std::ranges::transform(whole.As<T>(), std::back_inserter(stored),
                             [](T value) { return static_cast<V>(value); });
    });
  };
  try {
    if constexpr (std::is_same_v<V, int64_t>) {
      take(ReadNpy(path, type, layout));
    } else if (IsFloating(type)) {
      stored = ReadNpyDoubles(path, layout.StorageShape());
    } else {
      take(ReadNpy(path, type, layout));
    }
  } catch (const UserError& error) {
    throw UserError(Say(column, ": ", error.what()));
  }
  std::vector<V> canonical(stored.size());
  for (size_t i = 0; i < canonical.size(); ++i) {
    canonical[i] = stored[static_cast<size_t>(layout.Offset(layout.Coord(static_cast<int64_t>(i))))];
  }
  return canonical;
}

bool IsFinite(const Tensor& tensor) {
  return VisitDType(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    return std::ranges::all_of(tensor.As<T>(),
                               [](T value) { return std::isfinite(static_cast<float>(value)); });
  });
}

// NaN and infinities of fp16 and bf16 results are kept or saturated as the part says; those of fp32 are kept.
Overflow OverflowOf(const SocConfig& soc) {
  return soc.numerics_ieee != 0 ? Overflow::kIeee : Overflow::kSaturate;
}

// Where a marked output is NaN, NaN is what is expected. Returns how many there are that were not expected
// before.
int64_t AcceptNan(const Tensor& output, CaseTruth& truth) {
  const std::vector<uint8_t>& marked = truth.direct.nan_on_device;
  int64_t accepted = 0;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] == 0 || !std::isnan(output.Get(output.layout().Coord(static_cast<int64_t>(i))))) {
      continue;
    }
    bool differs = false;
    for (std::vector<double>* const values : {&truth.direct.values, &truth.expected}) {
      if (!values->empty() && !std::isnan((*values)[i])) {
        (*values)[i] = std::numeric_limits<double>::quiet_NaN();
        differs = true;
      }
    }
    accepted += differs ? 1 : 0;
  }
  return accepted;
}

std::string NanNote(int64_t nan_on_device, const CaseTruth& truth) {
  if (nan_on_device == 0) {
    return "";
  }
  return Say(nan_on_device, nan_on_device == 1 ? " output is" : " outputs are",
             " NaN on the device, which multiplies ", truth.direct.nan_because, "; the direct loop",
             truth.expected_file.empty() ? "" : Say(" and ", truth.expected_file), " counted as NaN there");
}

// Saturated, a NaN of the file would pass as 0. Words of the file's NaN where the direct loop has a number;
// nothing when there is none.
std::string StrayNan(const CaseTruth& truth, const Layout& layout) {
  int64_t found = 0;
  int64_t first = 0;
  for (size_t i = truth.expected.size(); i-- > 0;) {
    if (std::isnan(truth.expected[i]) && !std::isnan(truth.direct.values[i])) {
      ++found;
      first = static_cast<int64_t>(i);
    }
  }
  return found == 0 ? ""
                    : Say(truth.expected_file, " is NaN in ", found, found == 1 ? " output" : " outputs",
                          " of which the direct loop has a number, the first at ",
                          layout.CoordText(layout.Coord(first)));
}

// Compares one output and says what differs.
class OutputComparison {
 public:
  OutputComparison(const Operator& op, const Plan& plan, const SocConfig& soc, size_t index,
                   const RunOptions& options)
      : op_(op), plan_(plan), soc_(soc), index_(index), tensor_(op.Outputs().at(index)), options_(options) {}

  [[nodiscard]] ComparisonVerdict Of(const Tensor& output, CaseTruth truth) const {
    const Truth& direct = truth.direct;
    const Rule rule = op_.RuleOf(plan_, direct);
    const Overflow overflow = OverflowOf(soc_);
    ComparisonVerdict verdict;
    verdict.nan_on_device = AcceptNan(output, truth);
    const auto compared = [&](const std::vector<double>& values, const std::vector<int64_t>& wholes) {
      return output.dtype() == DType::kInt64
                 ? Compare(output, wholes)
                 : Compare(output, values, direct.absdot, direct.products, rule, overflow);
    };
    verdict.comparison = compared(direct.values, direct.wholes);
    verdict.equal = verdict.comparison.equal;
    verdict.message = Told(verdict.comparison, "the direct loop");
    if (!truth.expected_file.empty()) {
      const Comparison expected = compared(truth.expected, truth.expected_wholes);
      const std::string stray = StrayNan(truth, tensor_.host);
      verdict.equal = verdict.equal && expected.equal && stray.empty();
      AddLine(verdict.message, Told(expected, truth.expected_file));
      AddLine(verdict.message, stray);
    }
    AddLine(verdict.message, NanNote(verdict.nan_on_device, truth));
    return verdict;
  }

 private:
  [[nodiscard]] std::string Told(const Comparison& comparison, std::string_view with) const {
    if (comparison.equal) {
      return "";
    }
    std::string told =
        Say(op_.Outputs().size() > 1 ? tensor_.name + ": " : "", comparison.mismatches, " of ",
            comparison.elements, " elements differ from ", with, "\nfirst ", TextOf(*comparison.first));
    if (comparison.worst->coord != comparison.first->coord) {
      told += Say("\nworst ", TextOf(*comparison.worst));
    }
    return told;
  }

  [[nodiscard]] std::string TextOf(const Mismatch& mismatch) const {
    return Say(Text(mismatch, tensor_.host), ", written by ",
               WritersOf(op_, plan_, soc_, index_, mismatch.coord, options_));
  }

  const Operator& op_;
  const Plan& plan_;
  const SocConfig& soc_;
  const size_t index_;
  const OperatorTensor tensor_;
  const RunOptions& options_;
};

void RequireAbsdot(const std::string& path, std::span<const double> absdot) {
  const auto wrong =
      std::ranges::find_if(absdot, [](double sum) { return !(sum >= 0 && std::isfinite(sum)); });
  RequireUser(wrong == absdot.end(), "absdot_file: ", path, ": holds ", wrong == absdot.end() ? 0.0 : *wrong,
              ", must hold sums of absolute products: finite and at least 0");
}

}  // namespace

void AddLine(std::string& text, const std::string& line) {
  text += Say(text.empty() || line.empty() ? "" : "\n", line);
}

Rule RuleOfChains(double chain, double parts, double products) {
  // Largest error seen of a chain of n positive products, in u A: 11.6 (n = 256), 35.7 (4096), 179 (65536),
  // so at most 0.75 sqrt(n); beyond that it grows faster. The chains are added up as one more chain. Twice
  // that must fit.
  constexpr double kLongestMeasured = 65536;
  constexpr double kErrorOfRootN = 0.75;
  constexpr double kMargin = 2;
  const double error = kErrorOfRootN * (std::sqrt(chain) + std::sqrt(parts));
  const bool fits =
      std::max(chain, parts) <= kLongestMeasured && kMargin * error <= BoundFactor(Rule::kBlocked, products);
  return fits ? Rule::kBlocked : Rule::kAnyOrder;
}

bool SaturatesInfinities(const Operator& op, const SocConfig& soc) {
  return soc.numerics_ieee == 0 && SizeOf(op.Outputs().front().dtype) == 2;
}

bool NeedsIeee(const Operator& op, std::span<const Tensor> inputs, const SocConfig& soc) {
  bool all_finite = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    all_finite = all_finite && (!op.IsMadeOf(i) || IsFinite(inputs[i]));
  }
  return SaturatesInfinities(op, soc) && !all_finite;
}

std::vector<CaseTruth> MakeTruth(const Case& problem, const Operator& op, std::span<const Tensor> inputs,
                                 int threads) {
  std::vector<CaseTruth> truths;
  const std::vector<OperatorTensor> outputs = op.Outputs();
  for (Truth& direct : op.Reference(inputs, threads)) {
    const OperatorTensor& output = outputs.at(truths.size());
    const bool is_argmax = output.name == "argmax";
    CaseTruth truth = {.direct = std::move(direct),
                       .expected_file = is_argmax        ? problem.expected_argmax_file
                                        : truths.empty() ? problem.expected_file
                                                         : "",
                       .expected = {},
                       .expected_wholes = {}};
    if (const std::string& file = truth.expected_file; !file.empty()) {
      const std::string_view column = is_argmax ? "expected_argmax_file" : "expected_file";
      if (output.dtype == DType::kInt64) {
        truth.expected_wholes = ReadInLayout<int64_t>(column, file, output.host, output.dtype);
      } else {
        truth.expected = ReadInLayout<double>(column, file, output.host, output.dtype);
      }
    }
    truths.push_back(std::move(truth));
  }
  Truth& first = truths.front().direct;
  if (!problem.absdot_file.empty()) {
    first.absdot =
        ReadInLayout<double>("absdot_file", problem.absdot_file, outputs.front().host, DType::kFp32);
    RequireAbsdot(problem.absdot_file, first.absdot);
  }
  if (problem.products) {
    first.products = static_cast<double>(*problem.products);
  }
  return truths;
}

ComparisonVerdict CompareWithTruth(const Operator& op, const Plan& plan, const SocConfig& soc,
                                   std::span<const Tensor> outputs, std::vector<CaseTruth> truths,
                                   const RunOptions& options) {
  ComparisonVerdict all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ComparisonVerdict one =
        OutputComparison(op, plan, soc, i, options).Of(outputs[i], std::move(truths.at(i)));
    if (i == 0) {
      all.comparison = one.comparison;
    }
    all.nan_on_device += one.nan_on_device;
    all.equal = all.equal && one.equal;
    AddLine(all.message, one.message);
  }
  return all;
}

}  // namespace tilesim

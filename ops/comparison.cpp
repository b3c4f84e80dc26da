#include "ops/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/conv3d_backprop/filter_reference.h"
#include "ops/conv3d_backprop/filter_writers.h"

namespace tilesim {
namespace {

// A file in the filter's layout, as doubles in canonical order.
std::vector<double> ReadInFilterLayout(const std::string& path, const Layout& layout) {
  const std::vector<double> stored = ReadNpyDoubles(path, layout.StorageShape());
  std::vector<double> canonical(stored.size());
  for (size_t i = 0; i < canonical.size(); ++i) {
    canonical[i] = stored[static_cast<size_t>(layout.Offset(layout.Coord(static_cast<int64_t>(i))))];
  }
  return canonical;
}

std::string TextOf(const Mismatch& mismatch, const Case& problem, const FilterPlan& plan,
                   const SocConfig& soc, const Layout& layout, const FilterRunOptions& options) {
  return Say(Text(mismatch, layout), ", written by ",
             WritersOf(problem.conv, plan, soc, mismatch.coord, options));
}

std::string Told(const Comparison& comparison, std::string_view with, const Case& problem,
                 const FilterPlan& plan, const SocConfig& soc, const Tensor& dw,
                 const FilterRunOptions& options) {
  if (comparison.equal) {
    return "";
  }
  const auto text = [&](const Mismatch& mismatch) {
    return TextOf(mismatch, problem, plan, soc, dw.layout(), options);
  };
  std::string told = Say(comparison.mismatches, " of ", comparison.elements, " elements differ from ", with,
                         "\nfirst ", text(*comparison.first));
  if (comparison.worst->coord != comparison.first->coord) {
    told += Say("\nworst ", text(*comparison.worst));
  }
  return told;
}

std::string PaddingNote(const FilterTruth& truth, const Case& problem) {
  if (truth.nan_from_padding == 0) {
    return "";
  }
  const bool one = truth.nan_from_padding == 1;
  return Say(truth.nan_from_padding, one ? " output is" : " outputs are",
             " NaN on the device, which multiplies padding: 0 times inf or NaN of dy; the direct loop",
             truth.expected.empty() ? "" : Say(" and ", problem.expected_file), " counted as NaN there");
}

void AddLine(std::string& text, const std::string& line) {
  text += Say(text.empty() || line.empty() ? "" : "\n", line);
}

}  // namespace

Rule RuleOf(const FilterTiling& tiling, double products) {
  const TConv3DBpFilterTiling& data = tiling.data.dwTiling;
  const double chain =
      std::min(products, static_cast<double>(data.singleCoreHo) * static_cast<double>(data.wo));
  const double parts = std::ceil(products / std::max(chain, 1.0));
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

FilterTruth MakeFilterTruth(const Case& problem, const Tensor& x, const Tensor& dy, int threads) {
  FilterReference reference = ReferenceFilterGradient(problem.conv, x, dy, threads);
  FilterTruth truth = {.reference = std::move(reference.dw),
                       .expected = {},
                       .absdot = std::move(reference.absdot),
                       .products = static_cast<double>(reference.products)};
  const std::vector<uint8_t> undefined = PaddingMeetsNonFinite(problem.conv, dy);
  const Layout layout = problem.conv.FilterLayout();
  if (!problem.expected_file.empty()) {
    truth.expected = ReadInFilterLayout(problem.expected_file, layout);
  }
  for (size_t i = 0; i < undefined.size(); ++i) {
    if (undefined[i] != 0) {
      ++truth.nan_from_padding;
      truth.reference[i] = std::numeric_limits<double>::quiet_NaN();
      if (!truth.expected.empty()) {
        truth.expected[i] = truth.reference[i];
      }
    }
  }
  if (!problem.absdot_file.empty()) {
    truth.absdot = ReadInFilterLayout(problem.absdot_file, layout);
  }
  if (problem.products) {
    truth.products = static_cast<double>(*problem.products);
  }
  return truth;
}

FilterVerdict CompareWithTruth(const Case& problem, const FilterPlan& plan, const SocConfig& soc,
                               const Tensor& dw, const FilterTruth& truth, const FilterRunOptions& options) {
  const Rule rule = RuleOf(plan.tiling, truth.products);
  FilterVerdict verdict;
  verdict.comparison = Compare(dw, truth.reference, truth.absdot, truth.products, rule);
  verdict.equal = verdict.comparison.equal;
  verdict.message = Told(verdict.comparison, "the direct loop", problem, plan, soc, dw, options);
  if (!truth.expected.empty()) {
    const Comparison expected = Compare(dw, truth.expected, truth.absdot, truth.products, rule);
    verdict.equal = verdict.equal && expected.equal;
    AddLine(verdict.message, Told(expected, problem.expected_file, problem, plan, soc, dw, options));
  }
  AddLine(verdict.message, PaddingNote(truth, problem));
  return verdict;
}

}  // namespace tilesim

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "formats/units.h"
#include "tiling/conv_backprop/gradient_search.h"
#include "tiling/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kTasksOfCut = 64;  // of a cut's tasks, so many are looked at
constexpr int64_t kMostParts = 256;  // into which rows or lines of channels are cut
constexpr int64_t kSpread = 4;       // every number of parts below twice this one is looked at

class CutSearch {
 public:
  CutSearch(const InputProblem& problem, const SocConfig& soc, int64_t cores)
      : p_(problem), soc_(soc), e_(ExtentsOf(problem)), cores_(cores) {}

  // First the sizes of a part in one order, then the best of them in all orders.
  std::vector<InputPromisingCut> Best(size_t most_cuts) {
    for (const int64_t rows : PartSizes(p_.hi, kMostParts, kSpread)) {
      for (const int64_t lines : PartSizes(e_.cin1_g, kMostParts, kSpread)) {
        if (lines * e_.c0 % 16 == 0 || lines == e_.cin1_g) {
          Add({.strategy = InputStrategy::kBalancedMdn, .rows = rows, .lines = lines});
        }
      }
    }
    constexpr size_t kMostSizes = 48;
    KeepBest(found_, 0, kMostSizes, &Found::promise);
    for (const Found& sizes : std::vector<Found>(std::move(found_))) {
      AddOrders(sizes.cut.cut);
    }
    KeepBest(found_, 0, most_cuts, &Found::promise);
    std::vector<InputPromisingCut> cuts;
    for (const Found& found : found_) {
      cuts.push_back(found.cut);
    }
    return cuts;
  }

 private:
  struct Found {
    InputPromisingCut cut;
    double promise;
  };

  void Add(InputCut cut) {
    const InputTaskSpace space = SpaceOf(p_, cut);
    const double tasks =
        Real(space.row_parts() * space.line_parts()) * Real(p_.batch * p_.di) * Real(e_.real_groups);
    cut.cores = tasks < Real(cores_) ? static_cast<int64_t>(tasks) : cores_;
    const InputCoreWork work = BusiestCore(p_, cut, kTasksOfCut);
    found_.push_back({{cut, work}, Promise(cut, work)});
  }

  // In every order that is another one.
  void AddOrders(InputCut cut) {
    const std::vector<InputStrategy> orders = DifferentOrders(SpaceOf(p_, cut));
    const bool uneven = p_.dk > 1 || p_.stride_d > 1 || p_.hi % cut.rows != 0 || e_.cin1_g % cut.lines != 0;
    for (const bool balanced : {false, true}) {
      for (const InputStrategy order : orders) {
        cut.strategy = balanced ? Balanced(order) : order;
        if (!balanced || uneven) {
          Add(cut);
        }
      }
    }
  }

  // Cycles below which no block can bring the busiest core, the parts weighed as they overlap.
  [[nodiscard]] double Promise(const InputCut& cut, const InputCoreWork& work) const {
    const double fractal = FractalCycles(soc_, p_.dtype, p_.hf32);
    const double line_fractals = std::ceil(Real(cut.lines * e_.c0) / 16) / Real(cut.lines);
    const double pixels = Real(p_.wi) * Real(AlignUp(cut.rows * p_.wi, int64_t{16})) / Real(cut.rows * p_.wi);
    const InputBlockCost block(p_, soc_, cut);
    const double k = Real(e_.k) / Real(e_.c0) / Real(block.phases()) * block.PartReached(1);
    const double cube = work.products * pixels / 16 * line_fractals * k * fractal;
    constexpr double kBlock = 256;  // pixels and channels of a large block
    const double passes_a = std::ceil(Real(cut.lines * e_.c0) / kBlock) / Real(cut.lines);
    const double passes_b = std::ceil(Real(cut.rows) * pixels / kBlock) / Real(cut.rows);
    const double bytes_k = k * 32;  // of K for one pixel or one channel
    const double load_a = work.products * passes_a * pixels * bytes_k / soc_.l0a_bytes_per_cycle;
    const double load_b = work.products * passes_b * Real(e_.c0) * bytes_k / soc_.l0b_bytes_per_cycle;
    const double hbm_write = soc_.hbm_total_bytes_per_cycle / Real(cut.cores);
    const double row_bytes = Real(p_.wo * e_.cout1_g * 32);
    const double line_bytes = Real(p_.hk * p_.wk * e_.cout1_g * e_.c0) * 32;
    const double dy = work.dy_new_rows * row_bytes;
    const double weights = work.weights_new * line_bytes;
    const ReadRates reads = ReadRates::Of(soc_, cut.cores);
    const double mte2 =
        reads.Cycles(dy, dy * work.dy_fetched) + reads.Cycles(weights, weights * work.weights_fetched);
    const double fix = work.dx * Real(p_.wi * 32) / (WritesWaitForHbm(soc_) ? hbm_write : reads.l2);
    const std::array<double, 4> pipes = {cube, load_a + load_b, mte2, fix};
    const double longest = *std::ranges::max_element(pipes);
    const double all = cube + load_a + load_b + mte2 + fix;
    const double start = work.tasks * Real(soc_.gm_read_latency_cycles) * 2;
    return longest + 0.1 * (all - longest) + start;
  }

  const InputProblem& p_;
  const SocConfig& soc_;
  InputExtents e_;
  int64_t cores_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<InputPromisingCut> PromisingCuts(const InputProblem& problem, const SocConfig& soc, int64_t cores,
                                             size_t most_cuts) {
  return CutSearch(problem, soc, cores).Best(most_cuts);
}

}  // namespace tilesim

// What a core of a pooling does, as sums of products over the blocks that are its: each factor depends on the
// block's place along one axis. Knows no pooling.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tiling/max_pool/pool_shape.h"
#include "tiling/max_pool/pool_taps.h"

namespace tilesim {

// A number for each block along an axis; sums of the first ones are told at once.
class BlockFactor {
 public:
  void Add(double value) { before_.push_back(before_.back() + value); }

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(before_.size()) - 1; }
  [[nodiscard]] double total() const { return before_.back(); }
  [[nodiscard]] double Before(int64_t block) const { return before_[static_cast<size_t>(block)]; }
  [[nodiscard]] double At(int64_t block) const { return Before(block + 1) - Before(block); }
  // Of a block.
  [[nodiscard]] double Most() const {
    double most = 0;
    for (int64_t block = 0; block < size(); ++block) {
      most = std::max(most, At(block));
    }
    return most;
  }

 private:
  std::vector<double> before_ = {0};
};

// A product of factors along three axes, the one whose blocks follow each other first; times a number that a
// group of lanes has where it is full, and one where it is not.
struct PoolTerm {
  std::array<const BlockFactor*, 3> factors{};
  double full = 1;
  double tail = 1;

  // Of all blocks of one group, as many as there are groups of each kind.
  [[nodiscard]] double Total(double full_groups, double tail_groups) const {
    return factors[0]->total() * factors[1]->total() * factors[2]->total() *
           (full * full_groups + tail * tail_groups);
  }
};

// Groups of lanes one after another, the last of each `turn` not full.
struct PoolGroups {
  int64_t count = 1;
  int64_t turn = 1;
  bool has_tail = false;

  [[nodiscard]] int64_t TailsBefore(int64_t group) const { return has_tail ? group / turn : 0; }
  [[nodiscard]] bool IsTail(int64_t group) const { return has_tail && group % turn == turn - 1; }
  [[nodiscard]] double tails() const { return static_cast<double>(TailsBefore(count)); }
  [[nodiscard]] double fulls() const { return static_cast<double>(count) - tails(); }
};

// Sums over blocks that are numbered group by group.
class PoolSums {
 public:
  PoolSums(const PoolGroups& groups, const std::array<int64_t, 3>& counts)
      : groups_(groups), counts_(counts) {}

  [[nodiscard]] int64_t blocks() const { return groups_.count * OfGroup(); }
  [[nodiscard]] double Total(const PoolTerm& term) const {
    return term.Total(groups_.fulls(), groups_.tails());
  }
  // Of blocks [begin, end).
  [[nodiscard]] double Of(const PoolTerm& term, int64_t begin, int64_t end) const {
    return Before(term, end) - Before(term, begin);
  }

 private:
  [[nodiscard]] int64_t OfGroup() const { return counts_[0] * counts_[1] * counts_[2]; }

  [[nodiscard]] double Before(const PoolTerm& term, int64_t block) const {
    const int64_t group = block / OfGroup();
    const auto tails = static_cast<double>(groups_.TailsBefore(group));
    double sum = term.Total(static_cast<double>(group) - tails, tails);
    if (const int64_t rest = block % OfGroup(); rest > 0) {
      const auto& [first, second, third] = term.factors;
      const int64_t a = rest % counts_[0];
      const int64_t b = rest / counts_[0] % counts_[1];
      const int64_t c = rest / counts_[0] / counts_[1];
      const double inner = second->Before(b) * first->total() + second->At(b) * first->Before(a);
      sum += (third->Before(c) * second->total() * first->total() + third->At(c) * inner) *
             (groups_.IsTail(group) ? term.tail : term.full);
    }
    return sum;
  }

  PoolGroups groups_;
  std::array<int64_t, 3> counts_;  // of one group
};

// Cycles and bytes of some blocks; those that an operator knows nothing of stay 0.
struct PoolCycles {
  double vector = 0;      // of the vector unit, with its waits for itself
  double zeroed = 0;      // of these before anything need have come
  double taken = 0;       // of these on what a load brought, before its buffer is given back
  double stored = 0;      // of these for a store, after its buffer was taken
  double read_bytes = 0;  // and how they come
  double read_bursts = 0;
  double moves = 0;
  double loads = 0;
  double last_bytes = 0;  // of what comes last of a load
  double write_bytes = 0;
  double write_bursts = 0;
  double stores = 0;
  double blocks = 0;   // whose stores follow each other: of a gradient, or planes of a pooling's outputs
  double x_loads = 0;  // of what a gradient pools, and how it comes
  double x_bytes = 0;
  double x_bursts = 0;
  double pooled = 0;     // of the vector unit on it
  double tap_calls = 0;  // taps that are added to these
};

// Terms of each of these sums.
class PoolLedger {
 public:
  using Sum = double PoolCycles::*;

  explicit PoolLedger(const PoolSums& sums) : sums_(sums) {}

  // The term is a part of each of `to`.
  void Add(std::initializer_list<Sum> to, const PoolTerm& term) {
    for (const Sum sum : to) {
      parts_.push_back({sum, term});
    }
  }
  [[nodiscard]] const PoolSums& sums() const { return sums_; }
  // Of blocks [begin, end).
  [[nodiscard]] PoolCycles Of(const PoolRange& blocks) const;
  [[nodiscard]] double VectorOf(const PoolRange& blocks) const;
  // The first core of those that take the vector unit longest; of(core): its blocks.
  template <class F>
  [[nodiscard]] int64_t BusiestCore(int64_t cores, F&& of) const {
    int64_t busiest = 0;
    double most = -1;
    for (int64_t core = 0; core < cores; ++core) {
      if (const double vector = VectorOf(of(core)); vector > most) {
        most = vector;
        busiest = core;
      }
    }
    return busiest;
  }
  // An equal part of all that there is.
  [[nodiscard]] PoolCycles Mean(int64_t cores) const;

 private:
  struct Part {
    Sum sum;
    PoolTerm term;
  };

  PoolSums sums_;
  std::vector<Part> parts_;
};

// What outputs of one axis read and merge, over any range of them.
class PoolAxisCounts {
 public:
  explicit PoolAxisCounts(const PoolAxis& axis);

  // Inputs that outputs [begin, end) read, or fewer where taps lie apart.
  [[nodiscard]] double Reads(int64_t begin, int64_t end) const {
    return begin >= end ? 0 : taps_.At(begin) + fresh_.Before(end) - fresh_.Before(begin + 1);
  }
  // Inputs that an output reads and none before it.
  [[nodiscard]] double Fresh(int64_t begin, int64_t end) const {
    return begin >= end ? 0 : fresh_.Before(end) - fresh_.Before(begin);
  }
  // Taps of each output in bounds, but the first.
  [[nodiscard]] double Merges(int64_t begin, int64_t end) const {
    return begin >= end ? 0 : merges_.Before(end) - merges_.Before(begin);
  }

 private:
  BlockFactor taps_;  // of each output, in bounds
  BlockFactor fresh_;
  BlockFactor merges_;
};

}  // namespace tilesim

#pragma once
#include <cstdint>
#include <span>
#include <utility>

#include "tiling/conv_backprop/filter_choice.h"
#include "tiling/core_memory.h"

namespace tilesim {

// The block and the L1 steps that planner `api` chooses for one core, by the rules of the shipped planner
// (its capacity errors included). Knows neither fields nor flags, and refuses nothing.
class FilterApiBlock {
 public:
  struct Task {
    int64_t m, n, k;
  };

  FilterApiBlock(const FilterProblem& problem, const CoreMemory& memory);
  void Choose();

  [[nodiscard]] const CubeChoice& choice() const { return c_; }
  [[nodiscard]] const CoreMemory& memory() const { return memory_; }
  [[nodiscard]] int64_t problem_m() const { return m_; }
  [[nodiscard]] int64_t problem_n() const { return n_; }
  [[nodiscard]] int64_t taps() const { return taps_; }
  [[nodiscard]] Task TaskExtents() const;
  [[nodiscard]] int64_t L1BoundOfB() const;  // elements of one L1 copy of B
  [[nodiscard]] int64_t L1Bytes() const;     // of all copies; INT64_MAX where that is too small a number

 private:
  enum class Split { kMN, kMK, kNK };
  using Rung = std::pair<int64_t, int64_t>;  // L1 depths in base blocks, A and B

  void StartBlock();
  void TakeRung(const Rung& rung);
  void ReduceToFit();
  bool ShrinkK();
  void ShrinkMAndN();
  void ShrinkMAndNTogether();
  void GrowBack();
  void CutKToWholeRows();

  [[nodiscard]] int64_t Lines(int64_t n_extent) const;
  [[nodiscard]] int64_t InputRows(int64_t k_extent) const;
  [[nodiscard]] int64_t Bound(int64_t k_extent, int64_t n_extent) const;
  [[nodiscard]] uint32_t Excess() const;
  [[nodiscard]] bool Fits() const;

  const FilterProblem& p_;
  CoreMemory memory_;
  int64_t taps_, m_, n_, k_;
  Split split_;
  CubeChoice c_;
};

}  // namespace tilesim

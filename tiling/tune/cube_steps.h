#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/conv_backprop/gradient_tiling.h"
#include "tiling/cube_choice.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {

// All choices that the tile program of a gradient or of a matrix product has for blocks of one size: of tiles
// in L1, of the order of blocks and of the buffers' copies. Of choices that run the same instructions there
// is one. The members hold what an operator allows. Steps beyond those that a choice's number holds are left
// out; no tile of so many blocks fits an L1 of 1 MiB.
struct CubeSteps {
  // Bits of a choice's number for stepM, stepN, and stepKa and stepKb, and the most steps these hold.
  static constexpr int kBitsOfM = 11, kBitsOfN = 12, kBitsOfK = 13;
  static constexpr int64_t kMostM = int64_t{1} << kBitsOfM;
  static constexpr int64_t kMostK = int64_t{1} << kBitsOfK;

  CubeSize block;
  int64_t blocks_m = 1, blocks_n = 1, blocks_k = 1;  // of a task
  // Blocks side by side in a tile, more than one where all of K stands in L1.
  std::vector<int64_t> steps_m = {}, steps_n = {};
  std::vector<int64_t> steps_ka = {}, steps_kb = {};  // blocks of K in a tile
  // Bytes of one copy of a tile of so many blocks side by side and of K; of A they grow with both.
  std::function<int64_t(int64_t step, int64_t step_k)> bytes_a = {}, bytes_b = {};
  // Whether steps of K, one a multiple of the other, may stand in one choice; without it all may.
  std::function<bool(int64_t step_ka, int64_t step_kb)> may_pair = {};
  int64_t most_l0 = 2, most_l0c = 2;  // copies
  bool has_unit_flag = false;

  // Calls visit(choice) for each choice, in a fixed order.
  template <class Visit>
  void ForEach(const SocConfig& soc, Visit&& visit) const;
  [[nodiscard]] int64_t Count(const SocConfig& soc) const {
    int64_t choices = 0;
    ForEach(soc, [&](const CubeChoice&) { ++choices; });
    return choices;
  }

  // Copies of operands of so many bytes that L0A and L0B both hold.
  static int64_t MostL0(const SocConfig& soc, int64_t bytes_a, int64_t bytes_b) {
    return 2 * bytes_a <= soc.l0a_bytes && 2 * bytes_b <= soc.l0b_bytes ? 2 : 1;
  }
  // Copies of C's block that L0C holds.
  static int64_t MostL0c(const SocConfig& soc, const CubeSize& block) {
    return 2 * block.m * block.n * 4 <= soc.l0c_bytes ? 2 : 1;
  }
  // 1, 2, ... `most`.
  static std::vector<int64_t> UpTo(int64_t most) {
    std::vector<int64_t> steps;
    for (int64_t step = 1; step <= most; ++step) {
      steps.push_back(step);
    }
    return steps;
  }

 private:
  template <class Visit>
  void ForEachBuffer(CubeChoice choice, Visit&& visit) const;
};

// A choice as a number, in the order of ForEach; of its block only baseK. Throws std::logic_error for a
// choice that the number does not hold, which no CubeSteps has.
uint64_t CodeOf(const CubeChoice& choice);
// The choice of blocks of M and N of `block` that has this number.
CubeChoice ChoiceOf(uint64_t code, const CubeSize& block);

template <class Visit>
void CubeSteps::ForEachBuffer(CubeChoice choice, Visit&& visit) const {
  const int64_t orders = blocks_m > 1 && blocks_n > 1 ? 2 : 1;
  for (choice.iterate_order = 0; choice.iterate_order < orders; ++choice.iterate_order) {
    for (choice.l0c_copies = 1; choice.l0c_copies <= most_l0c; ++choice.l0c_copies) {
      for (choice.l0_copies = 1; choice.l0_copies <= most_l0; ++choice.l0_copies) {
        for (choice.unit_flag = 0; choice.unit_flag <= (has_unit_flag ? 1 : 0); ++choice.unit_flag) {
          visit(choice);
        }
      }
    }
  }
}

template <class Visit>
void CubeSteps::ForEach(const SocConfig& soc, Visit&& visit) const {
  CubeChoice c{.base_m = block.m, .base_n = block.n, .base_k = block.k};
  for (const int64_t ka : steps_ka) {
    const int64_t least_a = bytes_a(1, ka);
    if (least_a > soc.l1_bytes) {
      break;
    }
    for (const int64_t kb : steps_kb) {
      const int64_t least_b = bytes_b(1, kb);
      if (least_a + least_b > soc.l1_bytes || std::max(ka, kb) % std::min(ka, kb) != 0 ||
          (may_pair && !may_pair(ka, kb))) {
        continue;  // the tile of a longer step may be smaller
      }
      c.step_ka = ka;
      c.step_kb = kb;
      for (int64_t copies = 0; copies < 4; ++copies) {
        c.l1_copies_a = 1 + copies / 2;
        c.l1_copies_b = 1 + copies % 2;
        for (const int64_t step_m : steps_m) {
          const int64_t all_a = bytes_a(step_m, ka) * c.l1_copies_a;
          if (all_a + least_b * c.l1_copies_b > soc.l1_bytes ||
              (step_m > 1 && ka * c.l1_copies_a < blocks_k)) {
            break;
          }
          c.step_m = step_m;
          for (const int64_t step_n : steps_n) {
            if (step_n > 1 && kb * c.l1_copies_b < blocks_k) {
              break;
            }
            c.step_n = step_n;
            if (all_a + bytes_b(step_n, kb) * c.l1_copies_b <= soc.l1_bytes) {
              ForEachBuffer(c, visit);
            }
          }
        }
      }
    }
  }
}

// The blocks that tasks of a size may be cut in: all that both halves of L0A and L0B hold and that no other
// one gives the same instructions as.
std::vector<CubeSize> BlocksOf(const FilterProblem& problem, const SocConfig& soc,
                               const FilterTaskSize& part);
// How operands of one of them come into L1. The problem must outlive it.
CubeSteps StepsOf(const FilterProblem& problem, const SocConfig& soc, const FilterTaskSize& part,
                  const CubeSize& block);

// The blocks of C that planes of a part may be cut in; their K is not set.
std::vector<CubeSize> BlocksOf(const InputProblem& problem, const SocConfig& soc, const InputPart& part);
// For each baseK of one of them, how operands come into L1.
std::vector<CubeSteps> StepsOf(const InputProblem& problem, const SocConfig& soc, const InputPart& part,
                               const CubeSize& block);

// The blocks that tasks of a matrix product may be cut in, and how operands of one of them come into L1.
std::vector<CubeSize> BlocksOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part);
CubeSteps StepsOf(const SocConfig& soc, int64_t element_bytes, const CubeSize& part, const CubeSize& block);

}  // namespace tilesim

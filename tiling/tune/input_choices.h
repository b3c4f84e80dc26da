#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "formats/units.h"
#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/input_choice.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/tune/input_dealing.h"

namespace tilesim {

// A block of C.
struct InputBase {
  int64_t m = 16, n = 16;
};

// How an input gradient's tile program brings operands into L1 and walks over blocks.
struct InputStepChoice {
  int64_t base_k = 16;
  int64_t lines_a = 1, lines_b = 1;  // of cout in a tile
  int64_t copies_a = 1, copies_b = 1;
  bool m_fast = false;
  int64_t l0c_copies = 1, l0_copies = 1;
};

// How a tile program may work on parts of one size: all that is legal, where two that do the same are one.
// Knows no time.
class InputChoices {
 public:
  // Both must outlive it.
  InputChoices(const InputProblem& problem, const SocConfig& soc);

  [[nodiscard]] std::vector<InputBase> BasesOf(const InputPart& part) const;
  // Calls visit(choice) for each of a block, in a fixed order.
  template <class Visit>
  void ForEach(const InputPart& part, const InputBase& base, Visit&& visit) const;

  // A choice as a number.
  static uint64_t CodeOf(const InputStepChoice& choice);
  static InputStepChoice Decode(uint64_t code);

 private:
  const InputProblem& p_;
  const SocConfig& soc_;
  InputExtents e_;
  std::vector<int64_t> ks_;  // blocks of K
};

template <class Visit>
void InputChoices::ForEach(const InputPart& part, const InputBase& base, Visit&& visit) const {
  const auto bytes = static_cast<int64_t>(SizeOf(p_.dtype));
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const bool orders = part.rows * p_.wi > base.m && part.lines * e_.c0 > base.n;
  InputTiling sized = tilesim::TilingOf(p_, {.rows = part.rows, .lines = part.lines}, {.base_m = base.m});
  const InputL1 l1 = InputL1::Of(sized.data.conv3DDxTiling);
  const int64_t a_line = l1.rows * l1.width * e_.c0 * bytes;
  const int64_t b_line = base.n * line * bytes;
  for (const int64_t k : ks_) {
    const int64_t l0a = AlignUp(base.m, kFractalEdge) * AlignUp(k, kFractalEdge) * bytes;
    const int64_t l0b = AlignUp(base.n, kFractalEdge) * AlignUp(k, kFractalEdge) * bytes;
    if (l0a > soc_.l0a_bytes || l0b > soc_.l0b_bytes) {
      break;
    }
    const int64_t most_l0 = 2 * l0a <= soc_.l0a_bytes && 2 * l0b <= soc_.l0b_bytes ? 2 : 1;
    const int64_t most_l0c = 2 * base.m * base.n * 4 <= soc_.l0c_bytes ? 2 : 1;
    const int64_t granule = std::max<int64_t>(1, k / line);  // lines of cout
    const int64_t most = 2 * e_.cout1_g + granule;
    // of lines that hold all of cout the fewest
    const auto is_least = [&](int64_t lines, int64_t other) {
      const int64_t unit = other < e_.cout1_g ? std::lcm(granule, other) : granule;
      return lines < e_.cout1_g || lines == AlignUp(e_.cout1_g, unit);
    };
    for (int64_t a = granule; a <= most && a * a_line <= soc_.l1_bytes; a += granule) {
      for (int64_t b = granule; b <= most && a * a_line + b * b_line <= soc_.l1_bytes; b += granule) {
        if ((a > b ? a % b : b % a) != 0 || !is_least(a, b) || !is_least(b, a) || a * line > 65535) {
          continue;
        }
        for (int64_t copies = 0; copies < 4; ++copies) {
          InputStepChoice choice{.base_k = k, .lines_a = a, .lines_b = b};
          choice.copies_a = 1 + copies / 2;
          choice.copies_b = 1 + copies % 2;
          if (a * a_line * choice.copies_a + b * b_line * choice.copies_b > soc_.l1_bytes) {
            continue;
          }
          for (int64_t turn = 0; turn < (orders ? 2 : 1); ++turn) {
            choice.m_fast = turn == 1;
            for (choice.l0c_copies = 1; choice.l0c_copies <= most_l0c; ++choice.l0c_copies) {
              for (choice.l0_copies = 1; choice.l0_copies <= most_l0; ++choice.l0_copies) {
                visit(choice);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace tilesim

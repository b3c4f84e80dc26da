#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "tiling/conv_backprop/gradient_capacity.h"
#include "tiling/rejection.h"

namespace tilesim {

// A field of tiling data that may be made smaller, a granule at a time, until the whole fits. Knows no memory
// and no rule: the caller tells what fits.
template <class Tiling>
struct Lever {
  std::string_view name;
  uint32_t Tiling::*field;
  uint32_t granule;
};

template <class Tiling>
using FitsTest = std::function<bool(const Tiling&)>;

// The largest value of one field, in steps of its granule down from its own, with which `fits` holds; 0 if
// none.
template <class Tiling>
uint32_t LargestThatFits(Tiling tiling, const Lever<Tiling>& lever, const FitsTest<Tiling>& fits) {
  constexpr uint32_t kFarTooLarge = 4096;  // of any field: no need to try from further up
  const uint32_t start = std::min(tiling.*lever.field, kFarTooLarge);
  for (uint32_t value = start / lever.granule * lever.granule; value >= lever.granule;
       value -= lever.granule) {
    tiling.*lever.field = value;
    if (fits(tiling)) {
      return value;
    }
  }
  return 0;
}

// "baseK 64 fits": the first lever that alone makes it fit. Failing that, all of them at their least; nothing
// where even that does not fit.
template <class Tiling>
std::optional<std::string> MendBy(std::span<const Lever<Tiling>> levers, const Tiling& tiling,
                                  const FitsTest<Tiling>& fits) {
  for (const Lever<Tiling>& lever : levers) {
    if (const uint32_t value = LargestThatFits(tiling, lever, fits)) {
      return Say(lever.name, " ", value, " fits");
    }
  }
  Tiling least = tiling;
  std::string text;
  for (const Lever<Tiling>& lever : levers) {
    least.*lever.field = std::min(least.*lever.field, lever.granule);
    text += Say(text.empty() ? "" : ", ", lever.name, " ", least.*lever.field);
  }
  return fits(least) ? std::optional(Say(text, " fits")) : std::nullopt;
}

inline constexpr const char* kNoMend =
    "no value of these fields fits; let planner op vary the others too, or give a larger memory";

// Refuses what does not fit L0A, L0B and L0C. `c0`: of K; `c`: what of L0C may be made smaller, its field
// first named by the second; a mend must be one that `is_whole` takes.
template <class Tiling>
void CheckL0(std::string_view section, const Tiling& t, uint32_t c0, const CoreMemory& memory,
             const std::function<CoreDemand(const Tiling&)>& demand_of, const FitsTest<Tiling>& is_whole,
             std::span<const Lever<Tiling>> c, Rejections& reasons) {
  const CoreDemand demand = demand_of(t);
  const auto refuse = [&](std::string_view rule, std::string_view field, int64_t CoreDemand::*bytes,
                          int64_t limit, std::span<const Lever<Tiling>> levers) {
    if (demand.*bytes > limit) {
      const FitsTest<Tiling> fits = [&](const Tiling& trial) {
        return is_whole(trial) && demand_of(trial).*bytes <= limit;
      };
      reasons.push_back({std::string(rule), Say(section, ".", field), demand.*bytes, limit,
                         MendBy(levers, t, fits).value_or(kNoMend)});
    }
  };
  const Lever<Tiling> a[] = {{"baseM", &Tiling::baseM, 16}, {"baseK", &Tiling::baseK, c0}};
  const Lever<Tiling> b[] = {{"baseN", &Tiling::baseN, 16}, {"baseK", &Tiling::baseK, c0}};
  refuse("bytes of L0A for both halves of A", "baseM", &CoreDemand::l0a_bytes, memory.l0a_bytes, a);
  refuse("bytes of L0B for both halves of B", "baseN", &CoreDemand::l0b_bytes, memory.l0b_bytes, b);
  refuse("bytes of L0C for all fp32 results", c[1].name, &CoreDemand::l0c_bytes, memory.l0c_bytes, c);
}

// Of an image whose rows are too long for L1: `field` with the width that would fit, where the kernel has a
// place in so narrow an image.
inline std::string MendOfRows(std::string_view field, int64_t width, int64_t narrowest) {
  return width >= narrowest ? Say(field, " ", width, " fits, as does a kernel that spans fewer rows")
                            : "a kernel that spans fewer rows fits";
}

// The other way: for each of base, step and buffer fields, what `check` says against its being one step
// larger, the rest as it is. Fields that could be larger are left out.
template <class Tiling>
Rejections WhyNotLarger(std::string_view section, const Tiling& t, uint32_t next_base_k,
                        const std::function<Rejections(const Tiling&)>& check) {
  struct Step {
    std::string_view name;
    uint32_t Tiling::*field;
    uint32_t value;
    uint32_t most;
  };
  constexpr uint32_t kAny = UINT32_MAX;
  const std::array<Step, 8> steps = {{
      {"baseM", &Tiling::baseM, t.baseM + 16, kAny},
      {"baseN", &Tiling::baseN, t.baseN + 16, kAny},
      {"baseK", &Tiling::baseK, next_base_k, kAny},
      {"cl0Pbuffer", &Tiling::cl0Pbuffer, t.cl0Pbuffer + 1, 2},
      {"stepKa", &Tiling::stepKa, t.stepKa * 2, kAny},
      {"stepKb", &Tiling::stepKb, t.stepKb * 2, kAny},
      {"al1Pbuffer", &Tiling::al1Pbuffer, t.al1Pbuffer + 1, 2},
      {"bl1Pbuffer", &Tiling::bl1Pbuffer, t.bl1Pbuffer + 1, 2},
  }};
  Rejections reasons;
  for (const Step& step : steps) {
    Tiling larger = t;
    larger.*step.field = step.value;
    const Rejections found = step.value <= step.most ? check(larger) : Rejections();
    if (!found.empty()) {
      reasons.push_back({Say("with ", step.name, " ", step.value, ", ", found.front().rule),
                         Say(section, ".", step.name), found.front().value, found.front().limit,
                         Say(step.name, " ", t.*step.field, " fits"), found.front().kind});
    }
  }
  return reasons;
}

}  // namespace tilesim

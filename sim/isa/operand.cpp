#include "sim/isa/operand.h"

#include <array>
#include <utility>

namespace tilesim::isa {
namespace {

std::array<Repeated, 3> ByStride(const Pattern& pattern) {
  std::array<Repeated, 3> levels = {pattern.inner, pattern.middle, pattern.outer};
  const auto order = [&](size_t i, size_t j) {
    if (levels[j].stride_bytes < levels[i].stride_bytes) {
      std::swap(levels[i], levels[j]);
    }
  };
  order(0, 1);
  order(1, 2);
  order(0, 1);
  return levels;
}

// A block and the levels that repeat it, from the innermost; those left over have a count of 1.
struct Merged {
  uint64_t block_bytes = 0;
  std::array<Repeated, 2> levels;
  size_t num_levels = 0;
  bool with_gaps = false;

  // Repeats what there is so far; strides come in ascending order.
  void Repeat(const Repeated& level) {
    if (num_levels == 0 && level.stride_bytes <= block_bytes) {
      block_bytes += (level.count - 1) * level.stride_bytes;
      return;
    }
    if (num_levels > 0) {
      Repeated& last = levels[num_levels - 1];
      if (level.stride_bytes == last.count * last.stride_bytes) {
        last.count *= level.count;
        return;
      }
    }
    if (num_levels == levels.size()) {
      with_gaps = with_gaps || levels[0].stride_bytes > block_bytes;
      block_bytes += (levels[0].count - 1) * levels[0].stride_bytes;
      levels[0] = levels[1];
      --num_levels;
    }
    levels[num_levels++] = level;
  }
};

// The same for at most one level that repeats; most patterns have no more.
Merged MergedOne(const Pattern& pattern) {
  Merged merged{.block_bytes = pattern.block_bytes, .levels = {}};
  for (const Repeated* level : {&pattern.inner, &pattern.middle, &pattern.outer}) {
    if (level->count > 1) {
      merged.Repeat(*level);
    }
  }
  return merged;
}

Merged MergedAll(const Pattern& pattern) {
  Merged merged{.block_bytes = pattern.block_bytes, .levels = {}};
  for (const Repeated& level : ByStride(pattern)) {
    if (level.count > 1) {
      merged.Repeat(level);
    }
  }
  return merged;
}

}  // namespace

void RefuseRange(Core& core, const char* name, int64_t value, int64_t least, int64_t most, const char* mend) {
  core.Fail(FaultKind::kLimit, name,
            Say(name, " = ", value, ", must be in [", least, ", ", most, "]; ", mend));
}

void RefuseMemory(Core& core, const char* name, const Operand& operand, Memory one, Memory other) {
  core.Fail(
      FaultKind::kMisuse, name,
      Say("is in ", tilesim::Name(operand.memory), ", must be in ", tilesim::Name(one),
          one == other ? "" : " or ", one == other ? "" : tilesim::Name(other), "; there is no such path"));
}

void RepeatOnLevels(Region& region, const Pattern& pattern) {
  if (pattern.inner.count == 0 || pattern.middle.count == 0 || pattern.outer.count == 0) {
    region.block_bytes = 0;
    return;
  }
  const int repeating = static_cast<int>(pattern.inner.count > 1) +
                        static_cast<int>(pattern.middle.count > 1) +
                        static_cast<int>(pattern.outer.count > 1);
  const Merged merged = repeating <= 1 ? MergedOne(pattern) : MergedAll(pattern);
  region.block_bytes = merged.block_bytes;
  region.count = merged.levels[0].count;
  region.stride_bytes = merged.levels[0].stride_bytes;
  region.outer_count = merged.levels[1].count;
  region.outer_stride_bytes = merged.levels[1].stride_bytes;
  region.with_gaps = merged.with_gaps;
}

std::string BeyondTensor(const char* name, const Operand& operand, uint64_t end) {
  return operand.limit == 0 || end <= operand.limit
             ? ""
             : Say("; ", name, " passes the end of its tensor at ", operand.limit, " by ",
                   end - operand.limit,
                   " bytes, which is more than it has: give a smaller count, mask or repeat");
}

}  // namespace tilesim::isa

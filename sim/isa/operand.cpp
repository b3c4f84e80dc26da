#include "sim/isa/operand.h"

#include <array>
#include <utility>

namespace tilesim::isa {

Region RegionOf(const Operand& operand, Use use, const char* name, uint64_t offset_bytes,
                uint64_t block_bytes, Repeated inner, Repeated middle, Repeated outer) {
  std::array<Repeated, 3> levels = {inner, middle, outer};
  const auto by_stride = [&](size_t i, size_t j) {
    if (levels[j].stride_bytes < levels[i].stride_bytes) {
      std::swap(levels[i], levels[j]);
    }
  };
  by_stride(0, 1);
  by_stride(1, 2);
  by_stride(0, 1);
  std::array<Repeated, 2> kept;
  size_t num_kept = 0;
  uint64_t block = block_bytes;
  uint64_t total = 1;
  for (size_t i = 0; i < levels.size(); ++i) {
    const Repeated level = levels[i];
    total *= level.count;
    if (level.count <= 1) {
      continue;
    }
    if (num_kept == 0 && level.stride_bytes <= block) {
      block += (level.count - 1) * level.stride_bytes;
    } else if (num_kept > 0 &&
               level.stride_bytes == kept[num_kept - 1].count * kept[num_kept - 1].stride_bytes) {
      kept[num_kept - 1].count *= level.count;
    } else if (num_kept < kept.size()) {
      kept[num_kept++] = level;
    } else {
      block += (kept[0].count - 1) * kept[0].stride_bytes;
      kept[0] = kept[1];
      kept[1] = level;
    }
  }
  return {.memory = operand.memory,
          .use = use,
          .operand = name,
          .begin = operand.begin + offset_bytes,
          .block_bytes = total == 0 ? 0 : block,
          .count = num_kept > 0 ? kept[0].count : 1,
          .stride_bytes = num_kept > 0 ? kept[0].stride_bytes : 0,
          .outer_count = num_kept > 1 ? kept[1].count : 1,
          .outer_stride_bytes = num_kept > 1 ? kept[1].stride_bytes : 0,
          .align_bytes = AlignBytes(operand.memory),
          .limit = operand.limit};
}

}  // namespace tilesim::isa

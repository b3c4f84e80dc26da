// Regions at random: rows, blocks at a stride, groups that follow each other, interleave or overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>

#include "sim/core/instruction.h"

namespace tilesim {

// Within [begin, begin + bytes), at multiples of 4.
inline Region RandomRegion(std::mt19937& random, uint64_t begin, uint64_t bytes) {
  constexpr uint64_t kBlocks[] = {4, 12, 32, 32, 32, 64, 96, 256};
  constexpr uint64_t kStrides[] = {0, 16, 32, 48, 64, 64, 96, 128, 256, 512, 1024};
  const auto one_of = [&](const auto& values) { return values[random() % std::size(values)]; };
  Region region{.operand = "",
                .begin = 0,
                .block_bytes = one_of(kBlocks),
                .count = 1 + random() % 2 * (random() % 16),
                .stride_bytes = one_of(kStrides),
                .outer_count = 1 + random() % 2 * (random() % 8),
                .outer_stride_bytes = one_of(kStrides)};
  while (region.end() > bytes) {
    (region.outer_count > 1 ? region.outer_count : region.count) -= 1;
  }
  const uint64_t room = bytes - region.end();
  const uint64_t step = random() % 4 == 0 ? 4 : 32;
  region.begin = begin + random() % (std::min<uint64_t>(room, 1024) / step + 1) * step;
  return region;
}

}  // namespace tilesim

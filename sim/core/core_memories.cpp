#include "sim/core/core_memories.h"

#include <algorithm>
#include <limits>

namespace tilesim {
namespace {

constexpr std::byte kPoison{0xFF};  // a NaN in every floating-point type
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A memory that this kind of core has not: nothing.
size_t BytesOf(bool has, int64_t bytes) { return has ? static_cast<size_t>(bytes) : 0; }

}  // namespace

CoreMemories::CoreMemories(const SocConfig& soc, CoreKind kind)
    : l1(BytesOf(kind == CoreKind::kAic, soc.l1_bytes), kPoison),
      l0a(kind == CoreKind::kAic ? soc.l0a_bytes : 0),
      l0b(kind == CoreKind::kAic ? soc.l0b_bytes : 0),
      l0c(BytesOf(kind == CoreKind::kAic, soc.l0c_bytes) / sizeof(float), kNan),
      ub_(BytesOf(kind == CoreKind::kAiv, soc.ub_bytes), kPoison) {}

void L0Memory::Clean(uint64_t bytes) {
  const size_t fractals = std::min<size_t>((bytes + 511) / 512, types_.size());
  std::fill_n(data_.begin(), fractals * kFloats, 0.0F);
  std::fill_n(types_.begin(), fractals, FractalType::kNone);
}

void CoreMemories::CleanUb(uint64_t end) {
  const uint64_t most = std::min(end, ub_left_);
  if (ub_known_ < most) {
    std::fill(ub_.data() + ub_known_, ub_.data() + most, kPoison);
    ub_known_ = most;
  }
}

void CoreMemories::Clean() {
  std::fill_n(l1.begin(), std::min<uint64_t>(Written(Memory::kL1), l1.size()), kPoison);
  const uint64_t not_cleaned = ub_known_ < ub_left_ ? ub_left_ : 0;
  ub_left_ = std::min<uint64_t>(std::max(Written(Memory::kUb), not_cleaned), ub_.size());
  ub_known_ = 0;
  l0a.Clean(Written(Memory::kL0A));
  l0b.Clean(Written(Memory::kL0B));
  const uint64_t floats = (Written(Memory::kL0C) + sizeof(float) - 1) / sizeof(float);
  std::fill_n(l0c.begin(), std::min<uint64_t>(floats, l0c.size()), kNan);
  written_ = {};
}

bool CoreMemories::Fits(const SocConfig& soc, CoreKind kind) const {
  const bool cube = kind == CoreKind::kAic;
  return l1.size() == BytesOf(cube, soc.l1_bytes) && ub_.size() == BytesOf(!cube, soc.ub_bytes) &&
         l0a.num_fractals() == (cube ? soc.l0a_bytes / 512 : 0) &&
         l0b.num_fractals() == (cube ? soc.l0b_bytes / 512 : 0) &&
         l0c.size() == BytesOf(cube, soc.l0c_bytes) / sizeof(float);
}

}  // namespace tilesim

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
    : l0a(kind == CoreKind::kAic ? soc.l0a_bytes : 0),
      l0b(kind == CoreKind::kAic ? soc.l0b_bytes : 0),
      l1_(BytesOf(kind == CoreKind::kAic, soc.l1_bytes), kPoison),
      l0c_(BytesOf(kind == CoreKind::kAic, soc.l0c_bytes) / sizeof(float), kNan),
      bt_(BytesOf(kind == CoreKind::kAic, soc.bt_bytes), kPoison),
      fb_(BytesOf(kind == CoreKind::kAic, soc.fb_bytes), kPoison),
      ub_(BytesOf(kind == CoreKind::kAiv, soc.ub_bytes), kPoison) {}

L0Memory::L0Memory(int64_t bytes)
    : data_(static_cast<size_t>(bytes / 512 * kFloats)), types_(static_cast<size_t>(bytes / 512)) {}

void L0Memory::Clean(uint64_t bytes) {
  const size_t fractals = std::min<size_t>((bytes + 511) / 512, types_.size());
  std::fill_n(data_.data(), fractals * kFloats, 0.0F);
  std::fill_n(types_.begin(), fractals, FractalType::kNone);
}

void CoreMemories::Clean() {
  l1_.Leave(Written(Memory::kL1));
  l0a.Clean(Written(Memory::kL0A));
  l0b.Clean(Written(Memory::kL0B));
  l0c_.Leave(Written(Memory::kL0C));
  bt_.Leave(Written(Memory::kBt));
  fb_.Leave(Written(Memory::kFb));
  ub_.Leave(Written(Memory::kUb));
  reached_ = {};
  written_ = {};
}

bool CoreMemories::Fits(const SocConfig& soc, CoreKind kind) const {
  const bool cube = kind == CoreKind::kAic;
  return l1_.size() == BytesOf(cube, soc.l1_bytes) && ub_.size() == BytesOf(!cube, soc.ub_bytes) &&
         l0a.num_fractals() == (cube ? soc.l0a_bytes / 512 : 0) &&
         l0b.num_fractals() == (cube ? soc.l0b_bytes / 512 : 0) &&
         l0c_.size() == BytesOf(cube, soc.l0c_bytes) / sizeof(float) &&
         bt_.size() == BytesOf(cube, soc.bt_bytes) && fb_.size() == BytesOf(cube, soc.fb_bytes);
}

}  // namespace tilesim

// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include <cstring>

#include "sim/isa/vector_values.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/vector_fill_values.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void Repeat(T value, std::byte* dst, const VectorRun& run) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto all = hn::Set(d, value);
  for (int64_t r = 0; r < run.repeats; ++r) {
    auto* const to = reinterpret_cast<T*>(dst + r * run.step_bytes[0]);
    int64_t i = 0;
    for (; i + lanes <= run.count; i += lanes) {
      hn::StoreU(all, d, to + i);
    }
    for (; i < run.count; ++i) {
      to[i] = value;
    }
  }
}
void RepeatRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run) {
  if (element_bytes == 2) {
    Repeat(static_cast<uint16_t>(bits), dst, run);
  } else {
    Repeat(bits, dst, run);
  }
}

void OnesIn(std::byte* dst, int64_t size_bytes) {
  const hn::ScalableTag<uint64_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (size_bytes % (16 * lanes) != 0) {
    std::memset(dst, 0xFF, static_cast<size_t>(size_bytes));
    return;
  }
  const auto* const words = reinterpret_cast<const uint64_t*>(dst);
  auto even = hn::Set(d, ~uint64_t{0});
  auto odd = even;
  for (int64_t i = 0; i < size_bytes / 8; i += 2 * lanes) {
    even = hn::And(even, hn::LoadU(d, words + i));
    odd = hn::And(odd, hn::LoadU(d, words + i + lanes));
  }
  if (!hn::AllTrue(d, hn::Eq(hn::And(even, odd), hn::Set(d, ~uint64_t{0})))) {
    std::memset(dst, 0xFF, static_cast<size_t>(size_bytes));
  }
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(RepeatRun);
HWY_EXPORT(OnesIn);

}  // namespace

void FillRun(int64_t element_bytes, uint32_t bits, std::byte* dst, const VectorRun& run) {
  HWY_DYNAMIC_DISPATCH(RepeatRun)(element_bytes, bits, dst, run);
}
void SetAllBits(std::byte* dst, int64_t size_bytes) { HWY_DYNAMIC_DISPATCH(OnesIn)(dst, size_bytes); }

}  // namespace tilesim::isa

#endif  // HWY_ONCE

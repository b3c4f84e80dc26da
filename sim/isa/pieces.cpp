// This file compiles itself once for each instruction set (see foreach_target.h) and picks one at run time.
#include "sim/isa/pieces.h"

#include <algorithm>
#include <cstring>

#include "formats/units.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/isa/pieces.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilesim::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kAhead = 8;              // pieces
constexpr int64_t kMostBytesAhead = 1024;  // of one piece; the host sees by itself that a long one goes on

template <FarSide kFar>
HWY_INLINE void FetchAhead(uintptr_t begin, int64_t bytes) {
  constexpr uint64_t kLineBytes = 64;
  const uintptr_t end = begin + static_cast<uintptr_t>(std::min(bytes, kMostBytesAhead));
  for (uintptr_t line = begin / kLineBytes * kLineBytes; line < end; line += kLineBytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(line), kFar == FarSide::kTo ? 1 : 0);
  }
}

// A piece of at least one vector of `D`: whole vectors, the last of which may cover bytes once more.
template <class D>
HWY_INLINE void CopyVectors(D d, const uint8_t* from, uint8_t* to, int64_t bytes) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t at = 0; at + lanes < bytes; at += lanes) {
    hn::StoreU(hn::LoadU(d, from + at), d, to + at);
  }
  hn::StoreU(hn::LoadU(d, from + bytes - lanes), d, to + bytes - lanes);
}

// The last data block of a piece in `to`, full of the first element of the piece.
HWY_INLINE void FillLastBlock(const std::byte* from, std::byte* to, int64_t bytes, int64_t fill_bytes) {
  uint64_t bits = 0;
  switch (fill_bytes) {
    case 1:
      std::memcpy(&bits, from, 1);
      bits *= 0x0101'0101'0101'0101;
      break;
    case 2:
      std::memcpy(&bits, from, 2);
      bits *= 0x0001'0001'0001'0001;
      break;
    case 4:
      std::memcpy(&bits, from, 4);
      bits *= 0x0000'0001'0000'0001;
      break;
    default:
      std::memcpy(&bits, from, 8);
  }
  std::byte* const block = to + (bytes - 1) / kDataBlockBytes * kDataBlockBytes;
  for (int64_t at = 0; at < kDataBlockBytes; at += 8) {
    std::memcpy(block + at, &bits, sizeof(bits));
  }
}

template <FarSide kFar, class Copy>
HWY_INLINE void ForPieces(const std::byte* from, std::byte* to, const Pieces& pieces, int64_t fill_bytes,
                          const Copy& copy) {
  const uint64_t far_step = static_cast<uint64_t>(kFar == FarSide::kTo ? pieces.to_step : pieces.from_step);
  for (int64_t i = 0; i < pieces.count; ++i) {
    const auto far = reinterpret_cast<uintptr_t>(kFar == FarSide::kTo ? to : from);
    if (i + kAhead < pieces.count) {
      FetchAhead<kFar>(far + kAhead * far_step, pieces.bytes);
    }
    if (kFar == FarSide::kTo) {  // of the next move's, often; what that reads is asked for by the core
      FetchAhead<kFar>(far + static_cast<uint64_t>(pieces.bytes), pieces.bytes);
    }
    if (fill_bytes != 0) {
      FillLastBlock(from, to, pieces.bytes, fill_bytes);
    }
    copy(reinterpret_cast<const uint8_t*>(from), reinterpret_cast<uint8_t*>(to));
    from += pieces.from_step;
    to += pieces.to_step;
  }
}

template <FarSide kFar>
void CopyAll(const std::byte* from, std::byte* to, const Pieces& pieces, int64_t fill_bytes) {
  const hn::ScalableTag<uint8_t> d;
  const hn::CappedTag<uint8_t, 16> narrow;
  const int64_t bytes = pieces.bytes;
  constexpr int64_t kMostBytes = 2048;  // beyond, the library's copy is as good
  if (bytes > kMostBytes || bytes < static_cast<int64_t>(hn::Lanes(narrow))) {
    ForPieces<kFar>(from, to, pieces, fill_bytes, [&](const uint8_t* src, uint8_t* dst) HWY_ATTR {
      std::memcpy(dst, src, static_cast<size_t>(bytes));
    });
  } else if (bytes < static_cast<int64_t>(hn::Lanes(d))) {
    ForPieces<kFar>(from, to, pieces, fill_bytes,
                    [&](const uint8_t* src, uint8_t* dst) HWY_ATTR { CopyVectors(narrow, src, dst, bytes); });
  } else {
    ForPieces<kFar>(from, to, pieces, fill_bytes,
                    [&](const uint8_t* src, uint8_t* dst) HWY_ATTR { CopyVectors(d, src, dst, bytes); });
  }
}

void CopyFromFar(const std::byte* from, std::byte* to, const Pieces& pieces, int64_t fill_bytes) {
  CopyAll<FarSide::kFrom>(from, to, pieces, fill_bytes);
}
void CopyToFar(const std::byte* from, std::byte* to, const Pieces& pieces, int64_t fill_bytes) {
  CopyAll<FarSide::kTo>(from, to, pieces, fill_bytes);
}

}  // namespace tilesim::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tilesim::isa {
namespace {

HWY_EXPORT(CopyFromFar);
HWY_EXPORT(CopyToFar);

}  // namespace

void CopyPieces(const std::byte* from, std::byte* to, const Pieces& pieces, FarSide far_side,
                int64_t fill_bytes) {
  if (far_side == FarSide::kFrom) {
    HWY_DYNAMIC_DISPATCH(CopyFromFar)(from, to, pieces, fill_bytes);
  } else {
    HWY_DYNAMIC_DISPATCH(CopyToFar)(from, to, pieces, fill_bytes);
  }
}

}  // namespace tilesim::isa

#endif  // HWY_ONCE

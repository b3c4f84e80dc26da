#include "sim/core/gm_traffic.h"

#include <algorithm>

namespace tilesim {

GmTraffic::GmTraffic(const GmSpace& gm, int64_t l2_bytes) : gm_(gm) {
  uint64_t total = 0;
  for (const GmBuffer& buffer : gm.buffers()) {
    total += buffer.size_bytes;
  }
  fits_l2_ = total <= static_cast<uint64_t>(l2_bytes);
}

GmBytes GmTraffic::TouchRun(Seen& seen, uint64_t begin, uint64_t end) {
  GmBytes bytes;
  for (uint64_t at = begin; at < end;) {
    const uint64_t sector = at >> kSectorShift;
    const uint64_t next = std::min(end, (sector + 1) << kSectorShift);
    uint64_t& word = seen.bits[sector / 64];
    const uint64_t mask = uint64_t{1} << (sector % 64);
    ((word & mask) != 0 ? bytes.hit : bytes.miss) += static_cast<int64_t>(next - at);
    word |= mask;
    at = next;
  }
  return bytes;
}

GmBytes GmTraffic::Touch(const Region& region) {
  GmBytes bytes;
  const GmBuffer* buffer = fits_l2_ ? gm_.Find(region.begin) : nullptr;
  if (buffer == nullptr) {
    bytes.miss = static_cast<int64_t>(region.total_bytes());
  } else {
    seen_.resize(gm_.buffers().size());
    Seen& seen = seen_[static_cast<size_t>(buffer - gm_.buffers().data())];
    if (seen.bits.empty()) {
      seen.bits.assign((buffer->size_bytes >> kSectorShift) / 64 + 2, 0);
    }
    region.ForEachRun([&](uint64_t begin, uint64_t end) {
      // by place in the buffer: times must not depend on where the host put it
      const GmBytes run = TouchRun(seen, begin - buffer->address, end - buffer->address);
      bytes.hit += run.hit;
      bytes.miss += run.miss;
    });
  }
  if (region.use == Use::kRead) {
    read_.hit += bytes.hit;
    read_.miss += bytes.miss;
  }
  return bytes;
}

}  // namespace tilesim

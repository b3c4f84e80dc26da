#include "sim/core/gm_traffic.h"

#include <algorithm>

namespace tilesim {

GmTraffic::GmTraffic(const GmSpace& gm, int64_t l2_bytes) : gm_(gm), seen_(gm.buffers().size()) {
  uint64_t total = 0;
  for (const GmBuffer& buffer : gm.buffers()) {
    total += buffer.size_bytes;
  }
  fits_l2_ = total <= static_cast<uint64_t>(l2_bytes);
}

GmBytes GmTraffic::TouchBlock(Seen& seen, uint64_t begin, uint64_t size_bytes) const {
  GmBytes bytes;
  const uint64_t end = begin + size_bytes;
  for (uint64_t at = begin; at < end;) {
    const uint64_t sector = at >> kSectorShift;
    const uint64_t next = std::min(end, (sector + 1) << kSectorShift);
    const uint64_t bit = sector - seen.first_sector;
    uint64_t& word = seen.bits[bit / 64];
    const uint64_t mask = uint64_t{1} << (bit % 64);
    (fits_l2_ && (word & mask) != 0 ? bytes.hit : bytes.miss) += static_cast<int64_t>(next - at);
    word |= mask;
    at = next;
  }
  return bytes;
}

GmBytes GmTraffic::Touch(const Region& region) {
  const GmBuffer* buffer = gm_.Find(region.begin);
  if (buffer == nullptr) {
    return {.hit = 0, .miss = static_cast<int64_t>(region.total_bytes())};
  }
  Seen& seen = seen_[static_cast<size_t>(buffer - gm_.buffers().data())];
  if (seen.bits.empty()) {
    seen.first_sector = buffer->address >> kSectorShift;
    seen.bits.assign((buffer->size_bytes >> kSectorShift) / 64 + 2, 0);
  }
  GmBytes bytes;
  for (uint64_t outer = 0; outer < region.outer_count; ++outer) {
    for (uint64_t i = 0; i < region.count; ++i) {
      const uint64_t begin = region.begin + outer * region.outer_stride_bytes + i * region.stride_bytes;
      const GmBytes block = TouchBlock(seen, begin, region.block_bytes);
      bytes.hit += block.hit;
      bytes.miss += block.miss;
    }
  }
  if (region.use == Use::kRead) {
    read_.hit += bytes.hit;
    read_.miss += bytes.miss;
  }
  return bytes;
}

}  // namespace tilesim

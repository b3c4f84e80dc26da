#include "sim/core/shared_gm.h"

#include <algorithm>
#include <stdexcept>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {

SharedGm::SharedGm(const SocConfig& soc, const std::vector<uint64_t>& buffer_bytes, const WhatIf& what_if)
    : soc_(soc),
      what_if_(what_if),
      l2_(soc),
      l2_rate_(soc.l2_total_bytes_per_cycle),
      hbm_rate_(soc.hbm_total_bytes_per_cycle) {
  uint64_t place = 0;
  for (const uint64_t bytes : buffer_bytes) {
    places_.push_back(place);
    place = AlignUp(place + bytes, static_cast<uint64_t>(l2_.granule_bytes()));
  }
  if (place <= static_cast<uint64_t>(soc.l2_bytes)) {
    l2_.KeepAll();
  }
}

L2Traffic SharedGm::Touch(const GmPattern& pattern, uint64_t begin, int core) {
  L2Traffic traffic;
  l2_.NextMove();
  const uint64_t place = PlaceOf(pattern, begin);
  pattern.shape.ForEachRun([&](uint64_t from, uint64_t to) {
    l2_.Touch(place + from, place + to, pattern.shape.use, core, traffic);
  });
  return traffic;
}

double SharedGm::L2Load(const L2Traffic& traffic, Use use) const {
  const auto hit = static_cast<double>(traffic.bytes.hit);
  if (use == Use::kAtomic) {  // added by L2, whether it keeps them or not
    return static_cast<double>(traffic.bytes.hit + traffic.bytes.miss) * soc_.l2_total_bytes_per_cycle /
           soc_.l2_atomic_total_bytes_per_cycle;
  }
  const double slower = soc_.l2_total_bytes_per_cycle / soc_.l2_same_total_bytes_per_cycle;
  return hit - static_cast<double>(traffic.shared_bytes) +
         static_cast<double>(traffic.shared_request_bytes) * slower;
}

double SharedGm::WriteBackLoad(int64_t bytes) const {
  return static_cast<double>(bytes) * soc_.hbm_total_bytes_per_cycle / soc_.hbm_write_total_bytes_per_cycle;
}

bool SharedGm::BeginsAtSectors(const GmPattern& pattern, uint64_t begin) const {
  const auto sector = static_cast<uint64_t>(l2_.sector_bytes());
  const Region& shape = pattern.shape;
  return begin % sector == 0 && (shape.count == 1 || shape.stride_bytes % sector == 0) &&
         (shape.outer_count == 1 || shape.outer_stride_bytes % sector == 0);
}

Cost SharedGm::Move(const GmPattern& pattern, uint64_t begin, int core, int64_t start,
                    const GmSharers& sharers, GmUntil& until, GmTime& time) {
  const auto all = static_cast<int64_t>(pattern.shape.total_bytes());
  const GmBytes found{.hit = all, .miss = 0};
  const L2Traffic traffic = what_if_.all_in_l2 ? L2Traffic{.bytes = found} : Touch(pattern, begin, core);
  time.bytes = traffic.bytes;
  Cost cost = Alone(pattern, traffic.bytes, 0);
  const int64_t unshared_cycles = cost.busy_cycles;
  const double part = BeginsAtSectors(pattern, begin) ? 1 : soc_.gm_unaligned_part;
  if (what_if_.even_share > 0) {
    const double share = part * soc_.l2_total_bytes_per_cycle / static_cast<double>(what_if_.even_share);
    const double cycles = L2Load(traffic, pattern.shape.use) / share;
    return Alone(pattern, traffic.bytes, static_cast<int64_t>(cycles));
  }
  if (!what_if_.gm_unshared && unshared_cycles > 0) {
    const auto end = [&](SharedRate& rate, double share, double aligned_bytes) {
      const double bytes = aligned_bytes / part;
      const double own = bytes / static_cast<double>(unshared_cycles);
      return bytes == 0 ? start : rate.Take(start, bytes, std::min(own, share));
    };
    const double l2_share = soc_.l2_total_bytes_per_cycle / static_cast<double>(sharers.l2);
    const double hbm_share = soc_.hbm_total_bytes_per_cycle / static_cast<double>(sharers.hbm);
    const int64_t l2_end = end(l2_rate_, l2_share, L2Load(traffic, pattern.shape.use));
    const int64_t hbm_end = end(hbm_rate_, hbm_share, static_cast<double>(traffic.bytes.miss));
    hbm_rate_.TakeBehind(start, static_cast<double>(traffic.behind_bytes));
    hbm_rate_.TakeBehind(start, WriteBackLoad(traffic.written_back_bytes));
    const int64_t found_end = fetched_[traffic.fetched_by];
    const int64_t rate_cycles = std::max({l2_end, hbm_end, found_end}) - start;
    const int64_t shared_cycles = std::max(rate_cycles, sharers.slice_cycles);
    if (shared_cycles > unshared_cycles) {
      cost = Alone(pattern, traffic.bytes, shared_cycles);
    }
    time.slice_cycles = std::max<int64_t>(0, shared_cycles - std::max(rate_cycles, unshared_cycles));
  }
  fetched_.push_back(traffic.bytes.miss == 0 ? 0 : start + cost.busy_cycles);
  until.l2 = std::max(until.l2, traffic.bytes.hit == 0 ? 0 : start + cost.busy_cycles);
  until.hbm = std::max(until.hbm, traffic.bytes.miss == 0 ? 0 : start + cost.busy_cycles);
  time.alone_cycles = Alone(pattern, found, 0).busy_cycles;
  if (time.alone_cycles > unshared_cycles) {
    throw std::logic_error(Say("sim/core/shared_gm: ", all, " bytes found in L2 take ", time.alone_cycles,
                               " cycles, more than ", unshared_cycles, " where some are not"));
  }
  time.miss_cycles = unshared_cycles - time.alone_cycles;
  time.share_cycles = cost.busy_cycles - unshared_cycles;
  return cost;
}

}  // namespace tilesim

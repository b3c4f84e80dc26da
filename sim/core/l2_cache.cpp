#include "sim/core/l2_cache.h"

#include <algorithm>
#include <bit>

namespace tilesim {
namespace {

constexpr int64_t kRequestBytes = 256;  // PEM: what the cube core's moves ask for at once

// Bits [begin, end) of a word; begin < end <= 64.
uint64_t Bits(int64_t begin, int64_t end) { return ~uint64_t{0} >> (64 - (end - begin)) << begin; }

}  // namespace

L2Cache::L2Cache(const SocConfig& soc)
    : sector_bytes_(soc.l2_sector_bytes),
      sector_shift_(std::countr_zero(static_cast<uint64_t>(soc.l2_sector_bytes))),
      lines_(GroupsOf(static_cast<int>(soc.l2_line_bytes / soc.l2_sector_bytes))),
      requests_(GroupsOf(static_cast<int>(std::max<int64_t>(1, kRequestBytes / soc.l2_sector_bytes)))),
      most_lines_(soc.l2_bytes / soc.l2_line_bytes),
      write_allocate_(soc.l2_write_allocate != 0) {}

L2Cache::Groups L2Cache::GroupsOf(int sectors) {
  Groups groups{.sectors = sectors, .shift = std::countr_zero(static_cast<unsigned>(sectors))};
  for (int bit = 0; bit < kSectors; bit += sectors) {
    groups.begins |= uint64_t{1} << bit;
  }
  return groups;
}

int64_t L2Cache::Groups::CountOf(uint64_t touched) const {
  if (touched == 0) {
    return 0;
  }
  const int first = std::countr_zero(touched);
  const int last = static_cast<int>(kSectors) - 1 - std::countl_zero(touched);
  if (touched == Bits(first, last + 1)) {  // mostly one run
    return (last >> shift) - (first >> shift) + 1;
  }
  for (int bit = 1; bit < sectors; bit *= 2) {
    touched |= touched >> bit;
  }
  return std::popcount(touched & begins);
}

void L2Cache::Touch(uint64_t begin, uint64_t end, Use use, int core, L2Traffic& traffic) {
  const int shift = sector_shift_ + std::countr_zero(static_cast<uint64_t>(kSectors));
  const uint64_t granule = uint64_t{1} << shift;
  const uint64_t needed = (end + granule - 1) >> shift;
  if (granules_.size() < needed) {
    granules_.resize(needed);
    fetches_.resize(granules_.size() * static_cast<size_t>(kSectors / lines_.sectors));
  }
  for (uint64_t index = begin >> shift; index * granule < end; ++index) {
    const uint64_t first = index * granule;
    TouchGranule(static_cast<uint32_t>(index), static_cast<int64_t>(std::max(begin, first) - first),
                 static_cast<int64_t>(std::min(end, first + granule) - first), use, core, traffic);
  }
}

void L2Cache::NoteFetches(uint32_t index, uint64_t found, uint64_t missing, L2Traffic& traffic) {
  uint32_t& latest = granules_[index].fetched_by;
  if (missing == 0 && latest <= traffic.fetched_by) {
    return;
  }
  latest = missing == 0 ? latest : move_;
  const int lines = static_cast<int>(kSectors) >> lines_.shift;
  const uint64_t whole = Bits(0, lines_.sectors);
  uint32_t* const fetches = fetches_.data() + static_cast<size_t>(index) * static_cast<size_t>(lines);
  uint64_t left = found | missing;
  while (left != 0) {
    const int line = std::countr_zero(left) >> lines_.shift;
    const uint64_t sectors = whole << (line * lines_.sectors);
    if ((found & sectors) != 0 && fetches[line] != move_) {  // what it brings itself it does not wait for
      traffic.fetched_by = std::max(traffic.fetched_by, fetches[line]);
    }
    if ((missing & sectors) != 0) {
      fetches[line] = move_;
    }
    left &= ~sectors;
  }
}

void L2Cache::TouchGranule(uint32_t index, int64_t begin, int64_t end, Use use, int core,
                           L2Traffic& traffic) {
  Granule& granule = granules_[index];
  const int64_t first = begin >> sector_shift_;
  const int64_t last = (end - 1) >> sector_shift_;
  const uint64_t touched = Bits(first, last + 1);
  const uint64_t missing = touched & ~granule.present;
  const int64_t fetched = missing == 0         ? 0
                          : missing == touched ? (last + 1 - first) * sector_bytes_
                                               : std::popcount(missing) * sector_bytes_;
  // of the sectors that are missing, without what of the first and last is not touched
  const int64_t missed = fetched - ((missing >> first & 1) != 0 ? begin - first * sector_bytes_ : 0) -
                         ((missing >> last & 1) != 0 ? (last + 1) * sector_bytes_ - end : 0);
  const bool allocates = use == Use::kRead || write_allocate_;
  if (use == Use::kRead) {
    traffic.bytes.hit += end - begin - missed;
    traffic.bytes.miss += fetched;
    if (granule.reader != kNobody && granule.reader != core) {
      traffic.shared_bytes += end - begin - missed;
      traffic.shared_request_bytes +=
          requests_.CountOf(touched & ~missing) * std::max(kRequestBytes, sector_bytes_);
    }
    granule.reader = core;
    NoteFetches(index, touched & ~missing, missing, traffic);
  } else {
    traffic.bytes.hit += allocates ? end - begin : end - begin - missed;
    traffic.bytes.miss += allocates ? 0 : missed;
    traffic.behind_bytes += use == Use::kAtomic ? fetched : 0;
    granule.dirty |= allocates ? touched : touched & granule.present;
  }
  if (allocates && missing != 0) {
    held_lines_ += lines_.CountOf(granule.present | missing) - lines_.CountOf(granule.present);
    granule.present |= missing;
  }
  if (!replaces_) {
    return;
  }
  if (granule.present != 0 && newest_ != index) {
    MakeNewest(index);
  }
  if (held_lines_ > most_lines_) {
    Fit(index, traffic);
  }
}

void L2Cache::Unlink(uint32_t index) {
  Granule& granule = granules_[index];
  if (granule.newer != kNone) {
    granules_[granule.newer].older = granule.older;
  } else if (newest_ == index) {
    newest_ = granule.older;
  }
  if (granule.older != kNone) {
    granules_[granule.older].newer = granule.newer;
  } else if (oldest_ == index) {
    oldest_ = granule.newer;
  }
  granule.newer = granule.older = kNone;
}

void L2Cache::MakeNewest(uint32_t index) {
  Unlink(index);
  granules_[index].older = newest_;
  if (newest_ != kNone) {
    granules_[newest_].newer = index;
  } else {
    oldest_ = index;
  }
  newest_ = index;
}

void L2Cache::Fit(uint32_t keep, L2Traffic& traffic) {
  while (held_lines_ > most_lines_ && oldest_ != keep) {
    const uint32_t index = oldest_;
    Granule& granule = granules_[index];
    Unlink(index);
    held_lines_ -= lines_.CountOf(granule.present);
    traffic.written_back_bytes += std::popcount(granule.dirty) * sector_bytes_;
    granule = {.fetched_by = granule.fetched_by};
  }
}

}  // namespace tilesim

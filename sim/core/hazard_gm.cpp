// What a hazard checker keeps of GM: which bytes were written, and the accesses that other cores may meet.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/core/hazard.h"

namespace tilesim {
namespace {

// Makes `into` hold `more` too where it can: equal, or both one run that touch.
bool Join(ByteRuns& into, const ByteRuns& more) {
  if (into == more) {
    return true;
  }
  if (into.num_runs() != 1 || more.num_runs() != 1 || more.begin > into.end() || more.end() < into.begin) {
    return false;
  }
  const uint64_t end = std::max(into.end(), more.end());
  into.begin = std::min(into.begin, more.begin);
  into.run_bytes = end - into.begin;
  return true;
}

}  // namespace

bool HazardChecker::NeedsWritten(const Region& region) const {
  if (carries_ && region.use == Use::kRead) {
    return false;
  }
  if (region.memory != Memory::kGm) {
    return region.use == Use::kRead && !region.with_gaps;
  }
  const GmBuffer* buffer = region.use == Use::kWrite ? nullptr : gm_.Find(region.begin);
  return buffer != nullptr && !buffer->initialised;
}

uint64_t HazardChecker::FirstUndefined(Memory memory, uint64_t begin, uint64_t end) const {
  const IntervalSet& own = written_[static_cast<size_t>(memory)];
  uint64_t at = begin;
  while (at < end) {  // each step leaves one of the sets behind
    uint64_t next = own.FirstGap(memory == Memory::kGm ? written_gm_.FirstGap(at, end) : at, end);
    if (next == at && memory == Memory::kGm) {
      if (const GmBuffer* const buffer = gm_.Find(at); buffer != nullptr && buffer->unwritten) {
        next = FirstNotStored(*buffer->unwritten, at,
                              std::min(own.FirstIn(at, end), written_gm_.FirstIn(at, end)));
      }
    }
    if (next == at) {
      return at;
    }
    at = next;
  }
  return end;
}

void HazardChecker::NoteWritten(const ByteRuns& bytes) {
  const GmBuffer* buffer = gm_.Find(bytes.begin);
  if (buffer == nullptr || buffer->initialised) {
    return;
  }
  new_written_gm_.push_back(bytes);
  if (new_written_gm_.size() >= sort_written_at_) {
    std::ranges::sort(new_written_gm_);
    new_written_gm_.erase(std::unique(new_written_gm_.begin(), new_written_gm_.end()), new_written_gm_.end());
    settled_written_ = 0;
    sort_written_at_ = std::max(kCompactAt, 2 * new_written_gm_.size());
  }
}

void HazardChecker::SettleWritten() {
  for (; settled_written_ < new_written_gm_.size(); ++settled_written_) {
    new_written_gm_[settled_written_].ForEachRun(
        [this](uint64_t begin, uint64_t end) { written_[static_cast<size_t>(Memory::kGm)].Add(begin, end); });
  }
}

void HazardChecker::Remember(Use use, const ByteRuns& bytes, AccessId id, uint32_t knowledge) {
  if (use != Use::kRead) {
    NoteWritten(bytes);
  }
  const InstructionLog::Entry& now = log_.At(id);
  if (!gm_accesses_.empty()) {
    GmAccess& last = gm_accesses_.back();
    if (last.site == now.site && last.use == use && last.knowledge == knowledge &&
        log_.At(last.id).published == now.published && Join(last.bytes, bytes)) {
      return;
    }
  }
  gm_accesses_.push_back({.bytes = bytes,
                          .use = use,
                          .pipe = now.pipe,
                          .sequence = now.sequence,
                          .site = now.site,
                          .knowledge = knowledge,
                          .id = id,
                          .line = log_.SiteAt(id).where.line});
  if (gm_accesses_.size() >= compact_at_) {
    Compact();
    compact_at_ = std::max(kCompactAt, 2 * gm_accesses_.size());
  }
}

// Accesses that others may learn of at different times are not kept as one.
void HazardChecker::Compact() {
  const auto kind = [this](const GmAccess& access) {
    return std::tuple(access.knowledge, access.use, access.pipe, access.site, log_.At(access.id).published,
                      access.bytes.num_runs());
  };
  std::stable_sort(gm_accesses_.begin(), gm_accesses_.end(), [&](const GmAccess& a, const GmAccess& b) {
    const auto ka = kind(a);
    const auto kb = kind(b);
    return ka != kb ? ka < kb : a.bytes < b.bytes;
  });
  std::vector<GmAccess> merged;
  for (const GmAccess& access : gm_accesses_) {
    if (!merged.empty() && kind(merged.back()) == kind(access) && Join(merged.back().bytes, access.bytes)) {
      GmAccess& last = merged.back();
      if (access.sequence < last.sequence) {
        last.sequence = access.sequence;
        last.id = access.id;
      }
    } else {
      merged.push_back(access);
    }
  }
  gm_accesses_ = std::move(merged);
  DropDominated();
}

// Of accesses of one call to the same bytes, with nothing learnt of other cores between them, the last stands
// for all: what comes after it comes after the others, and they all come after the same.
void HazardChecker::DropDominated() {
  const auto what = [this](size_t i) {
    const GmAccess& access = gm_accesses_[i];
    return std::tuple(access.knowledge, access.use, access.pipe, access.site, access.bytes);
  };
  std::vector<size_t> order(gm_accesses_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    const auto ka = what(a);
    const auto kb = what(b);
    return ka != kb ? ka < kb : gm_accesses_[a].sequence < gm_accesses_[b].sequence;
  });
  std::vector<bool> dominated(order.size());
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    dominated[order[i]] = what(order[i]) == what(order[i + 1]);
  }
  const GmAccess* const first = gm_accesses_.data();
  std::erase_if(gm_accesses_,
                [&](const GmAccess& access) { return dominated[static_cast<size_t>(&access - first)]; });
}

void HazardChecker::SplitGmAccesses() {
  std::vector<GmAccess> runs;
  for (const GmAccess& access : gm_accesses_) {
    access.bytes.ForEachRun([&](uint64_t begin, uint64_t end) {
      runs.push_back(access);
      runs.back().bytes = {.begin = begin, .run_bytes = end - begin};
    });
  }
  gm_accesses_ = std::move(runs);
  Compact();
}

std::vector<ByteRuns> HazardChecker::TakeWrittenGm() {
  if (!finished_) {
    SettleWritten();
  }
  settled_written_ = 0;
  return std::exchange(new_written_gm_, {});
}

}  // namespace tilesim

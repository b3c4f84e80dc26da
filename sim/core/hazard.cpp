#include "sim/core/hazard.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tilesim {
HazardChecker::HazardChecker(std::string core_name, const GmSpace& gm, const IntervalSet& written_gm,
                             bool compiler_syncs)
    : core_name_(std::move(core_name)),
      gm_(gm),
      written_gm_(written_gm),
      compiler_syncs_(compiler_syncs),
      gm_reads_(gm.buffers().size()) {}

void HazardChecker::OnInstruction(const Issued& instruction, const Operands& operands) {
  if (log_.Long()) {
    Retire();
  }
  ordered_in_pipe_ = instruction.ordered_in_pipe;
  const uint32_t published = order_.Published(instruction.pipe);
  const AccessId id = log_.Add(instruction, published, order_.Issue(instruction.pipe));
  // reads first: an instruction that reads what it writes must not meet itself
  for (const bool reads : {true, false}) {
    for (const Region& region : operands) {
      if ((region.use == Use::kRead) == reads) {
        OnRegion(region, id);
      }
    }
  }
}

void HazardChecker::OnRegion(const Region& region, AccessId id) {
  const GmBuffer* buffer = region.memory == Memory::kGm ? gm_.Find(region.begin) : nullptr;
  if (buffer != nullptr) {
    const auto number = static_cast<size_t>(buffer - gm_.buffers().data());
    if (region.use != Use::kRead) {
      Track(number);
    } else if (!gm_reads_[number].tracked && buffer->initialised) {
      gm_reads_[number].waiting.Add({.region = region,
                                     .site = log_.At(id).site,
                                     .knowledge = static_cast<uint32_t>(knowledge_.size() - 1)},
                                    id);
      return;
    }
  }
  region.ForEachRun([&](uint64_t begin, uint64_t end) { OnBlock(region, begin, end, id); });
}

void HazardChecker::Track(size_t buffer) {
  GmBufferReads& reads = gm_reads_[buffer];
  reads.tracked = true;
  const GmReads waiting = std::exchange(reads.waiting, {});
  waiting.ForEach([&](const GmReads::Read& read, AccessId id) {
    read.region.ForEachRun([&](uint64_t begin, uint64_t end) {
      if (!finished_) {
        maps_[static_cast<size_t>(Memory::kGm)].Read(begin, end, log_.At(id).pipe, id);
      }
      Remember(Use::kRead, begin, end, id, read.knowledge);
    });
  });
}

void HazardChecker::Retire() {
  for (auto& [key, repeat] : repeats_) {
    repeat.last = 0;  // a new instruction may get its id
  }
  log_.Retire([this](auto&& use) {
    for (AccessMap& map : maps_) {
      map.ForEachId(use);
    }
    for (GmAccess& access : gm_accesses_) {
      use(access.id);
    }
    for (GmBufferReads& reads : gm_reads_) {
      reads.waiting.ForEachId(use);
    }
  });
}

void HazardChecker::Finish() {
  finished_ = true;
  maps_ = {};
  Compact();
  Retire();
}

size_t HazardChecker::held() const {
  size_t held = log_.size() + gm_accesses_.size();
  for (const GmBufferReads& reads : gm_reads_) {
    held += reads.waiting.size();
  }
  return held;
}

void HazardChecker::OnBlock(const Region& region, uint64_t begin, uint64_t end, AccessId id) {
  AccessMap& map = maps_[static_cast<size_t>(region.memory)];
  const auto pipe = static_cast<size_t>(log_.At(id).pipe);
  const bool writes = region.use != Use::kRead;
  if (region.use != Use::kWrite && NeverWritten(region, begin, end)) {
    Report(FaultKind::kUninitialised, region, begin, end, id, 0, false);
  }
  AccessId writer = 0;
  AccessId reader = 0;
  bool unwritten = false;
  map.Visit(begin, end, [&](uint64_t, AccessMap::Segment& segment) {
    unwritten = unwritten || segment.writer == 0;
    // atomic updates of one core meet in its one FIX or MTE3 pipe, in any order, without harm
    const bool both_atomic = region.use == Use::kAtomic && segment.atomic;
    if (segment.writer != 0 && !both_atomic && Conflicts(segment.writer, true)) {
      writer = segment.writer;
    }
    if (writes) {
      for (size_t p = 0; p < segment.readers.size(); ++p) {
        const AccessId other = segment.readers[p];
        if (other != 0 && other != id && p != pipe && Conflicts(other, false)) {
          reader = other;
        }
      }
    }
  });
  if (region.memory != Memory::kGm && region.use == Use::kRead && unwritten) {
    Report(FaultKind::kUninitialised, region, begin, end, id, 0, false);
  }
  // of two, the one between pipes: what mends it often mends the other
  if (writer != 0 && (reader == 0 || static_cast<size_t>(log_.At(writer).pipe) != pipe)) {
    Report(FaultKind::kHazard, region, begin, end, id, writer, true);
  } else if (reader != 0) {
    Report(FaultKind::kHazard, region, begin, end, id, reader, false);
  }
  if (writes) {
    map.Write(begin, end, id, region.use == Use::kAtomic);
  } else {
    map.Read(begin, end, log_.At(id).pipe, id);
  }
  if (region.memory == Memory::kGm) {
    Remember(region.use, begin, end, id, static_cast<uint32_t>(knowledge_.size() - 1));
  }
}

// Does the newest instruction conflict with an earlier one?
bool HazardChecker::Conflicts(AccessId earlier, bool earlier_wrote) const {
  const InstructionLog::Entry& now = log_.newest();
  const InstructionLog::Entry& before = log_.At(earlier);
  if (&before == &now || order_.Ordered(now.pipe, before.pipe, before.sequence)) {
    return false;
  }
  const Pipe by = now.pipe;
  const Pipe of = before.pipe;
  if (now.unit_flag && before.unit_flag && by != of) {
    return false;
  }
  if (compiler_syncs_ && (by == Pipe::kS || of == Pipe::kS || (by == Pipe::kV && of == Pipe::kV))) {
    return false;
  }
  return by != of || (earlier_wrote && !ordered_in_pipe_);
}

bool HazardChecker::NeverWritten(const Region& region, uint64_t begin, uint64_t end) const {
  if (region.memory != Memory::kGm) {
    return false;
  }
  const GmBuffer* buffer = gm_.Find(begin);
  if (buffer == nullptr || buffer->initialised) {
    return false;
  }
  uint64_t at = begin;
  while (at < end) {  // each step leaves one of the two sets behind
    const uint64_t next = own_written_gm_.FirstGap(written_gm_.FirstGap(at, end), end);
    if (next == at) {
      return true;
    }
    at = next;
  }
  return false;
}

void HazardChecker::Remember(Use use, uint64_t begin, uint64_t end, AccessId id, uint32_t knowledge) {
  if (use != Use::kRead) {
    own_written_gm_.Add(begin, end);
    new_written_gm_.Add(begin, end);
  }
  const InstructionLog::Entry& now = log_.At(id);
  if (!gm_accesses_.empty()) {
    GmAccess& last = gm_accesses_.back();
    if (last.site == now.site && last.use == use && last.knowledge == knowledge &&
        log_.At(last.id).published == now.published && begin <= last.end && end >= last.begin) {
      last.begin = std::min(last.begin, begin);
      last.end = std::max(last.end, end);
      return;
    }
  }
  gm_accesses_.push_back({.begin = begin,
                          .end = end,
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
    return std::tuple(access.knowledge, access.use, access.pipe, access.site, log_.At(access.id).published);
  };
  std::stable_sort(gm_accesses_.begin(), gm_accesses_.end(), [&](const GmAccess& a, const GmAccess& b) {
    const auto ka = kind(a);
    const auto kb = kind(b);
    return ka != kb ? ka < kb : a.begin < b.begin;
  });
  std::vector<GmAccess> merged;
  for (const GmAccess& access : gm_accesses_) {
    if (!merged.empty() && kind(merged.back()) == kind(access) && access.begin <= merged.back().end) {
      GmAccess& last = merged.back();
      last.end = std::max(last.end, access.end);
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
    return std::tuple(access.knowledge, access.use, access.pipe, access.site, access.begin, access.end);
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

const std::vector<GmAccess>& HazardChecker::gm_accesses() {
  Compact();
  return gm_accesses_;
}

IntervalSet HazardChecker::TakeWrittenGm() {
  IntervalSet taken = std::move(new_written_gm_);
  new_written_gm_.clear();
  return taken;
}

}  // namespace tilesim

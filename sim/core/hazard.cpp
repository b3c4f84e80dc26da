#include "sim/core/hazard.h"

#include <utility>

namespace tilesim {
namespace {

constexpr int kGmPageShift = 16;
constexpr int kOnePage = 63;  // memories of a core are small: all of one is a page

}  // namespace

HazardChecker::HazardChecker(std::string core_name, const GmSpace& gm, const IntervalSet& written_gm,
                             bool compiler_syncs)
    : core_name_(std::move(core_name)),
      gm_(gm),
      written_gm_(written_gm),
      compiler_syncs_(compiler_syncs),
      gm_reads_(gm.buffers().size()) {
  for (int memory = 0; memory < kNumMemories; ++memory) {
    histories_.emplace_back(static_cast<Memory>(memory) == Memory::kGm ? kGmPageShift : kOnePage);
  }
}

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
  if (NeedsWritten(region)) {
    SettleWritten();
  }
  AccessHistory& history = histories_[static_cast<size_t>(region.memory)];
  bool clean = true;
  ForEachByteRuns(region, [&](const ByteRuns& bytes) { clean = clean && IsClean(region, bytes); });
  if (!clean) {
    AccessMap* exact = nullptr;
    ForEachByteRuns(region, [&](const ByteRuns& bytes) { exact = &history.Exact(bytes); });
    region.ForEachRun([&](uint64_t begin, uint64_t end) { OnRun(*exact, region, begin, end, id); });
  }
  ForEachByteRuns(region, [&](const ByteRuns& bytes) {
    history.Record({.bytes = bytes, .id = id, .pipe = log_.At(id).pipe, .use = region.use});
    if (region.memory == Memory::kGm) {
      Remember(region.use, bytes, id, static_cast<uint32_t>(knowledge_.size() - 1));
    }
  });
}

void HazardChecker::Track(size_t buffer) {
  GmBufferReads& reads = gm_reads_[buffer];
  reads.tracked = true;
  const GmReads waiting = std::exchange(reads.waiting, {});
  waiting.ForEach([&](const GmReads::Read& read, AccessId id) {
    ForEachByteRuns(read.region, [&](const ByteRuns& bytes) {
      if (!finished_) {
        histories_[static_cast<size_t>(Memory::kGm)].Record(
            {.bytes = bytes, .id = id, .pipe = log_.At(id).pipe, .use = Use::kRead});
      }
      Remember(Use::kRead, bytes, id, read.knowledge);
    });
  });
}

void HazardChecker::Retire() {
  for (auto& [key, repeat] : repeats_) {
    repeat.last = 0;  // a new instruction may get its id
  }
  log_.Retire([this](auto&& use) {
    for (AccessHistory& history : histories_) {
      history.ForEachId(use);
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
  for (AccessHistory& history : histories_) {
    history.clear();
  }
  Compact();
  Retire();
}

size_t HazardChecker::held() const {
  size_t held = log_.size() + gm_accesses_.size();
  for (const GmBufferReads& reads : gm_reads_) {
    held += reads.waiting.size();
  }
  for (const AccessHistory& history : histories_) {
    held += history.waiting();
  }
  return held;
}

bool HazardChecker::IsClean(const Region& region, const ByteRuns& bytes) const {
  const AccessHistory& history = histories_[static_cast<size_t>(region.memory)];
  const bool writes = region.use != Use::kRead;
  Found found;
  bool unwritten = false;
  history.map().ForMeeting(bytes, [&](const AccessMap::Segment& segment) {
    unwritten = unwritten || segment.writer == 0;
    FindConflicts(segment, region.use, found);
  });
  bool clean = found.writer == 0 && found.reader == 0;
  history.ForWaiting(bytes, [&](const AccessHistory::Waiting& earlier) {
    const bool wrote = earlier.use != Use::kRead;
    unwritten = unwritten && !(wrote && Covers(earlier.bytes, bytes));
    const bool both_atomic = region.use == Use::kAtomic && earlier.use == Use::kAtomic;
    clean = clean && !((writes || wrote) && !both_atomic && Conflicts(earlier.id, wrote) &&
                       Meet(earlier.bytes, bytes));
  });
  if (region.memory != Memory::kGm) {
    return clean && !(unwritten && !writes);
  }
  if (clean && NeedsWritten(region)) {
    bytes.ForEachRun([&](uint64_t begin, uint64_t end) { clean = clean && !NeverWritten(begin, end); });
  }
  return clean;
}

void HazardChecker::FindConflicts(const AccessMap::Segment& segment, Use use, Found& found) const {
  // atomic updates of one core meet in its one FIX or MTE3 pipe, in any order, without harm
  const bool both_atomic = use == Use::kAtomic && segment.atomic;
  if (segment.writer != 0 && !both_atomic && Conflicts(segment.writer, true)) {
    found.writer = segment.writer;
  }
  if (use != Use::kRead) {
    for (const AccessId reader : segment.readers) {
      if (reader != 0 && Conflicts(reader, false)) {
        found.reader = reader;
      }
    }
  }
}

void HazardChecker::OnRun(AccessMap& exact, const Region& region, uint64_t begin, uint64_t end, AccessId id) {
  const Pipe pipe = log_.At(id).pipe;
  if (NeedsWritten(region) && NeverWritten(begin, end)) {
    Report(FaultKind::kUninitialised, region, begin, end, id, 0, false);
  }
  Found found;
  bool unwritten = false;
  exact.Visit(begin, end, [&](uint64_t, const AccessMap::Segment& segment) {
    unwritten = unwritten || segment.writer == 0;
    FindConflicts(segment, region.use, found);
  });
  if (region.memory != Memory::kGm && region.use == Use::kRead && unwritten) {
    Report(FaultKind::kUninitialised, region, begin, end, id, 0, false);
  }
  // of two, the one between pipes: what mends it often mends the other
  if (found.writer != 0 && (found.reader == 0 || log_.At(found.writer).pipe != pipe)) {
    Report(FaultKind::kHazard, region, begin, end, id, found.writer, true);
  } else if (found.reader != 0) {
    Report(FaultKind::kHazard, region, begin, end, id, found.reader, false);
  }
  if (region.use == Use::kRead) {
    exact.Read(begin, end, pipe, id);
  } else {
    exact.Write(begin, end, id, region.use == Use::kAtomic);
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

}  // namespace tilesim

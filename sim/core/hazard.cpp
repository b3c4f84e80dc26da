#include "sim/core/hazard.h"

#include <utility>

namespace tilesim {
HazardChecker::HazardChecker(std::string core_name, const GmSpace& gm, const IntervalSet& written_gm,
                             bool compiler_syncs, bool carries)
    : core_name_(std::move(core_name)),
      gm_(gm),
      written_gm_(written_gm),
      compiler_syncs_(compiler_syncs),
      carries_(carries),
      gm_reads_(gm.buffers().size()) {}

void HazardChecker::OnInstruction(const Issued& instruction, const Operands& operands) {
  if (log_.Long()) {
    Retire();
  }
  ordered_in_pipe_ = instruction.ordered_in_pipe;
  const uint32_t published = order_.Published(instruction.pipe);
  const AccessId id = log_.Add(instruction, published, order_.Issue(instruction.pipe));
  if (result_use_) {
    OnResult(*result_use_, id);
    result_use_.reset();
  }
  // reads first: an instruction that reads what it writes must not meet itself
  for (const bool reads : {true, false}) {
    for (const Region& region : operands) {
      if ((region.use == Use::kRead) == reads && !region.by_rule) {
        OnRegion(region, id);
      }
    }
  }
  if (outcome_) [[unlikely]] {
    ApplyOutcome(id);
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
  const bool writes = region.use != Use::kRead;
  if (region.memory == Memory::kGm && NeedsWritten(region)) {
    SettleWritten();
  }
  const auto memory = static_cast<size_t>(region.memory);
  AccessHistory& history = histories_[memory];
  IntervalSet& written = written_[memory];
  bool clean = true;
  ForEachByteRuns(region, [&](const ByteRuns& bytes) { clean = clean && IsClean(region, bytes); });
  if (!clean) {
    AccessMap exact = history.Exact(region.begin, region.end());
    region.ForEachRun([&](uint64_t begin, uint64_t end) { OnRun(exact, region, begin, end, id); });
  }
  const InstructionLog::Entry& now = log_.At(id);
  ForEachByteRuns(region, [&](const ByteRuns& bytes) {
    const AccessHistory::Access access{.bytes = bytes, .use = region.use};
    if (region.memory == Memory::kGm) {
      Remember(region.use, bytes, id, static_cast<uint32_t>(knowledge_.size() - 1));
    } else if (writes && !written.Holds(bytes.begin, bytes.end()) &&
               (undefined_.any() || !history.Has(now.pipe, access))) {
      bytes.ForEachRun([&](uint64_t begin, uint64_t end) { written.Add(begin, end); });
    }
    history.Record(now.pipe, access, id, now.sequence);
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
            log_.At(id).pipe, {.bytes = bytes, .use = Use::kRead}, id, log_.At(id).sequence);
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
    for (AccessId& writer : result_writers_) {
      if (writer != 0) {
        use(writer);
      }
    }
  });
}

void HazardChecker::Finish() {
  finished_ = true;
  for (AccessHistory& history : histories_) {
    history.clear();
  }
  result_writers_.fill(0);
  Compact();
  Retire();
}

size_t HazardChecker::held() const {
  size_t held = log_.size() + gm_accesses_.size();
  for (const GmBufferReads& reads : gm_reads_) {
    held += reads.waiting.size();
  }
  for (const AccessHistory& history : histories_) {
    held += history.size();
  }
  return held;
}

bool HazardChecker::IsClean(const Region& region, const ByteRuns& bytes) const {
  const AccessHistory& history = histories_[static_cast<size_t>(region.memory)];
  const Pipe by = log_.newest().pipe;
  const auto conflicts = [&](const AccessHistory::Access& earlier, AccessId id) {
    const bool wrote = earlier.use != Use::kRead;
    const bool both_atomic = region.use == Use::kAtomic && earlier.use == Use::kAtomic;
    return (region.use != Use::kRead || wrote) && !both_atomic && Meet(earlier.bytes, bytes) &&
           Conflicts(id, wrote);
  };
  for (int pipe = 0; pipe < kNumPipes; ++pipe) {
    const auto of = static_cast<Pipe>(pipe);
    if (!OrderedByItself(by, of) && history.AnyAfter(of, order_.Known(by, of), conflicts)) {
      return false;
    }
  }
  return !NeedsWritten(region) || IsWritten(region, bytes);
}

bool HazardChecker::IsWritten(const Region& region, const ByteRuns& bytes) const {
  if (!NeverWritten(region.memory, bytes.begin, bytes.end())) {
    return true;
  }
  bool written = true;
  bytes.ForEachRun(
      [&](uint64_t begin, uint64_t end) { written = written && !NeverWritten(region.memory, begin, end); });
  return written;
}

void HazardChecker::FindConflicts(const AccessMap::Segment& segment, Use use, Found& found) const {
  // atomic updates of one core meet in its one FIX or MTE3 pipe, in any order, without harm
  const bool both_atomic = use == Use::kAtomic && segment.atomic;
  if (segment.writer > found.writer && !both_atomic && Conflicts(segment.writer, true)) {
    found.writer = segment.writer;
  }
  if (use != Use::kRead) {
    for (const AccessId reader : segment.readers) {
      if (reader > found.reader && Conflicts(reader, false)) {
        found.reader = reader;
      }
    }
  }
}

void HazardChecker::OnRun(AccessMap& exact, const Region& region, uint64_t begin, uint64_t end, AccessId id) {
  const Pipe pipe = log_.At(id).pipe;
  if (NeedsWritten(region) && NeverWritten(region.memory, begin, end)) {
    Report(FaultKind::kUninitialised, region, begin, end, id, 0, false);
  }
  Found found;
  exact.Visit(begin, end, [&](uint64_t, const AccessMap::Segment& segment) {
    FindConflicts(segment, region.use, found);
  });
  // Of two, the one between pipes, which a reader always is, and of two such the later: what orders it often
  // orders the other, too.
  if (found.writer != 0 &&
      (found.reader == 0 || (log_.At(found.writer).pipe != pipe && found.writer > found.reader))) {
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
  return !OrderedByItself(by, of) && (by != of || earlier_wrote);
}

bool HazardChecker::OrderedByItself(Pipe by, Pipe of) const {
  return (by == of && ordered_in_pipe_) ||
         (compiler_syncs_ && (by == Pipe::kS || of == Pipe::kS || (by == Pipe::kV && of == Pipe::kV)));
}

}  // namespace tilesim

// What a hazard checker says of what it found.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "sim/core/hazard.h"

namespace tilesim {
namespace {

constexpr size_t kMaxFaults = 64;  // distinct ones of a core; more are counted, not kept

// The operand of the other access that conflicts is not kept; that it wrote or read is.
const char* PastVerb(bool wrote) { return wrote ? "writes" : "reads"; }

}  // namespace

const char* Verb(Use use) {
  return use == Use::kRead ? "reads" : use == Use::kWrite ? "writes" : "atomically updates";
}

std::string TileLabel::Text() const {
  std::string text;
  for (size_t i = 0; i < 3 && names[i] != nullptr; ++i) {
    text += Say(i == 0 ? "" : ", ", names[i], " ", indices[i]);
  }
  return text;
}

void HazardChecker::Report(FaultKind kind, const Region& region, uint64_t begin, uint64_t end, AccessId id,
                           AccessId earlier, bool earlier_wrote) {
  const SourceLine here = log_.SiteAt(id).where;
  const SourceLine other = earlier == 0 ? SourceLine{} : log_.SiteAt(earlier).where;
  const std::string key = Say(static_cast<int>(kind), here.file, here.line, other.file, other.line,
                              Name(region.memory), region.operand, earlier_wrote);
  Fault* const fault = NewFault(kind, key, region, id);
  if (fault == nullptr) {
    return;
  }
  const std::string place = PlaceOf(region.memory, begin, end);
  if (kind == FaultKind::kUninitialised) {
    fault->what =
        Say(Verb(region.use), " ", place, " of which at least one was never written; fill them first",
            region.use == Use::kAtomic ? ", or call SetAtomicNone if they are to be written only" : "",
            DroppedBy(region.memory, begin, end));
  } else {
    const std::string calls =
        region.memory == Memory::kGm || !ordering_calls_
            ? ""
            : ordering_calls_(region.memory, begin, end, log_.At(earlier).pipe, log_.At(id).pipe);
    fault->what = Say(Verb(region.use), " ", place, " ", Unordered(id, earlier, earlier_wrote, calls));
  }
}

std::string HazardChecker::Unordered(AccessId id, AccessId earlier, bool earlier_wrote,
                                     const std::string& calls) const {
  const Pipe by = log_.At(id).pipe;
  const Pipe of = log_.At(earlier).pipe;
  return Say("that ", Describe(earlier), " ", PastVerb(earlier_wrote), ", and nothing orders the two: needs ",
             !calls.empty() ? calls
             : of == by     ? Say("a PipeBarrier<PIPE_", Name(of), ">")
                            : Say("SetFlag/WaitFlag<", Name(of), "_", Name(by), ">"),
             " between them");
}

// Only a read can come too early: the scalar unit waits for what it reads before it issues more.
void HazardChecker::OnResult(const ResultUse& use, AccessId id) {
  AccessId& writer = result_writers_[static_cast<size_t>(use.result)];
  if (use.use != Use::kRead) {
    writer = id;
    undefined_.result(use.result) = {};  // until its outcome says otherwise
    return;
  }
  if (!use.carries && undefined_.result(use.result).bits != 0) [[unlikely]] {
    ReportEmptyResult(use.result, id);
  }
  if (writer == 0 || !Conflicts(writer, true)) {
    return;
  }
  const SourceLine here = log_.SiteAt(id).where;
  const SourceLine other = log_.SiteAt(writer).where;
  const std::string key = Say("result", here.file, here.line, other.file, other.line, Name(use.result));
  if (Fault* const fault = NewFault(key, FaultAt(id, FaultKind::kHazard, ""), id)) {
    fault->what = Say("reads ", Name(use.result), " ", Unordered(id, writer, true, ""));
  }
}

void HazardChecker::ReportEmptyResult(ResultRegister result, AccessId id) {
  const SourceLine here = log_.SiteAt(id).where;
  const std::string origin = undefined_.TextOf(undefined_.result(result).origin);
  const std::string key = Say("empty result", here.file, here.line, Name(result), origin);
  if (Fault* const fault = NewFault(key, FaultAt(id, FaultKind::kUninitialised, ""), id)) {
    fault->what = Say("bits of ", Name(result), " go to the scalar unit and hold no value: ", origin);
  }
}

Fault* HazardChecker::NewFault(FaultKind kind, const std::string& key, const Region& region, AccessId id) {
  Fault* const fault = NewFault(key, FaultAt(id, kind, region.operand), id);
  if (fault != nullptr) {
    fault->operand = Say(region.operand, " (", Name(region.memory), ")");
  }
  return fault;
}

Fault* HazardChecker::NewFault(const std::string& key, Fault fault, AccessId id) {
  const auto [repeat, is_new] =
      repeats_.try_emplace(key, Repeat{.fault = faults_.size(), .count = 0, .last = 0});
  repeat->second.count += repeat->second.last == id ? 0 : 1;
  repeat->second.last = id;
  if (!is_new || faults_.size() >= kMaxFaults) {
    return nullptr;
  }
  faults_.push_back(std::move(fault));
  return &faults_.back();
}

void HazardChecker::ReportUse(const UndefinedOutcome::Use& use, AccessId id) {
  const SourceLine here = log_.SiteAt(id).where;
  const std::string origin = undefined_.TextOf(use.origin);
  const std::string key =
      Say("use", here.file, here.line, Name(use.region.memory), use.region.operand, use.how, origin);
  if (Fault* const fault = NewFault(FaultKind::kUninitialised, key, use.region, id)) {
    fault->what = TextOf(use.region.memory, use);
  }
}

std::string HazardChecker::TextOf(Memory memory, const UndefinedOutcome::Use& use) const {
  const std::string origin = undefined_.TextOf(use.origin);
  return Say(PlaceOf(memory, use.begin, use.end), " ", use.how,
             " and hold no value: ", origin.empty() ? "they were never written; fill them first" : origin,
             DroppedBy(memory, use.begin, use.end));
}

std::string HazardChecker::WithoutValue(Memory memory, uint64_t begin, uint64_t end, const char* how) const {
  std::string text;
  ForEachUndefined(memory, begin, end, [&](uint64_t from, uint64_t to) {
    if (text.empty()) {
      text = TextOf(
          memory,
          {.region = {}, .begin = from, .end = to, .origin = undefined_.OriginOf(memory, from), .how = how});
    }
  });
  return text;
}

std::string HazardChecker::PlaceOf(Memory memory, uint64_t begin, uint64_t end) const {
  return memory == Memory::kGm ? GmPlace(begin, end) : Say(Name(memory), " bytes [", begin, ", ", end, ")");
}

std::string HazardChecker::DroppedBy(Memory memory, uint64_t begin, uint64_t end) const {
  for (const auto& [first, dropped] : dropped_) {
    const uint64_t from = std::max(first.second, begin);
    const uint64_t to = std::min(dropped.end, end);
    if (first.first == memory && from < to && NeverWritten(memory, from, to)) {
      return Say(
          "; ", dropped.call, " (", dropped.where.file, ":", dropped.where.line, ") was asked for ",
          PlaceOf(memory, from, to),
          ", too, and dropped them: a count moves whole blocks only; use DataCopyPad or a larger count");
    }
  }
  return "";
}

std::string HazardChecker::Describe(AccessId id) const {
  const InstructionLog::Entry& logged = log_.At(id);
  const InstructionLog::Site& site = log_.SiteAt(id);
  std::string text = Say(site.name, " on ", Name(logged.pipe), " (", site.where.file, ":", site.where.line);
  const std::string tile = log_.TileAt(id).Text();
  return text + (tile.empty() ? ")" : Say(", tile ", tile, ")"));
}

Fault HazardChecker::FaultAt(AccessId id, FaultKind kind, const char* operand) const {
  const InstructionLog::Entry& logged = log_.At(id);
  return {.kind = kind,
          .core = core_name_,
          .pipe = std::string(Name(logged.pipe)),
          .instruction = log_.SiteAt(id).name,
          .operand = operand,
          .tile = log_.TileAt(id).Text(),
          .run = logged.run,
          .where = log_.SiteAt(id).where,
          .what = ""};
}

std::vector<Fault> HazardChecker::TakeFaults() {
  for (const auto& [key, repeat] : repeats_) {
    if (repeat.count > 1 && repeat.fault < faults_.size()) {
      faults_[repeat.fault].what += Say(" (", repeat.count, " times)");
    }
  }
  repeats_.clear();
  return std::move(faults_);
}

}  // namespace tilesim

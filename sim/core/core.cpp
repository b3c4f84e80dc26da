#include "sim/core/core.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "sim/core/core_parts.h"
#include "sim/core/core_tasks.h"
#include "sim/core/cross_core.h"
#include "sim/core/recording.h"
#include "sim/core/replay.h"
#include "sim/core/undefined_run.h"

namespace tilesim {

Core::Parts::Parts(const SocConfig& soc, const GmSpace& gm_space, const IntervalSet& written_gm,
                   const CoreIdentity& identity, const RunMode& mode)
    : memories(mode.values ? TakeMemories(soc, identity.kind) : nullptr) {
  if (mode.hazards) {
    const bool compiler_syncs = identity.kind != CoreKind::kAic && !mode.strict_sync;
    hazards = std::make_unique<HazardChecker>(identity.Name(), gm_space, written_gm, compiler_syncs,
                                              mode.values && mode.follows_undefined);
  }
}

Core::Core(const SocConfig& soc, const GmSpace& gm, const IntervalSet& written_gm,
           const CoreIdentity& identity, const RunMode& mode)
    : parts_(new Parts(soc, gm, written_gm, identity, mode)),
      soc_(soc),
      gm_space_(gm),
      identity_(identity),
      mode_(mode),
      memories_(parts_->memories.get()),
      gm_(&parts_->gm),
      recording_(&parts_->recording),
      scalar_cache_(&parts_->scalar_cache),
      hazards_(parts_->hazards.get()) {
  const bool cube = identity.kind == CoreKind::kAic;
  for (int m = 0; m < kNumMemories; ++m) {
    const auto memory = static_cast<Memory>(m);
    if (memory == Memory::kGm || (memory == Memory::kUb) != cube) {
      reach_bytes_[static_cast<size_t>(m)] = static_cast<uint64_t>(CapacityBytes(memory));
    }
  }
  registers_.ieee = soc.numerics_ieee != 0;
  SetObserver(nullptr);
}

Core::~Core() = default;

void Core::Attach(Attachment* attachment) {
  assert(attachment_.get() == nullptr);
  attachment_.Own(attachment);
  if (hazards_ != nullptr) {
    hazards_->AskForCalls([attachment](Memory memory, uint64_t begin, uint64_t end, Pipe of, Pipe by) {
      return attachment->OrderingCalls(memory, begin, end, of, by);
    });
  }
}

void Core::ReleaseMemories() {
  memories_ = nullptr;
  GiveBack(std::move(parts_->memories));
}

int64_t Core::CapacityBytes(Memory memory) const {
  switch (memory) {
    case Memory::kL1:
      return soc_.l1_bytes;
    case Memory::kL0A:
      return soc_.l0a_bytes;
    case Memory::kL0B:
      return soc_.l0b_bytes;
    case Memory::kL0C:
      return soc_.l0c_bytes;
    case Memory::kUb:
      return soc_.ub_bytes;
    case Memory::kBt:
      return soc_.bt_bytes;
    case Memory::kFb:
      return soc_.fb_bytes;
    case Memory::kGm:
      break;
  }
  return std::numeric_limits<int64_t>::max();
}

std::string Core::InstructionInHand() const {
  const bool is_step = steps_of_.name != nullptr && std::string_view(steps_of_.name) != current_.name;
  return is_step ? Say(current_.name, " of ", steps_of_.name) : current_.name;
}

Fault Core::MakeFault(FaultKind kind, const char* operand, std::string what) const {
  return {.kind = kind,
          .core = identity_.Name(),
          .pipe = std::string(tilesim::Name(current_.pipe)),
          .instruction = InstructionInHand(),
          .operand = operand,
          .tile = tile_.Text(),
          .run = issued_,
          .where = current_.where,
          .what = std::move(what)};
}

void Core::Fail(FaultKind kind, const char* operand, std::string what) {
  throw KernelFault(MakeFault(kind, operand, std::move(what)));
}

void Core::NoteWithoutEffect(const char* call, SourceLine where) {
  if (!parts_->without_effect.insert({call, where.file, where.line}).second) {
    return;
  }
  const bool cube = identity_.kind == CoreKind::kAic;
  std::string what =
      Say(call, " (", where.file, ":", where.line, ") does nothing: it is for ", cube ? "vector" : "cube",
          " cores, and this kernel, which is ", tilesim::Name(identity_.launched_as), ", runs on ",
          cube ? "cube" : "vector", " cores only; launch it as a type that has both, or leave the call out");
  parts_->notices.push_back(std::move(what));
}

std::vector<std::string> Core::TakeNotices() { return std::move(parts_->notices); }

void Core::NoteDropped(Memory memory, uint64_t begin, uint64_t end) {
  const std::string call = Say(current_.name, " (", current_.where.file, ":", current_.where.line, ")");
  if (parts_->dropping.insert(call).second) {
    parts_->notices.push_back(
        Say(call,
            " leaves out the last bytes of its count, which fill no whole block; give a count "
            "of whole blocks, or call DataCopyPad where one side is GM"));
  }
  if (hazards_ != nullptr) {
    hazards_->NoteDropped(memory, begin, end, current_.name, current_.where);
  }
}

namespace {

// Kept of a core's prints, so that a kernel that prints in an endless loop fills no more.
constexpr size_t kMostPrintedBytes = 1 << 20;

}  // namespace

void Core::Print(const std::string& text, const std::string& prefix) {
  const bool is_full = printed_.size() >= kMostPrintedBytes;
  for (size_t begin = is_full ? text.size() : 0; begin < text.size();) {
    const size_t line_end = text.find('\n', begin);
    const size_t end = line_end == std::string::npos ? text.size() : line_end + 1;
    if (printed_.empty() || printed_.back() == '\n') {
      printed_ += prefix;
    }
    printed_.append(text, begin, end - begin);
    begin = end;
  }
  if (!is_full && printed_.size() >= kMostPrintedBytes) {
    printed_.resize(kMostPrintedBytes);
    printed_ += Say(printed_.back() == '\n' ? "" : "\n", prefix,
                    "what this core prints from here on is cut: ", kMostPrintedBytes,
                    " bytes of a core's prints are kept\n");
  }
  __atomic_store_n(&prints_, prints_ + 1, __ATOMIC_RELAXED);
  Watch(false);
}

std::string Core::TakePrinted() { return std::move(printed_); }

void Core::Note(Fault fault) { noted_.push_back(std::move(fault)); }

std::vector<Fault> Core::TakeNoted() { return std::move(noted_); }

void Core::ClearUnitFlags() { unit_flags_.assign(unit_flags_.size(), false); }

void Core::SetMostRecordedBytes(uint64_t bytes) { recording_->SetMostBytes(bytes); }

Recording Core::TakeRecording() { return std::exchange(*recording_, {}); }

void Core::RecordScalar(int64_t cycles) {
  Record([&](Recording& recording) { recording.Scalar(cycles); });
}

bool Core::ListTask(const CoreTask& task) {
  return tasks_->Begin(task, recording_->size(), recording_->moves());
}

int64_t Core::CyclesAlone() const {
  if (!mode_.time) {
    return statistics_.TotalInstructions();
  }
  LaunchRecording alone{.cores = {identity_}, .recordings = {*recording_}, .buffer_bytes = {}};
  for (const GmBuffer& buffer : gm_space_.buffers()) {
    alone.buffer_bytes.push_back(buffer.size_bytes);
  }
  return Replay(alone, soc_, {.never_waits_for_others = true}).cores.front().scalar_cycle;
}

void Core::NoteMoves(const Operands& operands) {
  const Pipe pipe = current_.pipe;
  if (identity_.kind != CoreKind::kAiv || (pipe != Pipe::kMte2 && pipe != Pipe::kMte3)) {
    return;
  }
  VectorRegisters& vector = registers_.vector;
  for (const Region& region : operands) {
    if (region.memory == Memory::kUb) {
      (pipe == Pipe::kMte2 ? vector.moved_by_mte2 : vector.moved_by_mte3).Add(region.begin, region.end());
    }
  }
}

void Core::RefuseAddress(const Region& region) {
  Fail(FaultKind::kAlignment, region.operand,
       Say("its address ", region.begin, " in ", tilesim::Name(region.memory), " must be a multiple of ",
           region.align_bytes, " bytes; the nearest below is ",
           region.begin / region.align_bytes * region.align_bytes));
}

void Core::RefuseOperand(const Region& region, uint64_t capacity, uint64_t limit) {
  Require(capacity != 0, FaultKind::kMisuse, region.operand, "lies in ", tilesim::Name(region.memory),
          ", which an ", tilesim::Name(identity_.kind), " core does not have");
  const std::string passed =
      Say("bytes [", region.begin, ", ", region.end(), ") of ", tilesim::Name(region.memory),
          " pass the end of ", limit == capacity ? "the memory" : "the tensor's buffer", " at ", limit,
          " by ", region.end() - limit, " bytes; make the buffer larger or the move smaller");
  if (region.end() > capacity || region.end() < region.begin) {
    Fail(FaultKind::kBounds, region.operand, passed);
  }
  NoteBeyondTensor(region, passed);
}

void Core::NoteBeyondTensor(const Region& region, std::string what) {
  std::string call = Say(current_.where.file, ':', current_.where.line, current_.name, region.operand);
  if (parts_->beyond_tensor.insert(std::move(call)).second) {
    Note(MakeFault(FaultKind::kBounds, region.operand, std::move(what)));
  }
}

void Core::FailIdle() {
  Fail(FaultKind::kDeadlock, "",
       Say("no store to GM and no flag between cores in the last ", watchdog_, " instructions",
           prints_ > 0 ? " and prints" : "",
           ": this core waits in a loop for what never comes, or needs a higher --watchdog"));
}

void Core::RefuseOtherScalarCache(uint64_t begin, uint64_t end) {
  for (const ScalarWrites& writes : *scalar_writes_) {
    for (const ScalarCache::Written& written : writes.bytes) {
      if (writes.core_index != identity_.index && written.begin < end && begin < written.end) {
        Fail(FaultKind::kHazard, "src",
             Say(gm_space_.PlaceOf(written.begin, written.end), " were written by SetValue on ", writes.core,
                 " (", written.where.file, ":", written.where.line,
                 ") and are still in the cache of its scalar unit; call DataCacheCleanAndInvalid there "
                 "behind SetValue, "
                 "before the flag or SyncAll that this core has waited for"));
      }
    }
  }
}

void Core::NoteGmRead(uint64_t address) {
  constexpr int kLoop = 8;      // times; who reads the same so often for another reason loses a turn
  constexpr size_t kMost = 64;  // words that one loop looks at
  if (cross_core_ == nullptr || !mode_.values) {
    return;
  }
  const auto known = std::ranges::find_if(
      reads_, [&](const GmRead& read) { return read.address == address && read.where == current_.where; });
  if (known == reads_.end()) {
    if (reads_.size() == kMost) {
      reads_.clear();
    }
    reads_.push_back({.address = address, .where = current_.where, .times = 1});
  } else if (++known->times > kLoop) {
    reads_.clear();
    cross_core_->LetOthersRun(identity_.index);
  }
}

void Core::NoteBehindScalarCache(uint64_t begin, uint64_t end) {
  const IntervalSet& lines = scalar_cache_->read;
  for (uint64_t at = lines.FirstIn(begin, end); at < end;) {
    const uint64_t line_end = lines.FirstGap(at, end);
    scalar_cache_->stale.Add(at, line_end);
    scalar_cache_->stale_by = current_.where;
    at = lines.FirstIn(line_end, end);
  }
}

void Core::RefuseOtherBuffer(const Region& region, const GmBuffer& buffer, const GmBuffer& made_from) {
  const uint64_t end_made_from = made_from.address + made_from.size_bytes;
  std::string distance;
  if (region.limit <= region.begin) {
    distance = Say(region.begin - end_made_from, " bytes behind the end of");
  } else if (region.limit == end_made_from && buffer.address + buffer.size_bytes < made_from.address) {
    distance = Say(made_from.address - region.begin, " bytes before");
  } else {  // made from no buffer, with a size into one; or from an address that is the end of one, too
    return;
  }
  Fail(FaultKind::kBounds, region.operand,
       Say("begins ", distance, " GM buffer ", made_from.name, ", which its tensor was made from, at byte ",
           region.begin - buffer.address, " of GM buffer ", buffer.name, "; ", made_from.name, " has ",
           made_from.size_bytes, " bytes"));
}

void Core::CheckGmOperand(const Region& region) {
  const GmBuffer* buffer = gm_space_.Find(region.begin);
  if (buffer == nullptr) [[unlikely]] {
    Fail(FaultKind::kBounds, region.operand, gm_space_.Describe(region.begin));
  }
  if (region.use == Use::kRead) {
    NoteGmRead(region.begin);
    if (scalar_writes_ != nullptr && !scalar_writes_->empty()) [[unlikely]] {
      region.ForEachRun([this](uint64_t begin, uint64_t end) { RefuseOtherScalarCache(begin, end); });
    }
  } else if (current_.pipe != Pipe::kS && !scalar_cache_->read.IsEmpty()) [[unlikely]] {
    region.ForEachRun([this](uint64_t begin, uint64_t end) { NoteBehindScalarCache(begin, end); });
  }
  if (region.use == Use::kAtomic) {
    const uint64_t element = registers_.atomic_dtype.size_bytes();
    Require(region.begin % element == 0, FaultKind::kAlignment, region.operand, "byte ",
            region.begin - buffer->address, " of GM buffer ", buffer->name,
            " is in the middle of an element of ", registers_.atomic_dtype.name(),
            ", the type of the atomic update; use a multiple of ", element);
  }
  const uint64_t end = buffer->address + buffer->size_bytes;
  const bool tensor_ends_first = region.limit != 0 && region.limit < end;
  const uint64_t limit = tensor_ends_first ? region.limit : end;
  if (region.end() <= limit && region.limit <= end) [[likely]] {
    return;
  }
  if (const GmBuffer* const made_from = gm_space_.Find(region.limit - 1);
      region.limit != 0 && made_from != nullptr && made_from != buffer) {
    RefuseOtherBuffer(region, *buffer, *made_from);
  }
  if (region.end() <= limit) {
    return;
  }
  std::string passed = Say("bytes [", region.begin - buffer->address, ", ", region.end() - buffer->address,
                           ") of GM buffer ", buffer->name, " pass the end of the ",
                           tensor_ends_first ? "tensor's size given to SetGlobalBuffer" : "buffer", " by ",
                           region.end() - limit, " bytes; the buffer has ", buffer->size_bytes);
  if (region.end() > end) {
    Fail(FaultKind::kBounds, region.operand, std::move(passed));
  }
  NoteBeyondTensor(region, std::move(passed));
}

void Core::RecordRun(const InstructionTime& time) {
  if (const auto* const cost = std::get_if<Cost>(&time)) {
    recording_->Run(current_.pipe, *cost, current_.name, current_.where);
  } else {
    RecordPassage(std::get<GmPassage>(time), current_.name, current_.where);
  }
}

void Core::RecordCost(const InstructionTime& time) {
  if (const auto* const cost = std::get_if<Cost>(&time)) {
    recording_->Run(current_.pipe, *cost, "", {});
    return;
  }
  const auto& passage = std::get<GmPassage>(time);
  const auto bytes = static_cast<int64_t>(passage.region.total_bytes());
  (passage.region.use == Use::kRead ? statistics_.gm_read_bytes : statistics_.gm_write_bytes) += bytes;
  RecordPassage(passage, "", {});
}

void Core::RecordPassage(const GmPassage& passage, const char* name, SourceLine where) {
  const GmBuffer& buffer = *gm_space_.Find(passage.region.begin);
  GmPattern pattern{.shape = passage.region,
                    .rule = passage.rule,
                    .buffer = static_cast<uint32_t>(&buffer - gm_space_.buffers().data())};
  pattern.shape.begin = 0;
  recording_->RunOverGm(current_.pipe, pattern, passage.region.begin - buffer.address, name, where);
}

void Core::ExecuteWatched(const Computation& computation, const Operands& operands) {
  if (hazards_->MeetsUndefined(operands)) [[unlikely]] {
    UndefinedRun(*this, computation, operands).Run(current_.pipe);
  } else {
    computation.run(computation.op, *this, nullptr);
  }
}

void Core::NoteResult(ResultRegister result, Use use, bool carries) {
  hazards_->UsesResult(result, use, carries);
}

void Core::LeaveResult(const Region& region, ResultRegister result) {
  hazards_->LeaveAs(region, static_cast<uint64_t>(CapacityBytes(region.memory)), result);
}

void Core::LeaveUndefined(const Region& region, const char* why) {
  if (hazards_ != nullptr) {
    hazards_->LeaveUndefined(region, static_cast<uint64_t>(CapacityBytes(region.memory)), why);
  }
}

void Core::RefuseUndefined(Memory memory, uint64_t begin, uint64_t end, const char* operand) {
  std::string what = hazards_->WithoutValue(memory, begin, end, "decide which bytes are touched");
  if (!what.empty()) {
    Fail(FaultKind::kUninitialised, operand, std::move(what));
  }
}

void Core::SetGuard(size_t number, const Guard& guard) {
  guards_[number] = guard;
  guarded_ = std::ranges::any_of(guards_, &Guard::on);
  SetObserver(observer_);
}

void Core::CheckGuards(const Operands& operands) {
  for (const Region& region : operands) {
    for (const Guard& guard : guards_) {
      const Guard::Uses& uses = current_.pipe == Pipe::kS   ? guard.scalar
                                : current_.pipe == Pipe::kV ? guard.vector
                                                            : guard.moves;
      if (!guard.on || region.memory != Memory::kUb || !(region.use == Use::kRead ? uses.read : uses.write)) {
        continue;
      }
      region.ForEachRun([&](uint64_t begin, uint64_t end) {
        Require(end <= guard.begin || guard.end <= begin, FaultKind::kMisuse, region.operand,
                region.use == Use::kRead ? "reads" : "writes", " bytes [", begin, ", ", end,
                ") of UB; the kernel has [", guard.begin, ", ", guard.end, ") guarded by CheckLocalMemoryIA");
      });
    }
  }
}

void Core::Tell(const Issued& issued, const Operands& operands) {
  if (guarded_) {
    CheckGuards(operands);
  }
  if (hazards_ != nullptr) {
    hazards_->OnInstruction(issued, operands);
  }
  if (observer_ != nullptr) {
    observer_->OnInstruction(identity_.index, issued, operands);
  }
}

template <class F>
void Core::ForUnitFlags(const Operands& operands, F&& f) {
  for (const Region& region : operands) {
    if (region.memory != Memory::kL0C || (current_.pipe == Pipe::kM && region.use == Use::kRead)) {
      continue;
    }
    uint64_t done_begin = 0;
    uint64_t done_end = 0;
    region.ForEachRun([&](uint64_t begin, uint64_t end) {
      // Assumed: in whole fractals of 16 x 16 elements, which have two flags. A Fixpipe of the last rows of
      // one hands back both.
      const uint64_t first = begin / 1024 * 2;
      const uint64_t last = (end + 1023) / 1024 * 2;
      // rows of a strip follow each other in a block, which is handed over once
      const uint64_t next = done_begin <= first && first < done_end ? done_end : first;
      if (next < last) {
        f(next, last, region);
      }
      done_begin = first;
      done_end = last;
    });
  }
}

void Core::WaitForUnitFlags(const Operands& operands) {
  unit_flags_.resize(static_cast<size_t>(soc_.l0c_bytes / 512));
  const bool fills = current_.pipe == Pipe::kM;  // Mmad waits for empty blocks, Fixpipe for full ones
  ForUnitFlags(operands, [&](uint64_t first, uint64_t end, const Region& region) {
    for (uint64_t block = first; block < end && !mode_.cost_only; ++block) {
      Require(unit_flags_[block] != fills, FaultKind::kDeadlock, region.operand,
              "the unit flag of L0C block ", block,
              fills ? " is still full: Fixpipe must take it with unitFlag 3 before Mmad writes it again"
                    : " is empty: an Mmad with unitFlag 3 must fill it before Fixpipe waits for it");
    }
    Record([&](Recording& recording) { recording.TakeUnits(current_.pipe, first, end - first); });
  });
}

void Core::FlipUnitFlags(const Operands& operands) {
  const bool fills = current_.pipe == Pipe::kM;
  ForUnitFlags(operands, [&](uint64_t first, uint64_t end, const Region&) {
    std::fill(unit_flags_.begin() + static_cast<int64_t>(first),
              unit_flags_.begin() + static_cast<int64_t>(end), fills);
    Record([&](Recording& recording) { recording.HandUnits(current_.pipe, first, end - first); });
  });
}

}  // namespace tilesim

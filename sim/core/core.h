// One AI core: its memories, pipes and registers, and the one door through which every instruction enters.
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formats/error.h"
#include "sim/core/core_memories.h"
#include "sim/core/fault.h"
#include "sim/core/fetch_ahead.h"
#include "sim/core/gm_move.h"
#include "sim/core/identity.h"
#include "sim/core/instruction.h"
#include "sim/core/issued.h"
#include "sim/core/observer.h"
#include "sim/core/owner.h"
#include "sim/core/registers.h"
#include "sim/core/result_register.h"
#include "sim/core/run_mode.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

class Core;
struct CoreMessage;
struct CoreTask;
class CoreTasks;
struct MessageWork;
struct CrossCoreEvent;
class CrossCorePort;
struct ScalarWrites;
struct GmBuffer;
struct GmPoll;
class GmSpace;
class GmWindow;
struct GmWord;
class HazardChecker;
class IntervalSet;
class Recording;
struct ScalarCache;
struct SyncSite;

// What messages call an instruction: a name of its own, or that of the call that it stands for. A literal,
// for messages, traces and observers keep the pointer.
template <class Op>
constexpr auto InstructionName(const Op& /*op*/) -> decltype(Op::kName) {
  return Op::kName;
}
template <class Op>
constexpr auto InstructionName(const Op& op) -> decltype(op.name()) {
  return op.name();
}

// An instruction says what it touches, computes it, and says how long it takes; the core does the rest.
template <class Op>
concept Instruction = requires(const Op& op, Core& core) {
  { InstructionName(op) } -> std::same_as<const char*>;
  { op.pipe() } -> std::same_as<Pipe>;
  {op.Check(core)};                                  // limits; calls core.Require
  { op.Footprint(core) } -> std::same_as<Operands>;  // every byte it reads and writes
  {op.Execute(core)};                                // the values
  { op.TimeOn(core) } -> std::convertible_to<InstructionTime>;
};

// A value that an instruction compares elements with.
struct ComparedValue {
  uint32_t bits = 0;
  uint64_t bytes = 0;  // of an element; 0: it has no such value
};

// The values of an instruction, for those who do not know its type.
struct Computation {
  const void* op;
  // Given `same`, it is one more run with other values: false, with nothing computed, where these make it
  // touch other bytes; a KernelFault where they make it refuse.
  bool (*run)(const void* op, Core& core, const Operands* same);
  ComparedValue compared_with = {};
};
template <Instruction Op>
bool RunByType(const void* op, Core& core, const Operands* same);

class Core {
 public:
  Core(const SocConfig& soc, const GmSpace& gm, const IntervalSet& written_gm, const CoreIdentity& identity,
       const RunMode& mode);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  // The one door: check the operands, execute, take time, tell the observers. Of these a `cost_only` run does
  // but take time.
  template <Instruction Op>
  void Issue(const Op& op, SourceLine where);

  // Values only, and nobody watches: a vector instruction may run at once instead of being issued. It does so
  // where it sees in one look that nothing is wrong with it: it notes its writes (FitsUb), computes, and is
  // counted here, as all are. Where it sees no such thing it computes nothing and is issued, which tells what
  // is wrong.
  [[nodiscard]] bool at_once() const { return at_once_; }
  void CountOne(Pipe pipe) {
    // Written by this thread alone, read by others. The compilers' own words, for <atomic> is a long header.
    int64_t& count = statistics_.instructions[static_cast<size_t>(pipe)];
    __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
    fetch_ahead_.Some();
  }
  // Those of V since there were `before` of them are steps of a function of the library.
  void CountAsLibrary(int64_t before) {
    statistics_.library_instructions += statistics_.instructions[static_cast<size_t>(Pipe::kV)] - before;
  }
  // Instructions of all pipes, and prints. Any thread may ask while the core runs.
  int64_t CallsSoFar() const {
    int64_t sum = __atomic_load_n(&prints_, __ATOMIC_RELAXED);
    for (const int64_t& count : statistics_.instructions) {
      sum += __atomic_load_n(&count, __ATOMIC_RELAXED);
    }
    return sum;
  }
  FetchAhead& fetch_ahead() { return fetch_ahead_; }

  // Flags and barriers. Ids are 0..7. Each is a fault where it would hang or be lost on the chip. `by`: the
  // call that does it, a literal.
  void SetFlag(Pipe src, Pipe dst, int id, SourceLine where, const char* by = "SetFlag");
  void WaitFlag(Pipe src, Pipe dst, int id, SourceLine where, const char* by = "WaitFlag");
  void Barrier(Pipe pipe, SourceLine where);
  void BarrierAll(SourceLine where);
  // A fault of the call in hand unless this launch has flags between cores, and of this mode.
  void RequireCrossCore(std::optional<int> mode = std::nullopt);
  void CrossCoreSet(int mode, Pipe pipe, int id, SourceLine where);
  // `call`: what the kernel called, for messages.
  void CrossCoreWait(int id, SourceLine where, const char* call = "CrossCoreWaitFlag");
  // What MTE3 has stored so far, these words among it, is there for others to find.
  void TellByGm(const std::vector<GmWord>& words, SourceLine where);
  // The call in hand waits until words of GM are what it says; gives what they were. All pipes are held back.
  // Where the clock sees the last store, it is taken to be found at once: polls before it take no time of GM.
  std::vector<int32_t> PollGm(const GmPoll& poll);
  // Messages between the cores of a block (sim/core/core_messages.h). An AIV hands its AIC work, which is
  // done there after all that MTE3 has stored here so far; no work: it sends no more. Assumed times: the
  // flag's way and a read of GM there; what the sender spends is an instruction of its own.
  void PostMessage(uint32_t number, MessageWork work, SourceLine where);
  // The AIC's next message; nullopt: there will be none. All pipes are held back.
  std::optional<CoreMessage> NextMessage();
  // What FIX has done so far is done before the sender of the message goes on behind AwaitAnswer.
  void AnswerMessage(const CoreMessage& message, SourceLine where);
  void AwaitAnswer(uint32_t number, SourceLine where);

  // The kernel says how it is to be launched: a fault, told when it ends, where that starts other cores than
  // this launch has, or OtherKernelType where the launch leaves it to the kernel and nothing has run yet.
  void DeclareType(KernelType type, TypeFrom from, SourceLine where);

  // Throws a KernelFault that names this core and the instruction in hand, unless `ok`.
  template <class... Parts>
  void Require(bool ok, FaultKind kind, const char* operand, const Parts&... parts) {
    if (!ok) [[unlikely]] {
      Fail(kind, operand, Say(parts...));
    }
  }
  [[noreturn]] void Fail(FaultKind kind, const char* operand, std::string what);
  // The call in hand was asked to write bytes [begin, end), too, and drops them: who reads them is told.
  void NoteDropped(Memory memory, uint64_t begin, uint64_t end);
  // The call is for the other kind of core, and does nothing here, as in every kernel that both kinds run:
  // told once, where this launch has only one.
  void NoteForOthers(const char* call, SourceLine where) {
    if (HasAics(identity_.launched_as) != (AivsPerBlock(identity_.launched_as) > 0)) [[unlikely]] {
      NoteWithoutEffect(call, where);
    }
  }
  // Names the API call in hand for messages.
  void At(const char* name, Pipe pipe, SourceLine where) {
    current_ = {name, pipe, steps_of_.name == nullptr ? where : steps_of_.where};
  }
  // A call of the kernel that makes others.
  struct KernelCall {
    const char* name = nullptr;  // a literal; nullptr: there is none
    SourceLine where = {};
  };
  // The calls from now on are steps of this one, whose line they are told by; gives the one before.
  KernelCall BeginStepsOf(const KernelCall& call) { return std::exchange(steps_of_, call); }
  void MarkTile(const TileLabel& tile) { tile_ = tile; }
  // Is the kernel to do this task? Notes it where somebody wants to know.
  bool BeginTask(const CoreTask& task) { return tasks_ == nullptr || ListTask(task); }

  const SocConfig& soc() const { return soc_; }
  const CoreIdentity& identity() const { return identity_; }
  const RunMode& mode() const { return mode_; }
  const GmSpace& gm_space() const { return gm_space_; }
  CoreRegisters& registers() { return registers_; }
  ScalarCache& scalar_cache() { return *scalar_cache_; }
  int64_t CapacityBytes(Memory memory) const;
  // Does UB, and the tensor's buffer unless its `limit` is 0, reach up to `end`? Notes an access up to there.
  [[gnu::always_inline]] bool FitsUb(uint64_t end, uint64_t limit, Use use) {
    const uint64_t capacity = reach_bytes_[static_cast<size_t>(Memory::kUb)];
    if (end > capacity || (limit != 0 && end > limit)) [[unlikely]] {
      return false;
    }
    NoteAccess(Memory::kUb, end, use);
    return true;
  }
  // Nothing of UB from `begin` on has been written: every bit there is set.
  bool UbIsCleanFrom(uint64_t begin) const {
    return memories_ != nullptr && memories_->IsCleanFrom(Memory::kUb, begin);
  }

  // Memories; none without values, and none when the core is done. Instructions may use what they and those
  // before them touch, by their footprints or FitsUb; who comes by another way calls ReachAll before.
  std::byte* l1() { return memories_ != nullptr ? memories_->L1() : nullptr; }
  std::byte* ub() { return memories_ != nullptr ? memories_->Ub() : nullptr; }
  // Of UB, only bytes [begin, end) are about to be written, and none read.
  std::byte* UbToOverwrite(uint64_t begin, uint64_t end) { return memories_->UbToOverwrite(begin, end); }
  L0Memory& l0a() { return memories_->l0a; }
  L0Memory& l0b() { return memories_->l0b; }
  float* l0c() { return memories_ != nullptr ? memories_->L0c() : nullptr; }
  // The bias table and the fixpipe buffer: plain bytes, as copies out of L1 left them.
  std::byte* bt() { return memories_ != nullptr ? memories_->Bt() : nullptr; }
  std::byte* fb() { return memories_ != nullptr ? memories_->Fb() : nullptr; }
  void ReachAll() {
    if (memories_ != nullptr) {
      memories_->ReachAll();
    }
  }
  GmWindow& gm() { return *gm_; }
  CoreStatistics& statistics() { return statistics_; }
  // Calls f(recording) with what this core has done so far, for the clock; not where time is off.
  template <class F>
  void Record(F&& f) {
    if (mode_.time) {
      f(*recording_);
    }
  }

  // The scalar unit works for so many cycles.
  void RecordScalar(int64_t cycles);

  // What the API layer keeps for a core; the core only owns it.
  struct Attachment {
    virtual ~Attachment() = default;
    virtual void AtEnd(Core& core) = 0;  // the kernel has returned
    // Of bytes [begin, end), which instructions of `of` and then of `by` touch: the calls of the API that
    // order the two ("EnQue and DeQue of ..."). "" where the API has nothing but flags for them.
    virtual std::string OrderingCalls(Memory memory, uint64_t begin, uint64_t end, Pipe of,
                                      Pipe by) const = 0;
  };
  Attachment* attachment() { return attachment_.get(); }
  // The core owns `attachment` from now on; it has none yet.
  void Attach(Attachment* attachment);

  // Called by Execute: it leaves these bytes of L1, UB or L0C, which it writes, without values; `why` is for
  // who needs them ("left them ..."), a literal.
  void LeaveUndefined(const Region& region, const char* why);
  // Likewise what of a register of results, which it puts there, holds no value.
  void LeaveAs(const Region& region, ResultRegister result) {
    if (hazards_ != nullptr) [[unlikely]] {
      LeaveResult(region, result);
    }
  }
  // A fault of the instruction in hand where some of on-chip bytes [begin, end), which say what it touches,
  // hold no value. `operand` names the memory, too. Where nobody looks for that, none do.
  void RequireValues(Memory memory, uint64_t begin, uint64_t end, const char* operand) {
    if (hazards_ != nullptr) [[unlikely]] {
      RefuseUndefined(memory, begin, end, operand);
    }
  }
  // Nothing of L0C is handed over to Fixpipe any more.
  void ClearUnitFlags();
  // Accesses to data blocks of UB that the kernel has had guarded (CheckLocalMemoryIA).
  struct Guard {
    bool on = false;
    uint64_t begin = 0;  // bytes
    uint64_t end = 0;
    struct Uses {
      bool read = false;
      bool write = false;
    };
    Uses scalar, vector, moves;
  };
  void SetGuard(size_t number, const Guard& guard);

  // The instruction in hand leaves its result in this register, or reads it; where it `carries` it elsewhere,
  // it need hold no value.
  void UsesResult(ResultRegister result, Use use, bool carries = false) {
    if (hazards_ != nullptr) [[unlikely]] {
      NoteResult(result, use, carries);
    }
  }

  // Used by the launcher.
  HazardChecker* hazards() { return hazards_; }
  void SetObserver(Observer* observer) {
    observer_ = observer;
    at_once_ = mode_.values && !mode_.time && !Watched();
  }
  void SetCrossCore(CrossCorePort* port) { cross_core_ = port; }
  // A fault after so many instructions, and prints, of this core without one that others, or the host, could
  // notice: it waits in a loop for what never comes. 0: never.
  void SetWatchdog(int64_t instructions) { watchdog_ = instructions; }
  // The API call in hand, or the last one, for those who have nothing but this core to say where it is.
  const char* call_name() const { return current_.name; }
  SourceLine call_line() const { return current_.where; }
  // A move, or a store past the cache, writes these bytes of GM: the scalar unit's cache does not see it.
  void NoteBehindScalarCache(uint64_t begin, uint64_t end);
  // What cores have written to GM by SetValue, and not cleaned from their caches, when they last met; `this`
  // core's among them. Must outlive the core.
  void SetScalarWrites(const std::vector<ScalarWrites>* writes) { scalar_writes_ = writes; }
  void ListTasks(CoreTasks* tasks) { tasks_ = tasks; }
  void DropSync(const SourceLine& where) { dropped_ = where; }
  void RecordSyncSites(std::set<SyncSite>* sites) { sync_sites_ = sites; }
  // Is this synchronising call left out of the run? Records it where asked to.
  bool Dropped(const char* call, SourceLine where) {
    return (sync_sites_ != nullptr || dropped_) && IsDropped(call, where);
  }
  // The core runs no more, well or not: its memories go to other cores.
  void ReleaseMemories();
  // The kernel has returned: nothing may be left set.
  void Finish();
  // What the kernel prints. A line that begins is `prefix`ed. What comes after 1 MiB is left out, and a last
  // line says so.
  void Print(const std::string& text, const std::string& prefix);
  const std::string& printed() const { return printed_; }
  std::string TakePrinted();
  // The cycle that the clock of this core, alone, has come to: others take nothing of GM, and are never
  // waited for. Where time is off, as many as instructions. Takes longer the more the core has done.
  int64_t CyclesAlone() const;
  // A fault that does not stop the core.
  void Note(Fault fault);
  std::vector<Fault> TakeNoted();
  // Calls without effect here, in the order of the first of each.
  std::vector<std::string> TakeNotices();
  const Recording& recording() const { return *recording_; }
  void SetMostRecordedBytes(uint64_t bytes);
  Recording TakeRecording();
  Fault MakeFault(FaultKind kind, const char* operand, std::string what) const;

 private:
  std::string InstructionInHand() const;
  void NoteWithoutEffect(const char* call, SourceLine where);
  void NoteResult(ResultRegister result, Use use, bool carries);
  void LeaveResult(const Region& region, ResultRegister result);
  void RefuseUndefined(Memory memory, uint64_t begin, uint64_t end, const char* operand);
  struct Current {
    const char* name = "";
    Pipe pipe = Pipe::kS;
    SourceLine where;
  };

  bool ListTask(const CoreTask& task);
  bool IsDropped(const char* call, SourceLine where);
  [[gnu::always_inline]] void NoteAccess(Memory memory, uint64_t end, Use use) {
    if (memories_ != nullptr) {
      memories_->Reach(memory, end);
      if (use != Use::kRead) {
        memories_->NoteWrite(memory, end);
      }
    }
  }
  void CheckOperand(const Region& region);
  void CheckGmOperand(const Region& region);
  // Where the operand's tensor was made from another buffer than the one that holds it.
  void RefuseOtherBuffer(const Region& region, const GmBuffer& buffer, const GmBuffer& made_from);
  [[noreturn]] void RefuseAddress(const Region& region);
  // Beyond the memory is a fault that stops the core; beyond the tensor alone one that is noted.
  void RefuseOperand(const Region& region, uint64_t capacity, uint64_t limit);
  void NoteBeyondTensor(const Region& region, std::string what);
  void Count(Pipe pipe, const Operands& operands);
  // Does anybody want to know of each instruction?
  bool Watched() const { return hazards_ != nullptr || observer_ != nullptr || guarded_; }
  void CheckGuards(const Operands& operands);
  // Counts an instruction, or a print, that makes progress or does not.
  void Watch(bool progress) {
    if (progress) {
      NoteProgress();
    } else if (++idle_ > watchdog_ && watchdog_ != 0) [[unlikely]] {
      FailIdle();
    }
  }
  // This core has done what others, or the host, could notice.
  void NoteProgress() {
    idle_ = 0;
    if (!reads_.empty()) [[unlikely]] {
      reads_.clear();
    }
  }
  // The same read of GM time and again, and nothing done meanwhile, is a loop that waits for another core:
  // the others get their turn before the read.
  void NoteGmRead(uint64_t address);
  void RefuseOtherScalarCache(uint64_t begin, uint64_t end);
  [[noreturn]] void FailIdle();
  void Tell(const Issued& issued, const Operands& operands);
  // Execute, with a look at what of the operands holds no value.
  void ExecuteWatched(const Computation& computation, const Operands& operands);
  // Of a `cost_only` run: the instruction is what the clock needs to know of it.
  template <Instruction Op>
  void IssueCost(const Op& op);
  // What moves touch of UB is what the scalar unit may have to wait for.
  void NoteMoves(const Operands& operands);
  // The instruction in hand, and how long it takes.
  void RecordRun(const InstructionTime& time);
  // Without name and place; counts the bytes of GM, too.
  void RecordCost(const InstructionTime& time);
  void RecordPassage(const GmPassage& passage, const char* name, SourceLine where);
  // What a flag set on `pipe`, or a store of it, tells others.
  CrossCoreEvent EventOn(Pipe pipe, int mode, int id, SourceLine where);
  // This core has waited for these.
  void LearnFrom(const std::vector<CrossCoreEvent>& events);
  static size_t FlagNumber(Pipe src, Pipe dst, int id) {
    return static_cast<size_t>((Index(src) * kNumPipes + Index(dst)) * kEventIds + id);
  }
  void CheckFlagCall(Pipe src, Pipe dst, int id);
  // Calls f(first block, end, region) for the blocks of L0C that the instruction in hand hands over or takes.
  template <class F>
  void ForUnitFlags(const Operands& operands, F&& f);
  void WaitForUnitFlags(const Operands& operands);
  void FlipUnitFlags(const Operands& operands);

  // What only the core's own sources see, so that a kernel's source need not compile it.
  struct Parts;

  Owner<Parts> parts_;
  const SocConfig& soc_;
  const GmSpace& gm_space_;
  CoreIdentity identity_;
  RunMode mode_;
  bool at_once_ = false;
  CoreRegisters registers_;
  std::array<uint64_t, kNumMemories> reach_bytes_{};  // capacities; 0: not a memory of this kind of core
  CoreMemories* memories_;                            // of parts_; none without values
  GmWindow* gm_;                                      // of parts_
  Recording* recording_;                              // of parts_
  ScalarCache* scalar_cache_;                         // of parts_
  FetchAhead fetch_ahead_;
  int64_t issued_ = 0;  // instructions
  int64_t watchdog_ = 0;
  int64_t idle_ = 0;  // instructions since the last progress
  struct GmRead {
    uint64_t address = 0;
    SourceLine where;
    int times = 0;
  };
  std::vector<GmRead> reads_;  // since the last progress, a few
  HazardChecker* hazards_;     // of parts_; none where hazards are off
  CoreStatistics statistics_;
  std::array<bool, kNumPipes * kNumPipes * kEventIds> flags_{};
  // A 512-byte block of L0C each: has Mmad handed it to Fixpipe? None before the first is used.
  std::vector<bool> unit_flags_;
  Current current_;
  KernelCall steps_of_;
  TileLabel tile_;
  Observer* observer_ = nullptr;
  CrossCorePort* cross_core_ = nullptr;
  CoreTasks* tasks_ = nullptr;
  const std::vector<ScalarWrites>* scalar_writes_ = nullptr;
  std::optional<SourceLine> dropped_;
  std::set<SyncSite>* sync_sites_ = nullptr;
  std::vector<Fault> noted_;
  std::string printed_;
  int64_t prints_ = 0;               // written by this thread alone, read by others
  std::optional<Fault> other_type_;  // the kernel's, by its last word
  bool type_of_key_ = false;         // it is for the tiling key in force
  std::array<Guard, 4> guards_;
  bool guarded_ = false;  // by any of them
  Owner<Attachment> attachment_;
};

inline void Core::CheckOperand(const Region& region) {
  if ((region.begin & (region.align_bytes - 1)) != 0) [[unlikely]] {
    RefuseAddress(region);
  }
  if (region.memory == Memory::kGm) {
    CheckGmOperand(region);
    return;
  }
  const uint64_t capacity = reach_bytes_[static_cast<size_t>(region.memory)];
  const uint64_t limit = region.limit == 0 || capacity < region.limit ? capacity : region.limit;
  const uint64_t end = region.end();
  if (end > limit || end < region.begin) [[unlikely]] {
    RefuseOperand(region, capacity, limit);
  }
  NoteAccess(region.memory, end, region.use);
}

inline void Core::Count(Pipe pipe, const Operands& operands) {
  CountOne(pipe);
  bool progress = false;
  for (const Region& region : operands) {
    if (region.memory == Memory::kGm) {
      progress = progress || region.use != Use::kRead;
      (region.use == Use::kRead ? statistics_.gm_read_bytes : statistics_.gm_write_bytes) +=
          static_cast<int64_t>(region.total_bytes());
    }
  }
  Watch(progress);
}

bool SameBytes(const Operands& a, const Operands& b);

template <Instruction Op>
bool RunByType(const void* op, Core& core, const Operands* same) {
  const Op& self = *static_cast<const Op*>(op);
  if (same != nullptr) {
    self.Check(core);
    if (!SameBytes(self.Footprint(core), *same)) {
      return false;
    }
  }
  self.Execute(core);
  return true;
}

template <Instruction Op>
void Core::IssueCost(const Op& op) {
  current_.pipe = op.pipe();
  int unit_flag = 0;
  if constexpr (requires { op.UnitFlag(); }) {
    unit_flag = op.UnitFlag();
  }
  if (unit_flag != 0) {
    WaitForUnitFlags(op.Footprint(*this));
  }
  if (identity_.kind == CoreKind::kAiv) {
    op.Check(*this);  // leaves in registers what later instructions' times depend on
  }
  RecordCost(op.TimeOn(*this));
  if (identity_.kind == CoreKind::kAiv && (op.pipe() == Pipe::kMte2 || op.pipe() == Pipe::kMte3)) {
    NoteMoves(op.Footprint(*this));
  }
  if (unit_flag == 3) {
    FlipUnitFlags(op.Footprint(*this));
  }
}

template <Instruction Op>
void Core::Issue(const Op& op, SourceLine where) {
  if (mode_.cost_only) {
    IssueCost(op);
    return;
  }
  At(InstructionName(op), op.pipe(), where);
  op.Check(*this);
  const Operands operands = op.Footprint(*this);
  for (const Region& region : operands) {
    CheckOperand(region);
  }
  if (mode_.values) {
    if (hazards_ != nullptr) {
      Computation computation{&op, &RunByType<Op>};
      if constexpr (requires { op.ComparedWith(); }) {
        computation.compared_with = op.ComparedWith();
      }
      ExecuteWatched(computation, operands);
    } else {
      op.Execute(*this);
    }
  }
  int unit_flag = 0;
  if constexpr (requires { op.UnitFlag(); }) {
    unit_flag = op.UnitFlag();
  }
  if (unit_flag != 0) {
    WaitForUnitFlags(operands);
  }
  if (mode_.time) {
    RecordRun(op.TimeOn(*this));
    NoteMoves(operands);
  }
  if (unit_flag == 3) {
    FlipUnitFlags(operands);
  }
  Count(op.pipe(), operands);
  const int64_t run = issued_++;
  if (!Watched()) {
    return;
  }
  bool ordered_in_pipe = op.pipe() != Pipe::kMte2 && op.pipe() != Pipe::kMte3 && op.pipe() != Pipe::kV;
  if constexpr (requires { op.OrderedInPipe(); }) {
    ordered_in_pipe = op.OrderedInPipe();
  }
  Tell({.name = InstructionName(op),
        .pipe = op.pipe(),
        .where = current_.where,
        .tile = tile_,
        .run = run,
        .ordered_in_pipe = ordered_in_pipe,
        .unit_flag = unit_flag != 0},
       operands);
}

}  // namespace tilesim

// Finds accesses to the same bytes that nothing orders, and reads of bytes that nothing has written, on one
// core; keeps what the check between cores needs. Works on program order, flags and barriers only: today's
// costs do not matter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/access_history.h"
#include "sim/core/byte_runs.h"
#include "sim/core/fault.h"
#include "sim/core/gm.h"
#include "sim/core/gm_reads.h"
#include "sim/core/happens_before.h"
#include "sim/core/instruction.h"
#include "sim/core/instruction_log.h"
#include "sim/core/interval_set.h"
#include "sim/core/issued.h"
#include "sim/core/result_register.h"
#include "sim/core/undefined.h"

namespace tilesim {

const char* Verb(Use use);  // of a sentence: reads, writes, atomically updates

// An access to GM, as other cores may meet it. Neighbouring accesses of one call site are kept as one.
struct GmAccess {
  ByteRuns bytes;
  Use use = Use::kRead;
  Pipe pipe = Pipe::kS;
  uint32_t sequence = 0;   // of the first of them on its pipe
  uint32_t site = 0;       // the call, by this core's numbering
  uint32_t knowledge = 0;  // index into HazardChecker::knowledge()
  AccessId id = 0;
  int line = 0;  // of the call
};

class HazardChecker {
 public:
  // `written_gm`: what other cores had written when this core last met them. `scalar_ordered`: the compiler
  // orders the scalar unit and V against themselves and each other, as the vendor's does on vector cores by
  // default.
  // `carries`: bytes that hold no value are followed through instructions (UndefinedRun), which takes values;
  // without, reading them is a fault.
  HazardChecker(std::string core_name, const GmSpace& gm, const IntervalSet& written_gm, bool compiler_syncs,
                bool carries);

  // Asked for the calls that order two accesses to bytes [begin, end), by `of` and then `by`: see
  // Core::Attachment. Unless it is set, and where it gives "", flags are advised.
  using OrderingCalls = std::function<std::string(Memory, uint64_t begin, uint64_t end, Pipe of, Pipe by)>;
  void AskForCalls(OrderingCalls calls) { ordering_calls_ = std::move(calls); }

  void OnInstruction(const Issued& instruction, const Operands& operands);
  HappensBefore& order() { return order_; }
  // Does the instruction about to be told of read, or does CMPMASK hold, bits that hold no value?
  bool MeetsUndefined(const Operands& operands);
  UndefinedBits& undefined() { return undefined_; }
  // Calls f(begin, end) for the bytes of [begin, end) that are not all of values; on-chip, the bits are in
  // undefined().
  template <class F>
  void ForEachUndefined(Memory memory, uint64_t begin, uint64_t end, F&& f) const {
    const IntervalSet& own = written_[static_cast<size_t>(memory)];
    for (uint64_t at = FirstUndefined(memory, begin, end); at < end;) {
      uint64_t next = own.FirstIn(at, end);
      if (memory == Memory::kGm) {
        next = std::min(next, written_gm_.FirstIn(at, end));
        const GmBuffer* const buffer = gm_.Find(at);
        next = buffer != nullptr && buffer->unwritten ? FirstStored(*buffer->unwritten, at, next) : next;
      }
      f(at, next);
      at = FirstUndefined(memory, next, end);
    }
  }
  // "UB bytes [0, 4) decide ... and hold no value: X on V (...) made them of ..." of the first of on-chip
  // bytes [begin, end) that hold none; "" where all hold values. `how`: "decide which bytes are touched".
  std::string WithoutValue(Memory memory, uint64_t begin, uint64_t end, const char* how) const;
  // What becomes of bits without values in the instruction that is told of next.
  void ExpectOutcome(UndefinedOutcome outcome);
  // The instruction that is told of next reads this register, or leaves its result there. `carries`: it reads
  // it to put it elsewhere (LeaveAs), so that the bits need hold no value yet.
  void UsesResult(ResultRegister result, Use use, bool carries) {
    result_use_ = ResultUse{result, use, carries};
  }
  // In which register that instruction leaves its result, if in any.
  [[nodiscard]] std::optional<ResultRegister> result_written() const {
    return result_use_ && result_use_->use != Use::kRead ? std::optional(result_use_->result) : std::nullopt;
  }
  // It leaves these bytes of L1, UB or L0C without values, `why` says so ("left them ...").
  void LeaveUndefined(const Region& region, uint64_t memory_bytes, const char* why);
  // It has put the register there, and leaves without values what of it holds none.
  void LeaveAs(const Region& region, uint64_t memory_bytes, ResultRegister result);
  // The call in hand was asked for bytes [begin, end), too, and has left them out.
  void NoteDropped(Memory memory, uint64_t begin, uint64_t end, const char* call, SourceLine where) {
    dropped_[{memory, begin}] = {.end = end, .call = call, .where = where};
  }
  // Called after each cross-core set or wait: accesses before it and after it are kept apart.
  void OnCrossCore() { knowledge_.push_back(order_.foreign()); }
  // The core has ended: keeps only what the check between cores needs.
  void Finish();

  // Distinct faults, in the order they were met; `count` repeats of one pair of call sites are one fault.
  std::vector<Fault> TakeFaults();

  // For the check between cores. Reads of a buffer of the launch (by its number) are told only once the
  // buffer is tracked, which a write of this core or Track sees to: most buffers are only read, and need no
  // more than a list.
  bool Tracks(size_t buffer) const { return gm_reads_[buffer].tracked; }
  void Track(size_t buffer);
  size_t num_buffers() const { return gm_reads_.size(); }
  const std::vector<GmAccess>& gm_accesses() const { return gm_accesses_; }
  // Makes every access one run; those that touch are one again.
  void SplitGmAccesses();
  const std::vector<std::vector<PipeClock>>& knowledge() const { return knowledge_; }
  // What this core has written since the last call to GM that was not initialised.
  std::vector<ByteRuns> TakeWrittenGm();
  const std::string& core_name() const { return core_name_; }
  std::string Describe(AccessId id) const;
  std::string GmPlace(uint64_t begin, uint64_t end) const { return gm_.PlaceOf(begin, end); }
  Fault FaultAt(AccessId id, FaultKind kind, const char* operand) const;
  // Instructions and accesses held now; bounded by what memory holds, not by what was issued.
  size_t held() const;

 private:
  static constexpr size_t kCompactAt = 1024;  // accesses; twice what is left of them later on
  struct Repeat {
    size_t fault = 0;   // index into faults_
    int64_t count = 0;  // of instructions
    AccessId last = 0;
  };

  struct GmBufferReads {
    bool tracked = false;
    GmReads waiting;
  };

  struct ResultUse {
    ResultRegister result;
    Use use;
    bool carries;
  };

  void OnRegion(const Region& region, AccessId id);
  void OnResult(const ResultUse& use, AccessId id);
  void ReportEmptyResult(ResultRegister result, AccessId id);
  // Is there surely nothing to report of these bytes of the region?
  bool IsClean(const Region& region, const ByteRuns& bytes) const;
  bool IsWritten(const Region& region, const ByteRuns& bytes) const;
  // Reports what there is of one run.
  void OnRun(AccessMap& exact, const Region& region, uint64_t begin, uint64_t end, AccessId id);
  // The accesses of a segment that the newest instruction conflicts with; 0: none.
  struct Found {
    AccessId writer = 0;
    AccessId reader = 0;
  };
  void FindConflicts(const AccessMap::Segment& segment, Use use, Found& found) const;
  bool Conflicts(AccessId earlier, bool earlier_wrote) const;
  // Does something other than flags and barriers always order these pipes' instructions for `by`, the newest?
  bool OrderedByItself(Pipe by, Pipe of) const;
  void Report(FaultKind kind, const Region& region, uint64_t begin, uint64_t end, AccessId id,
              AccessId earlier, bool earlier_wrote);
  // "that X writes, and nothing orders the two: needs ..." `calls`: what orders them; "": flags.
  std::string Unordered(AccessId id, AccessId earlier, bool earlier_wrote, const std::string& calls) const;
  void ReportUse(const UndefinedOutcome::Use& use, AccessId id);
  std::string TextOf(Memory memory, const UndefinedOutcome::Use& use) const;
  // nullptr: such a fault has been told before, or there are too many.
  Fault* NewFault(FaultKind kind, const std::string& key, const Region& region, AccessId id);
  Fault* NewFault(const std::string& key, Fault fault, AccessId id);
  std::string PlaceOf(Memory memory, uint64_t begin, uint64_t end) const;
  // Must somebody have written what this region reads?
  bool NeedsWritten(const Region& region) const;
  bool NeverWritten(Memory memory, uint64_t begin, uint64_t end) const {
    return FirstUndefined(memory, begin, end) != end;
  }
  uint64_t FirstUndefined(Memory memory, uint64_t begin, uint64_t end) const;
  bool MeetsUndefined(const Region& region);
  void ApplyOutcome(AccessId id);
  void NoteWritten(const ByteRuns& bytes);
  // Makes what is known written of GM complete.
  void SettleWritten();
  void Remember(Use use, const ByteRuns& bytes, AccessId id, uint32_t knowledge);
  void Compact();
  void DropDominated();
  // Forgets what nobody refers to any more.
  void Retire();

  std::string core_name_;
  const GmSpace& gm_;
  const IntervalSet& written_gm_;
  bool compiler_syncs_;
  OrderingCalls ordering_calls_;
  HappensBefore order_;
  std::array<AccessHistory, kNumMemories> histories_;
  std::array<IntervalSet, kNumMemories> written_;  // by this core, with values; of GM, all but the newest
  bool carries_;
  UndefinedBits undefined_;
  std::optional<UndefinedOutcome> outcome_;
  struct Dropped {
    uint64_t end = 0;
    const char* call = "";
    SourceLine where;
  };
  // "; DataCopy (file:line) dropped ..." where a call left out some of the bytes; else "".
  std::string DroppedBy(Memory memory, uint64_t begin, uint64_t end) const;

  std::optional<ResultUse> result_use_;
  std::array<AccessId, kNumResultRegisters> result_writers_{};  // the last of each; 0: none
  std::map<std::pair<Memory, uint64_t>, Dropped> dropped_;      // by the first byte
  InstructionLog log_;
  bool ordered_in_pipe_ = true;  // the newest one
  bool finished_ = false;
  std::vector<ByteRuns> new_written_gm_;  // since the last TakeWrittenGm
  size_t settled_written_ = 0;            // that many of them are in written_
  size_t sort_written_at_ = kCompactAt;
  std::vector<GmAccess> gm_accesses_;
  std::vector<GmBufferReads> gm_reads_;  // by number of the buffer
  size_t compact_at_ = kCompactAt;
  std::vector<std::vector<PipeClock>> knowledge_{1};
  std::vector<Fault> faults_;
  std::map<std::string, Repeat> repeats_;
};

// Accesses of different cores to the same bytes of GM, one of them writing, that no cross-core flag orders.
// Atomic updates may meet atomic updates. At most `limit` faults, in a fixed order.
std::vector<Fault> FindCrossCoreHazards(const std::vector<HazardChecker*>& cores, size_t limit);

}  // namespace tilesim

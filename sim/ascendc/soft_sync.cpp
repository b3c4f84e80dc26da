#include "sim/ascendc/soft_sync.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/gm_poll.h"
#include "sim/isa/sync_words.h"

namespace AscendC {
namespace simulator {
namespace {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::GmPoll;
using tilesim::GmWord;
using tilesim::Pipe;
using tilesim::isa::Operand;

constexpr int64_t kSlotBytes = 32;

// The steps that all of these are made of.
class Meeting {
 public:
  Meeting(Core& core, const char* call, const SyncTensors& tensors, SourceLine where)
      : core_(core), call_(call), tensors_(tensors), where_(where) {
    core_.At(call_, Pipe::kS, where_);
  }

  void NeedsPipe() const {
    core_.Require(State(core_).pipe != nullptr, FaultKind::kMisuse, "",
                  "takes its events from the core's TPipe, and there is none; construct one before");
  }
  uint64_t WordAt(int64_t slot) const { return tensors_.gm.begin + static_cast<uint64_t>(slot * kSlotBytes); }

  // Waits for words, the first of slots that follow each other, and copies these slots to UB.
  std::vector<int32_t> Await(GmPoll poll, int64_t ub_slot) {
    core_.At(call_, Pipe::kS, where_);
    std::vector<int32_t> seen = core_.PollGm(poll);
    core_.Issue(
        tilesim::isa::SyncWordsIn{
            .dst = Shifted(tensors_.ub, ub_slot),
            .src = {.memory = tilesim::Memory::kGm, .begin = poll.words.front(), .limit = tensors_.gm.limit},
            .seen = seen},
        where_);
    core_.BarrierAll(where_);
    for (size_t i = 0; i < seen.size(); ++i) {
      ReadElement<int32_t>(core_, Shifted(tensors_.ub, ub_slot + static_cast<int64_t>(i)), where_);
    }
    return seen;
  }
  std::vector<uint64_t> Words(int64_t first, int64_t count) const {
    std::vector<uint64_t> words;
    for (int64_t i = 0; i < count; ++i) {
      words.push_back(WordAt(first + i));
    }
    return words;
  }
  std::vector<int32_t> Look(int64_t slot, int64_t ub_slot) {
    return Await({.words = Words(slot, 1), .expected = {}, .least_sum = std::numeric_limits<int64_t>::min()},
                 ub_slot);
  }

  // Writes the word to UB and stores the slot; `tells`: others are to find it.
  void Store(int64_t slot, int64_t ub_slot, int32_t value, bool kept = false) {
    WriteElement<int32_t>(core_, Shifted(tensors_.ub, ub_slot), value, where_);
    core_.BarrierAll(where_);
    Out(slot, ub_slot, kSlotBytes);
    core_.TellByGm({{.address = WordAt(slot), .value = value, .kept = kept}}, where_);
  }
  // Stores zeros, which UB has from `ub_slot` on.
  void StoreZeros(int64_t slots) {
    core_.BarrierAll(where_);
    Out(0, 0, slots * kSlotBytes);
    std::vector<GmWord> words;
    for (int64_t slot = 0; slot < slots; ++slot) {
      words.push_back({.address = WordAt(slot), .value = 0});
    }
    core_.TellByGm(words, where_);
  }
  // Adds 1 to words, by the word of UB.
  void AddOne(const std::vector<uint64_t>& addresses) {
    WriteElement<int32_t>(core_, tensors_.ub, 1, where_);
    core_.BarrierAll(where_);
    std::vector<GmWord> words;
    for (const uint64_t address : addresses) {
      core_.Issue(tilesim::isa::SyncWordsOut{.dst = {.memory = tilesim::Memory::kGm, .begin = address},
                                             .src = tensors_.ub,
                                             .bytes = 4,
                                             .adds = true},
                  where_);
      words.push_back({.address = address, .value = 1, .adds = true});
    }
    core_.TellByGm(words, where_);
    core_.BarrierAll(where_);
  }
  void Barrier() { core_.BarrierAll(where_); }

 private:
  static Operand Shifted(Operand operand, int64_t slots) {
    operand.begin += static_cast<uint64_t>(slots * kSlotBytes);
    return operand;
  }
  void Out(int64_t slot, int64_t ub_slot, int64_t bytes) {
    core_.Issue(
        tilesim::isa::SyncWordsOut{
            .dst = Shifted(tensors_.gm, slot), .src = Shifted(tensors_.ub, ub_slot), .bytes = bytes},
        where_);
    core_.BarrierAll(where_);
  }

  Core& core_;
  const char* call_;
  SyncTensors tensors_;
  SourceLine where_;
};

}  // namespace

void SoftSyncAll(Core& core, const SyncTensors& tensors, int64_t own, int64_t cores, SourceLine where) {
  if (core.Dropped("SyncAll", where)) {
    return;
  }
  Meeting meeting(core, "SyncAll", tensors, where);
  meeting.NeedsPipe();
  core.Require(cores >= 1, FaultKind::kLimit, "usedCores", "is ", cores, ", must be 0 (all) or more");
  meeting.Barrier();
  const int32_t round = meeting.Look(own, own).front() + 1;
  meeting.Store(own, own, round, round == 1);
  meeting.Await(
      {.words = meeting.Words(0, cores), .expected = {}, .least_sum = cores * round, .one_a_core = true}, 0);
  if (round == 1) {  // as at every poll of this round: a core that came late may have zeroed the workspace
    meeting.Store(own, own, round);
  }
  meeting.Barrier();
}

void HandWord(Core& core, const char* call, const SyncTensors& tensors, int64_t slot, int32_t from,
              int32_t to, SourceLine where) {
  if (core.Dropped(call, where)) {
    return;
  }
  Meeting meeting(core, call, tensors, where);
  meeting.NeedsPipe();
  meeting.Barrier();
  meeting.Await({.words = meeting.Words(slot, 1), .expected = {from}}, 0);
  meeting.Store(slot, 0, to);
  meeting.Barrier();
}

void ClearOrder(Core& core, const SyncTensors& tensors, int64_t own, int64_t cores, SourceLine where) {
  Meeting meeting(core, "InitDetermineComputeWorkspace", tensors, where);
  meeting.NeedsPipe();
  if (own == 0) {
    meeting.StoreZeros(cores);
  }
  Operand round = tensors.ub;
  round.begin += static_cast<uint64_t>(cores * kSlotBytes);
  WriteElement<int32_t>(core, round, 1, where);
  State(core).order_round = 1;
}

void AwaitOrder(Core& core, const SyncTensors& tensors, int64_t own, int64_t cores, SourceLine where) {
  if (core.Dropped("WaitPreBlock", where)) {
    return;
  }
  Meeting meeting(core, "WaitPreBlock", tensors, where);
  meeting.NeedsPipe();
  core.Require(State(core).order_round > 0, FaultKind::kMisuse, "",
               "comes before InitDetermineComputeWorkspace, which every core calls once");
  meeting.Barrier();
  std::vector<int32_t> expected(static_cast<size_t>(cores), 0);
  for (int64_t i = 0; i < own; ++i) {
    expected[static_cast<size_t>(i)] = State(core).order_round;
  }
  meeting.Await({.words = meeting.Words(0, cores), .expected = std::move(expected)}, 0);
  meeting.Barrier();
}

void PassOrder(Core& core, const SyncTensors& tensors, int64_t own, int64_t cores, SourceLine where) {
  if (core.Dropped("NotifyNextBlock", where)) {
    return;
  }
  Meeting meeting(core, "NotifyNextBlock", tensors, where);
  meeting.NeedsPipe();
  meeting.Barrier();
  if (own + 1 == cores) {
    for (int64_t slot = 0; slot < cores; ++slot) {  // those before have been seen as the round's
      Operand word = tensors.ub;
      word.begin += static_cast<uint64_t>(slot * kSlotBytes);
      WriteElement<int32_t>(core, word, 0, where);
    }
    meeting.StoreZeros(cores);
  } else {
    meeting.Store(own, own, State(core).order_round);
  }
  Operand round = tensors.ub;
  round.begin += static_cast<uint64_t>(cores * kSlotBytes);
  WriteElement<int32_t>(core, round, ++State(core).order_round, where);
  meeting.Barrier();
}

}  // namespace simulator

namespace {

constexpr uint64_t kLineBytes = 512;  // of the workspace
constexpr uint64_t kWaitsAt = 64;     // of a line; arrivals are counted at its start
constexpr int64_t kMostRounds = 1048575;
constexpr int64_t kMostCores = 50;
constexpr uint64_t kUbBytes = 1600;  // the last of UB

tilesim::Core* GroupCore(const char* call, SourceLine where) {
  return simulator::VectorCore(call, where, tilesim::Pipe::kS);
}
simulator::Meeting GroupMeeting(tilesim::Core& core, const char* call, GM_ADDR workspace, SourceLine where) {
  const auto end = static_cast<uint64_t>(core.CapacityBytes(tilesim::Memory::kUb));
  return {core,
          call,
          {.gm = {.memory = tilesim::Memory::kGm, .begin = reinterpret_cast<uint64_t>(workspace)},
           .ub = {.memory = tilesim::Memory::kUb, .begin = end - kUbBytes}},
          where};
}

}  // namespace

template <PipeMode pipeMode>
GroupBarrier<pipeMode>::GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn,
                                     SourceLine where)
    : workspace_(groupWorkspace), arrive_size_(arriveSizeIn), wait_size_(waitSizeIn) {
  if (tilesim::Core* core = GroupCore("GroupBarrier", where)) {
    const int64_t cores = simulator::VectorCores();
    const int64_t most = cores < kMostCores ? cores : kMostCores;
    tilesim::isa::RequireRange(*core, "arriveSize", arrive_size_, 1, most, "there are no more cores");
    tilesim::isa::RequireRange(*core, "waitSize", wait_size_, 1, most, "there are no more cores");
    core->Require(reinterpret_cast<uint64_t>(workspace_) % kLineBytes == 0, tilesim::FaultKind::kAlignment,
                  "groupWorkspace", "its address must be a multiple of ", kLineBytes, " bytes");
  }
}

template <PipeMode pipeMode>
void GroupBarrier<pipeMode>::Arrive(uint32_t arriveIndex, SourceLine where) {
  tilesim::Core* const core = GroupCore("GroupBarrier::Arrive", where);
  if (core == nullptr || core->Dropped("GroupBarrier::Arrive", where)) {
    return;
  }
  tilesim::isa::RequireRange(*core, "arriveIndex", arriveIndex, 0, int64_t{arrive_size_} - 1,
                             "it is below arriveSize, another one of each core");
  tilesim::isa::RequireRange(*core, "rounds", ++arrived_, 1, kMostRounds, "make a new barrier");
  simulator::Meeting meeting = GroupMeeting(*core, "GroupBarrier::Arrive", workspace_, where);
  const auto begin = reinterpret_cast<uint64_t>(workspace_);
  meeting.Barrier();
  if (arrived_ > 1) {
    meeting.Await({.words = {begin + arriveIndex * kLineBytes + kWaitsAt},
                   .expected = {static_cast<int32_t>((arrived_ - 1) * wait_size_)}},
                  1);
  }
  std::vector<uint64_t> counters;
  for (uint64_t line = 0; line < lines(); ++line) {
    counters.push_back(begin + line * kLineBytes);
  }
  meeting.AddOne(counters);
}

template <PipeMode pipeMode>
void GroupBarrier<pipeMode>::Wait(uint32_t waitIndex, SourceLine where) {
  tilesim::Core* const core = GroupCore("GroupBarrier::Wait", where);
  if (core == nullptr || core->Dropped("GroupBarrier::Wait", where)) {
    return;
  }
  tilesim::isa::RequireRange(*core, "waitIndex", waitIndex, 0, int64_t{wait_size_} - 1,
                             "it is below waitSize, another one of each core");
  tilesim::isa::RequireRange(*core, "rounds", ++waited_, 1, kMostRounds, "make a new barrier");
  simulator::Meeting meeting = GroupMeeting(*core, "GroupBarrier::Wait", workspace_, where);
  const auto begin = reinterpret_cast<uint64_t>(workspace_);
  meeting.Barrier();
  meeting.Await(
      {.words = {begin + waitIndex * kLineBytes}, .expected = {}, .least_sum = waited_ * arrive_size_}, 1);
  std::vector<uint64_t> counters;
  for (uint64_t line = 0; line < lines(); ++line) {
    counters.push_back(begin + line * kLineBytes + kWaitsAt);
  }
  meeting.AddOne(counters);
}

template class GroupBarrier<PipeMode::MTE3_MODE>;

}  // namespace AscendC

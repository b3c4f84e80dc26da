// What the cores of a launch did, as the clock needs it: each instruction with its pipe, its cost (of a move
// of GM: the bytes it passes and the rule of its cost) and its source line, each flag, barrier and unit flag,
// in program order. Written while the kernel runs (LaunchOptions::recording), replayed as often as one likes
// (sim/core/replay.h). Knows no times and no data; of GM the buffers of the launch, not where the host has
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/folded_sequence.h"
#include "sim/core/gm_move.h"
#include "sim/core/identity.h"
#include "sim/core/instruction.h"
#include "sim/core/interned.h"
#include "sim/core/pipe.h"
#include "sim/core/source_line.h"

namespace tilesim {

// One thing that a core does. Texts are literals, kept by pointer.
struct Step {
  enum class Kind : uint8_t {
    kRun,       // an instruction on `pipe`, of `cost`
    kSetFlag,   // from `pipe` to `to`, `id`
    kWaitFlag,  // likewise
    kBarrier,   // of `pipe`
    kBarrierAll,
    kScalar,     // work of the scalar unit: `cost.busy_cycles`
    kAwait,      // the next scalar access waits for `pipe`, as the compiler sees to it
    kTakeUnits,  // the next instruction of `pipe` waits for `blocks` of L0C from `block` on
    kHandUnits,  // the last instruction of `pipe` hands them over
    kCrossSet,   // of a flag for other cores, by `pipe`
    kCrossWait,  // for other cores: the recording says for which of their sets
  };
  Kind kind = Kind::kRun;
  Pipe pipe = Pipe::kS;
  Pipe to = Pipe::kS;
  uint8_t id = 0;
  uint16_t block = 0;  // 512 bytes of L0C each
  uint16_t blocks = 0;
  uint32_t gm = 0;  // number of the instruction's GmPattern + 1, which gives its cost; 0: none
  Cost cost = {};
  const char* name = "";  // of the instruction
  SourceLine where = {};

  uint64_t Hash() const;
  // Of texts, by where they lie.
  friend bool operator==(const Step& a, const Step& b) {
    return a.kind == b.kind && a.pipe == b.pipe && a.to == b.to && a.id == b.id && a.block == b.block &&
           a.blocks == b.blocks && a.gm == b.gm && a.cost == b.cost && a.name == b.name &&
           a.where.file == b.where.file && a.where.line == b.where.line;
  }
};

// A flag that a core set for others: the how many-th of its sets.
struct CrossCoreSource {
  int core = 0;
  uint32_t set = 0;
};

// A core's steps in program order. What recurs is kept once, so that a step takes four bytes, and in the
// rounds of most loops behind the first next to none; a move of GM takes eight more.
class Recording {
 public:
  // From now on a step for which the recording would take more than so many bytes is refused with a
  // UserError.
  void SetMostBytes(uint64_t bytes) { most_bytes_ = bytes; }
  void Run(Pipe pipe, const Cost& cost, const char* name, const SourceLine& where) {
    Add({.kind = Step::Kind::kRun, .pipe = pipe, .cost = cost, .name = name, .where = where});
    ++runs_;
  }
  // One whose bytes, in the pattern's buffer from `begin` on, pass between GM and this core.
  void RunOverGm(Pipe pipe, const GmPattern& pattern, uint64_t begin, const char* name,
                 const SourceLine& where) {
    if (gm_begins_.size() == gm_begins_.capacity()) [[unlikely]] {
      gm_begins_.reserve(RoomBeyond(gm_begins_.size(), sizeof(begin)));
    }
    Add({.kind = Step::Kind::kRun,
         .pipe = pipe,
         .gm = patterns_.NumberOf(pattern) + 1,
         .name = name,
         .where = where});
    gm_begins_.push_back(begin);
    ++runs_;
  }
  void SetFlag(Pipe src, Pipe dst, int id) { AddFlag(Step::Kind::kSetFlag, src, dst, id); }
  void WaitFlag(Pipe src, Pipe dst, int id) { AddFlag(Step::Kind::kWaitFlag, src, dst, id); }
  void Barrier(Pipe pipe) { Add({.kind = Step::Kind::kBarrier, .pipe = pipe}); }
  void BarrierAll() { Add({.kind = Step::Kind::kBarrierAll}); }
  void Scalar(int64_t cycles) { Add({.kind = Step::Kind::kScalar, .cost = {.busy_cycles = cycles}}); }
  void Await(Pipe pipe) { Add({.kind = Step::Kind::kAwait, .pipe = pipe}); }
  // Not noted twice in a row where none were handed over meanwhile: the first holds the pipe back as long.
  void TakeUnits(Pipe pipe, uint64_t block, uint64_t blocks) {
    const Units units = {pipe, block, blocks};
    if (units != taken_) {
      AddUnits(Step::Kind::kTakeUnits, units);
      taken_ = units;
    }
  }
  void HandUnits(Pipe pipe, uint64_t block, uint64_t blocks) {
    AddUnits(Step::Kind::kHandUnits, {pipe, block, blocks});
    taken_ = {};
  }
  // Gives the number of this set among the core's.
  uint32_t CrossSet(Pipe pipe) {
    Add({.kind = Step::Kind::kCrossSet, .pipe = pipe});
    return cross_sets_++;
  }
  void CrossWait(std::span<const CrossCoreSource> sources);

  size_t size() const { return sequence_.size(); }
  // Goes through the steps, from the `first`-th on.
  class Cursor {
   public:
    explicit Cursor(const Recording& recording, size_t first = 0)
        : recording_(&recording), number_(recording.sequence_, first) {}
    bool AtEnd() const { return number_.AtEnd(); }
    size_t place() const { return number_.place(); }
    const Step& operator*() const { return recording_->steps_[*number_]; }
    const Step* operator->() const { return &**this; }
    Cursor& operator++() {
      ++number_;
      return *this;
    }

   private:
    const Recording* recording_;
    FoldedSequence::Cursor number_;
  };
  const GmPattern& PatternOf(const Step& step) const { return patterns_[step.gm - 1]; }
  // Of the n-th step with a pattern.
  uint64_t GmBegin(size_t n) const { return gm_begins_[n]; }
  void SetGmBegin(size_t n, uint64_t begin) { gm_begins_[n] = begin; }
  size_t moves() const { return gm_begins_.size(); }
  // Forgets all steps but the first `size`.
  void CutTo(size_t size);
  // Of the n-th kCrossWait.
  std::span<const CrossCoreSource> SourcesOfWait(size_t n) const;
  // Instructions so far: the number that the next one gets.
  int64_t runs() const { return runs_; }
  size_t distinct_steps() const { return steps_.size(); }
  // For archives.
  template <class Archive>
  friend void Fields(Archive& archive, Recording& recording) {
    archive(recording.sequence_, recording.steps_, recording.times_, recording.patterns_,
            recording.gm_begins_, recording.sources_, recording.source_ends_, recording.runs_,
            recording.cross_sets_);
  }
  // Calls f(step, times) for each that is not the same as one before.
  template <class F>
  void ForDistinctSteps(F&& f) const {
    for (uint32_t number = 0; number < times_.size(); ++number) {
      f(steps_[number], times_[number]);
    }
  }

 private:
  void Add(const Step& step) { AddNumber(NumberOf(step)); }
  uint32_t NumberOf(const Step& step) {
    const uint32_t number = steps_.NumberOf(step);
    if (number == times_.size()) {
      times_.push_back(0);
    }
    return number;
  }
  void AddNumber(uint32_t number) {
    if (sequence_.literals() == sequence_.literal_room()) [[unlikely]] {
      sequence_.MakeRoom(RoomBeyond(sequence_.literals(), sizeof(uint32_t)));
    }
    ++times_[number];
    sequence_.push_back(number);
  }
  void AddFlag(Step::Kind kind, Pipe src, Pipe dst, int id) {
    const bool waits = kind == Step::Kind::kWaitFlag;
    uint32_t& known = flags_[static_cast<size_t>(
        ((waits * kNumPipes + Index(src)) * kNumPipes + Index(dst)) * kEventIds + id)];
    if (known == 0) {
      known = NumberOf({.kind = kind, .pipe = src, .to = dst, .id = static_cast<uint8_t>(id)}) + 1;
    }
    AddNumber(known - 1);
  }
  // Blocks of L0C.
  struct Units {
    Pipe pipe = Pipe::kS;
    uint64_t block = 0;
    uint64_t blocks = 0;
    friend bool operator==(const Units&, const Units&) = default;
  };
  void AddUnits(Step::Kind kind, const Units& units) {
    Add({.kind = kind,
         .pipe = units.pipe,
         .block = static_cast<uint16_t>(units.block),
         .blocks = static_cast<uint16_t>(units.blocks)});
  }

  // Twice as many as are kept, of so many bytes each, if they may be.
  size_t RoomBeyond(size_t kept, size_t bytes_each) const;

  FoldedSequence sequence_;  // numbers of steps_
  Interned<Step> steps_;
  std::vector<uint32_t> times_;  // by step: how often it stands in the sequence
  Interned<GmPattern> patterns_;
  std::vector<uint64_t> gm_begins_;  // by step with a pattern
  std::vector<CrossCoreSource> sources_;
  std::vector<size_t> source_ends_;  // by cross-core wait
  int64_t runs_ = 0;
  uint32_t cross_sets_ = 0;
  uint64_t most_bytes_ = UINT64_MAX;
  // By flag, set and waited for: its number in steps_ + 1; 0 before its first use.
  std::array<uint32_t, size_t{2} * kNumPipes * kNumPipes * kEventIds> flags_{};
  Units taken_;  // by the last TakeUnits, if no HandUnits came after it
};

// All cores of a launch, in its order.
struct LaunchRecording {
  std::vector<CoreIdentity> cores;
  std::vector<Recording> recordings;
  std::vector<uint64_t> buffer_bytes;  // of GM, as the launch was given them
};

}  // namespace tilesim

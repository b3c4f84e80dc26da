// The hazard checker's rules said again, byte by byte: knows nothing of strides and keeps everything.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/error.h"
#include "sim/core/happens_before.h"
#include "tests/sim/core/random_program.h"

namespace tilesim {

struct Touch {
  const ProgramStep* step = nullptr;
  uint32_t sequence = 0;
  Use use = Use::kRead;
};

struct Byte {
  Touch writer;
  std::array<Touch, kNumPipes> readers;
};

// What is wrong with a program, a line each: "line operand [begin, end) other line verb".
class ByteModel {
 public:
  // `written`: bytes of GM that others wrote, by round.
  ByteModel(const CoreShape& shape, const std::vector<std::set<uint64_t>>& written)
      : vector_(shape.memory == Memory::kUb), written_(written) {}

  std::set<std::string> Faults(const std::vector<ProgramStep>& program) {
    for (const ProgramStep& step : program) {
      switch (step.kind) {
        case ProgramStep::Kind::kAccess:
          Access(step);
          break;
        case ProgramStep::Kind::kSet:
          order_.SetFlag(step.pipe, step.other, 0);
          break;
        case ProgramStep::Kind::kWait:
          order_.WaitFlag(step.pipe, step.other, 0);
          break;
        case ProgramStep::Kind::kBarrier:
          order_.Barrier(step.pipe);
          break;
        case ProgramStep::Kind::kMeet:
          own_.push_back({});
          [[fallthrough]];
        case ProgramStep::Kind::kBarrierAll:
          order_.BarrierAll();
          break;
      }
    }
    std::set<std::string> faults;
    for (const auto& [key, text] : faults_) {
      faults.insert(text);
    }
    return faults;
  }
  // Bytes of GM written, by round.
  const std::vector<std::set<uint64_t>>& own() const { return own_; }

 private:
  void Access(const ProgramStep& step) {
    sequence_ = order_.Issue(step.pipe);
    for (const bool reads : {true, false}) {
      for (const Region& region : step.regions) {
        if ((region.use == Use::kRead) == reads) {
          region.ForEachRun([&](uint64_t begin, uint64_t end) { Run(step, region, begin, end); });
        }
      }
    }
  }

  bool Conflicts(const ProgramStep& now, const Touch& before, bool wrote) const {
    const bool compiler = vector_ && (now.pipe == Pipe::kS || before.step->pipe == Pipe::kS ||
                                      (now.pipe == Pipe::kV && before.step->pipe == Pipe::kV));
    const bool in_order = now.pipe == before.step->pipe &&
                          (!wrote || (!now.disordered && now.pipe != Pipe::kMte2 && now.pipe != Pipe::kMte3));
    return before.step != &now && !compiler && !in_order &&
           !order_.Ordered(now.pipe, before.step->pipe, before.sequence);
  }

  bool Unwritten(const Region& region, uint64_t at, const Byte& byte) const {
    if (region.memory != Memory::kGm) {
      return region.use == Use::kRead && byte.writer.step == nullptr;
    }
    if (region.use == Use::kWrite || at < kUnset) {
      return false;
    }
    bool known = byte.writer.step != nullptr;
    for (size_t round = 0; round + 1 < own_.size() && round < written_.size(); ++round) {
      known = known || written_[round].contains(at);
    }
    return !known;
  }

  void Run(const ProgramStep& step, const Region& region, uint64_t begin, uint64_t end) {
    const Touch* writer = nullptr;  // of those in conflict, the last of the program
    const Touch* reader = nullptr;
    const auto is_later = [](const Touch& touch, const Touch* than) {
      return than == nullptr || touch.step > than->step;
    };
    bool unwritten = false;
    auto& bytes = bytes_[static_cast<size_t>(region.memory)];
    for (uint64_t at = begin; at < end; ++at) {
      const Byte& byte = bytes[at];
      unwritten = unwritten || Unwritten(region, at, byte);
      if (byte.writer.step != nullptr && is_later(byte.writer, writer) &&
          Conflicts(step, byte.writer, true) &&
          (region.use != Use::kAtomic || byte.writer.use != Use::kAtomic)) {
        writer = &byte.writer;
      }
      for (const Touch& touch : byte.readers) {
        if (region.use != Use::kRead && touch.step != nullptr && is_later(touch, reader) &&
            Conflicts(step, touch, false)) {
          reader = &touch;
        }
      }
    }
    if (unwritten) {
      Tell(step, region, begin, end, nullptr, "");
    }
    if (writer != nullptr &&
        (reader == nullptr || (writer->step->pipe != step.pipe && is_later(*writer, reader)))) {
      Tell(step, region, begin, end, writer->step, "writes");
    } else if (reader != nullptr) {
      Tell(step, region, begin, end, reader->step, "reads");
    }
    const Touch now{&step, sequence_, region.use};
    for (uint64_t at = begin; at < end; ++at) {
      if (region.use == Use::kRead) {
        bytes[at].readers[static_cast<size_t>(step.pipe)] = now;
      } else {
        bytes[at] = {.writer = now, .readers = {}};
        if (region.memory == Memory::kGm) {
          own_.back().insert(at);
        }
      }
    }
  }

  // A pair of lines is told once an operand, of its first run.
  void Tell(const ProgramStep& step, const Region& region, uint64_t begin, uint64_t end,
            const ProgramStep* other, const char* verb) {
    const uint64_t base = region.memory != Memory::kGm ? 0 : region.begin < kUnset ? kFilled : kUnset;
    const std::string who = other == nullptr ? "" : Say("k:", other->line, " ", verb);
    faults_.try_emplace(
        Say(step.line, " ", Name(region.memory), " ", region.operand, " ", who),
        Say("k:", step.line, " ", region.operand, " [", begin - base, ", ", end - base, ") ", who));
  }

  bool vector_;
  const std::vector<std::set<uint64_t>>& written_;
  HappensBefore order_;
  uint32_t sequence_ = 0;
  std::array<std::map<uint64_t, Byte>, kNumMemories> bytes_;
  std::map<std::string, std::string> faults_;
  std::vector<std::set<uint64_t>> own_{1};
};

}  // namespace tilesim

// HazardChecker against a model that knows every byte and nothing of strides: programs at random.
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "gtest/gtest.h"
#include "sim/core/happens_before.h"
#include "tests/sim/core/probe.h"
#include "tests/sim/core/random_region.h"

namespace tilesim {
namespace {

using enum Pipe;
using enum Memory;

constexpr uint64_t kGmBytes = 65536 + 4096;  // across the end of a page
constexpr uint64_t kFilled = (uint64_t{1} << 30) - 2048;
constexpr uint64_t kUnset = kFilled + 2 * 65536;  // nobody has filled it

struct Step {
  enum class Kind { kAccess, kSet, kWait, kBarrier, kBarrierAll, kMeet } kind = Kind::kAccess;
  Pipe pipe = kS;  // of an access or a barrier; the source of a flag
  Pipe other = kS;
  bool disordered = false;
  std::vector<Region> regions = {};
  int line = 0;
};

struct CoreShape {
  KernelType type;
  Memory memory;
  std::vector<Pipe> pipes;
  std::vector<std::pair<Pipe, Pipe>> flags;
};
const CoreShape kCube{KernelType::kMixAic1Aiv0,
                      kL1,
                      {kMte1, kMte2, kM, kFix},
                      {{kMte2, kMte1}, {kMte1, kM}, {kM, kFix}, {kFix, kM}, {kM, kMte2}}};
const CoreShape kVector{KernelType::kMixAiv1Aic0,
                        kUb,
                        {kV, kMte2, kMte3, kS},
                        {{kMte2, kV}, {kV, kMte3}, {kMte3, kMte2}, {kV, kMte2}, {kMte3, kV}}};

// One core's program. `meetings` decides when the cores meet, alike on all of them.
std::vector<Step> RandomProgram(std::mt19937& random, std::mt19937 meetings, const CoreShape& shape) {
  std::vector<Step> program;
  std::vector<bool> set(shape.flags.size());
  std::vector<Region> used;  // programs come back to the same places
  for (int line = 1; line <= 60; ++line) {
    Step access{.pipe = shape.pipes[random() % shape.pipes.size()], .line = line};
    access.disordered = access.pipe == kV || (access.pipe == kM && random() % 2 == 0);
    for (uint64_t i = 0; i < 1 + random() % 2; ++i) {
      Region region =
          used.empty() || random() % 3 != 0 ? RandomRegion(random, 0, 4096) : used[random() % used.size()];
      used.push_back(region);
      const uint64_t place = random() % 6;
      region.memory = place < 4 ? shape.memory : kGm;
      region.begin += place < 4 ? 0 : place == 4 ? kFilled : kUnset;
      if (place >= 4 && random() % 4 == 0 && region.outer_count > 1) {
        region.outer_count = 2;
        region.outer_stride_bytes = 65536;  // over the pages
      }
      const uint64_t use = random() % 8;
      region.use = use < 4 ? Use::kRead : use == 4 && place >= 4 ? Use::kAtomic : Use::kWrite;
      region.operand = region.use == Use::kRead ? "src" : "dst";
      access.regions.push_back(region);
    }
    program.push_back(access);
    for (uint64_t i = random() % 6; i > 0; --i) {
      const size_t flag = random() % set.size();
      program.push_back({.kind = set[flag] ? Step::Kind::kWait : Step::Kind::kSet,
                         .pipe = shape.flags[flag].first,
                         .other = shape.flags[flag].second});
      set[flag] = !set[flag];
    }
    if (random() % 3 == 0) {
      program.push_back({.kind = Step::Kind::kBarrier, .pipe = shape.pipes[random() % 3]});
    }
    if (random() % 4 == 0) {
      program.push_back({.kind = Step::Kind::kBarrierAll});
    }
    if (meetings() % 8 == 0) {
      program.push_back({.kind = Step::Kind::kMeet});
    }
  }
  return program;
}

void Play(Core& core, const std::vector<Step>& program) {
  for (const Step& step : program) {
    switch (step.kind) {
      case Step::Kind::kAccess:
        Do(core, {.on = step.pipe, .regions = step.regions, .disordered = step.disordered},
           {.file = "k", .line = step.line});
        break;
      case Step::Kind::kSet:
        core.SetFlag(step.pipe, step.other, 0, {});
        break;
      case Step::Kind::kWait:
        core.WaitFlag(step.pipe, step.other, 0, {});
        break;
      case Step::Kind::kBarrier:
        core.Barrier(step.pipe, {});
        break;
      case Step::Kind::kBarrierAll:
        core.BarrierAll({});
        break;
      case Step::Kind::kMeet:
        Meet(core, 2, {});
        break;
    }
  }
}

struct Touch {
  const Step* step = nullptr;
  uint32_t sequence = 0;
  Use use = Use::kRead;
};

struct Byte {
  Touch writer;
  std::array<Touch, kNumPipes> readers;
};

// What is wrong with a program, a line each: "line operand [begin, end) other line verb".
class Model {
 public:
  // `written`: bytes of GM that others wrote, by round.
  Model(const CoreShape& shape, const std::vector<std::set<uint64_t>>& written)
      : vector_(shape.memory == kUb), written_(written) {}

  std::set<std::string> Faults(const std::vector<Step>& program) {
    for (const Step& step : program) {
      switch (step.kind) {
        case Step::Kind::kAccess:
          Access(step);
          break;
        case Step::Kind::kSet:
          order_.SetFlag(step.pipe, step.other, 0);
          break;
        case Step::Kind::kWait:
          order_.WaitFlag(step.pipe, step.other, 0);
          break;
        case Step::Kind::kBarrier:
          order_.Barrier(step.pipe);
          break;
        case Step::Kind::kMeet:
          own_.push_back({});
          [[fallthrough]];
        case Step::Kind::kBarrierAll:
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
  void Access(const Step& step) {
    sequence_ = order_.Issue(step.pipe);
    for (const bool reads : {true, false}) {
      for (const Region& region : step.regions) {
        if ((region.use == Use::kRead) == reads) {
          region.ForEachRun([&](uint64_t begin, uint64_t end) { Run(step, region, begin, end); });
        }
      }
    }
  }

  bool Conflicts(const Step& now, const Touch& before, bool wrote) const {
    const bool compiler =
        vector_ && (now.pipe == kS || before.step->pipe == kS || (now.pipe == kV && before.step->pipe == kV));
    const bool in_order = now.pipe == before.step->pipe &&
                          (!wrote || (!now.disordered && now.pipe != kMte2 && now.pipe != kMte3));
    return before.step != &now && !compiler && !in_order &&
           !order_.Ordered(now.pipe, before.step->pipe, before.sequence);
  }

  bool Unwritten(const Region& region, uint64_t at, const Byte& byte) const {
    if (region.memory != kGm) {
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

  void Run(const Step& step, const Region& region, uint64_t begin, uint64_t end) {
    const Touch* writer = nullptr;
    const Touch* reader = nullptr;
    bool unwritten = false;
    auto& bytes = bytes_[static_cast<size_t>(region.memory)];
    for (uint64_t at = begin; at < end; ++at) {
      const Byte& byte = bytes[at];
      unwritten = unwritten || Unwritten(region, at, byte);
      if (byte.writer.step != nullptr && Conflicts(step, byte.writer, true) &&
          (region.use != Use::kAtomic || byte.writer.use != Use::kAtomic)) {
        writer = &byte.writer;
      }
      for (const Touch& touch : byte.readers) {
        if (region.use != Use::kRead && touch.step != nullptr && Conflicts(step, touch, false)) {
          reader = &touch;
        }
      }
    }
    if (unwritten) {
      Tell(step, region, begin, end, nullptr, "");
    }
    if (writer != nullptr && (reader == nullptr || writer->step->pipe != step.pipe)) {
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
        if (region.memory == kGm) {
          own_.back().insert(at);
        }
      }
    }
  }

  // A pair of lines is told once an operand, of its first run.
  void Tell(const Step& step, const Region& region, uint64_t begin, uint64_t end, const Step* other,
            const char* verb) {
    const uint64_t base = region.memory != kGm ? 0 : region.begin < kUnset ? kFilled : kUnset;
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

// A fault of one core in the model's words.
std::string InShort(const Fault& fault) {
  const std::string& what = fault.what;
  const size_t place = what.find('[');
  std::string text = Say("k:", fault.where.line, " ", fault.operand.substr(0, 3), " ",
                         what.substr(place, what.find(')') - place + 1), " ");
  if (fault.kind == FaultKind::kHazard) {
    const size_t other = what.find("(k:") + 1;
    const size_t verb = what.find(") ", other) + 2;
    text += Say(what.substr(other, what.find_first_of(",)", other) - other), " ",
                what.substr(verb, what.find(',', verb) - verb));
  }
  return text;
}

bool BetweenCores(const Fault& fault) { return fault.operand == "GM"; }

// Pairs of lines of two cores with a byte in common, a write among them, in one round between meetings.
std::set<std::pair<int, int>> HazardsBetween(const std::vector<std::vector<Step>>& programs) {
  struct Met {
    size_t core;
    int round;
    int line;
    Use use;
  };
  std::map<uint64_t, std::set<std::tuple<size_t, int, int, Use>>> touched;
  for (size_t core = 0; core < programs.size(); ++core) {
    int round = 0;
    for (const Step& step : programs[core]) {
      round += step.kind == Step::Kind::kMeet ? 1 : 0;
      for (const Region& region : step.regions) {
        region.ForEachRun([&](uint64_t begin, uint64_t end) {
          for (uint64_t at = begin; at < end && region.memory == kGm; ++at) {
            touched[at].insert({core, round, step.line, region.use});
          }
        });
      }
    }
  }
  std::set<std::pair<int, int>> pairs;
  for (const auto& [at, touches] : touched) {
    for (const auto& [core_a, round_a, line_a, use_a] : touches) {
      for (const auto& [core_b, round_b, line_b, use_b] : touches) {
        const bool harmless = use_a == use_b && use_a != Use::kWrite;
        if (core_a < core_b && round_a == round_b && !harmless) {
          pairs.insert({line_a, line_b});
        }
      }
    }
  }
  return pairs;
}

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, TheCheckerFindsWhatAModelByBytesFinds) {
  size_t told = 0;
  size_t compared = 0;
  size_t between = 0;
  for (unsigned seed = GetParam() * 1000; seed < GetParam() * 1000 + 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const CoreShape& shape = seed % 2 == 0 ? kCube : kVector;
    const int64_t cores = 1 + seed / 2 % 2;
    std::vector<std::vector<Step>> programs;
    for (int64_t core = 0; core < cores; ++core) {
      programs.push_back(RandomProgram(random, std::mt19937(seed), shape));
    }
    LaunchOptions options{.type = shape.type,
                          .blocks = cores,
                          .mode = {.values = false, .time = false, .hazards = true},
                          .threads = 1};
    options.gm.Add({.name = "x", .address = kFilled, .size_bytes = kGmBytes});
    options.gm.Add({.name = "w", .address = kUnset, .size_bytes = kGmBytes, .initialised = false});
    const LaunchResult result = LaunchOnUnit(
        options, [&](Core& core) { Play(core, programs[static_cast<size_t>(core.identity().block)]); });
    std::vector<std::vector<std::set<uint64_t>>> written;  // by core, by round
    for (const std::vector<Step>& program : programs) {
      const std::vector<std::set<uint64_t>> nothing;
      Model model(shape, nothing);
      model.Faults(program);
      written.push_back(model.own());
    }
    for (size_t core = 0; core < programs.size(); ++core) {
      const std::set<std::string> expected =
          Model(shape, written[programs.size() - 1 - core]).Faults(programs[core]);
      std::set<std::string> found;
      for (const Fault& fault : result.faults) {
        const bool mine = fault.core == result.cores[core].identity.Name();
        if (mine && !BetweenCores(fault) && fault.kind != FaultKind::kFlag) {
          found.insert(InShort(fault));
        }
      }
      if (expected.size() <= 64) {  // more are counted, not kept
        EXPECT_EQ(found, expected);
        ++compared;
        told += expected.size();
      }
    }
    const std::set<std::pair<int, int>> pairs = HazardsBetween(programs);
    std::set<std::pair<int, int>> found_pairs;
    size_t told_between = 0;
    for (const Fault& fault : result.faults) {
      if (BetweenCores(fault)) {
        const size_t other = fault.what.find("(k:") + 3;
        found_pairs.insert({std::stoi(fault.what.substr(other)), fault.where.line});
        ++told_between;
      }
    }
    EXPECT_TRUE(std::ranges::includes(pairs, found_pairs));
    if (told_between < 16) {  // no more are told
      EXPECT_EQ(found_pairs, pairs);
    }
    between += found_pairs.size();
  }
  EXPECT_GT(compared, 60U);
  EXPECT_GT(told, 500U);
  EXPECT_GT(between, 50U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(1U, 5U));

}  // namespace
}  // namespace tilesim

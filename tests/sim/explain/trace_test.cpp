#include "sim/explain/trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/sim/core/probe.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

using nlohmann::json;
using enum Pipe;

struct Traced {
  std::vector<float> data = std::vector<float>(256);
  std::string text;
  json tree;

  explicit Traced(const TraceWindow& window = {}, int threads = 1, KernelType type = KernelType::kMixAic1_1) {
    LaunchOptions options{.type = type, .blocks = 3, .threads = threads};
    options.gm.Add(BufferOf("x", data));
    SocConfig soc = UnitSoc();
    soc.clock_mhz = 1850;  // so that times are no whole numbers
    ChromeTrace trace(soc, options, window);
    const uint64_t begin = options.gm.buffers()[0].address;
    LaunchTraced(
        soc, options, [&] { Kernel(CurrentCore(), begin); }, trace);
    std::ostringstream out;
    trace.Write(out);
    text = out.str();
    tree = ParseJson(text);
    EXPECT_EQ(tree["otherData"]["events"], trace.kept());
    EXPECT_EQ(tree["otherData"]["events_left_out"], trace.left_out());
  }

  static void Kernel(Core& core, uint64_t begin) {
    const bool cube = core.identity().kind == CoreKind::kAic;
    const Memory local = cube ? Memory::kL1 : Memory::kUb;
    for (int i = 0; i < 10; ++i) {
      core.MarkTile({.names = {"k \"0\"", nullptr, nullptr}, .indices = {i, 0, 0}});
      core.Issue(Probe{.on = kMte2,
                       .regions = {Reads(Memory::kGm, begin + 64, begin + 96), Writes(local, 32, 64)},
                       .cost = {.busy_cycles = 7 + i, .latency_cycles = 3}},
                 {.file = "dir\\kernel.cpp", .line = 40});
      core.SetFlag(kMte2, kMte3, 0, {});
      core.WaitFlag(kMte2, kMte3, 0, {});
      core.Issue(Probe{.on = kMte3, .cost = {.busy_cycles = 5, .latency_cycles = 0}},
                 {.file = "kernel.cpp", .line = 41});
      core.BarrierAll({});
    }
  }

  // Without waits.
  std::vector<json> Of(const std::string& phase) const {
    std::vector<json> events;
    for (const json& event : tree["traceEvents"]) {
      if (event["ph"] == phase && event.value("cat", "") != "wait") {
        events.push_back(event);
      }
    }
    return events;
  }
};

TEST(ChromeTrace, NamesAProcessACoreAndALaneAPipe) {
  const Traced traced;
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> lanes;
  for (const json& event : traced.Of("M")) {
    if (event["name"] == "process_name") {
      processes[event["pid"]] = event["args"]["name"];
    } else if (event["name"] == "thread_name") {
      lanes[{event["pid"], event["tid"]}] = event["args"]["name"];
    }
  }
  ASSERT_EQ(processes.size(), 6U);
  EXPECT_EQ(processes[2], "AIC 2");
  EXPECT_EQ(processes[3], "AIV 0.0");
  EXPECT_EQ(lanes.size(), 12U);
  for (const json& event : traced.Of("X")) {
    EXPECT_EQ(lanes.count({event["pid"], event["tid"]}), 1U);
  }
  EXPECT_EQ((lanes[{0, Index(kMte2)}]), "MTE2");
}

TEST(ChromeTrace, EventsHoldTimePlaceAndWaiting) {
  const std::vector<json> events = Traced().Of("X");
  ASSERT_EQ(events.size(), 6U * 20);
  const json& load = events[0];
  EXPECT_EQ(load["name"], "Probe");
  EXPECT_NEAR(load["ts"].get<double>(), 1 / 1850.0, 1e-6);
  EXPECT_NEAR(load["dur"].get<double>(), 7 / 1850.0, 1e-6);
  const json& args = load["args"];
  EXPECT_EQ(args["tile"], "k \"0\" 0");
  EXPECT_EQ(args["source"], "dir\\kernel.cpp:40");
  EXPECT_EQ(args["0 src"], "GM x + 64, 32 B read");
  EXPECT_EQ(args["1 dst"], "L1 + 32, 32 B written");
  const json& store = events[1]["args"];
  EXPECT_EQ(store["issue_cycle"], 4);   // load, set, wait, itself
  EXPECT_EQ(store["ready_cycle"], 12);  // the load's result at 11, the flag 1 later
  EXPECT_EQ(store["waited_for_flags_cycles"], 8);
  EXPECT_EQ(store["waited_last_for"], "flag of MTE2");
  EXPECT_EQ(store["waited_for_pipe_cycles"], 0);
  EXPECT_EQ(store["busy_cycles"], 5);
}

TEST(ChromeTrace, EventsOfALaneAreSortedAndApart) {
  std::map<std::pair<int, int>, double> ends;
  for (const json& event : Traced().Of("X")) {
    double& end = ends[{event["pid"], event["tid"]}];
    EXPECT_GE(event["ts"].get<double>(), end - 1e-9);
    end = event["ts"].get<double>() + event["dur"].get<double>();
  }
  EXPECT_EQ(ends.size(), 12U);
}

TEST(ChromeTrace, AWaitIsDrawnApartAndFillsALanesGap) {
  const Traced traced;
  std::map<std::pair<int, int>, json> last;
  int waits = 0;
  for (const json& event : traced.tree["traceEvents"]) {
    if (event["ph"] != "X") {
      continue;
    }
    const json before = std::exchange(last[{event["pid"], event["tid"]}], event);
    const double end = before.is_null() ? 0 : before["ts"].get<double>() + before["dur"].get<double>();
    EXPECT_NEAR(event["ts"].get<double>(), end, 1e-9);  // no gaps, no overlaps
    if (event.value("cat", "") == "wait") {
      ++waits;
      EXPECT_GT(event["dur"].get<double>(), 0);
      EXPECT_EQ(event["name"].get<std::string>().rfind("wait: ", 0), 0U);
    }
  }
  EXPECT_EQ(waits, 6 * 20);
}

TEST(ChromeTrace, ArrowsFollowTheCriticalPathOnly) {
  const Traced traced;
  const std::vector<json> starts = traced.Of("s");
  const std::vector<json> ends = traced.Of("f");
  ASSERT_EQ(starts.size(), 19U);  // the 20 instructions of the first core, one after the other
  ASSERT_EQ(ends.size(), starts.size());
  const std::vector<json> events = traced.Of("X");
  const auto within = [&](const json& arrow) {
    return std::ranges::find_if(events, [&](const json& event) {
      const double at = arrow["ts"].get<double>() - event["ts"].get<double>();
      return event["pid"] == arrow["pid"] && event["tid"] == arrow["tid"] && at >= 0 &&
             at < event["dur"].get<double>();
    });
  };
  for (size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
    const auto from = within(starts[i]);
    const auto to = within(ends[i]);
    ASSERT_TRUE(from != events.end() && to != events.end());
    EXPECT_EQ((*from)["args"]["critical_path"], true);
    EXPECT_LT((*from)["ts"].get<double>(), (*to)["ts"].get<double>());
  }
}

TEST(ChromeTrace, AWindowKeepsWhatIsInIt) {
  const std::vector<json> all = Traced().Of("X");
  const int64_t from = all[4]["args"]["start_cycle"].get<int64_t>() + 1;  // in the middle of the event
  const int64_t to = all[9]["args"]["start_cycle"];
  int64_t expected = 0;
  for (const json& event : all) {
    const int64_t start = event["args"]["start_cycle"];
    expected += start < to && start + event["args"]["busy_cycles"].get<int64_t>() > from ? 1 : 0;
  }
  const Traced some({.from_cycle = from, .to_cycle = to});
  EXPECT_EQ(static_cast<int64_t>(some.Of("X").size()), expected);
  for (const json& event : some.tree["traceEvents"]) {
    if (event.contains("dur")) {  // a wait before an event that the window cuts is not in it
      const double end_us = event["ts"].get<double>() + event["dur"].get<double>();
      EXPECT_GE(end_us, static_cast<double>(from) / some.tree["otherData"]["clock_mhz"].get<double>())
          << event;
    }
  }
  EXPECT_EQ(some.tree["otherData"]["events_left_out"], 120 - expected);
  EXPECT_EQ(some.tree["otherData"]["to_cycle"], to);
}

TEST(ChromeTrace, IsBoundedAndSaysWhatItLeftOut) {
  const Traced traced({.max_events = 31});
  EXPECT_EQ(traced.Of("X").size(), 30U);  // 5 for each of the 6 cores
  EXPECT_EQ(traced.tree["otherData"]["events_left_out"], 90);
  EXPECT_TRUE(Traced({.max_events = 0}).Of("X").empty());
}

TEST(ChromeTrace, DoesNotDependOnTheNumberOfThreads) {
  const std::string one = Traced({}, 1).text;
  EXPECT_EQ(Traced({}, 2).text, one);
  EXPECT_EQ(Traced({}, 5).text, one);
}

// What a trace says of an instruction comes from a second run, which has to be the first one's like.
TEST(ChromeTrace, TellsWhereTheSecondRunDiffersFromTheFirst) {
  const auto trace_of = [](bool values) {
    LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .threads = 1};
    options.mode.values = values;
    options.mode.hazards = false;
    const SocConfig soc = UnitSoc();
    ChromeTrace trace(soc, options);
    int runs = 0;
    const auto kernel = [&] {
      const int line = 10 + runs++;
      CurrentCore().Issue(Probe{.on = kMte3, .cost = {.busy_cycles = 5}}, {.file = "a.cpp", .line = line});
    };
    LaunchTraced(soc, options, kernel, trace);
    return trace.kept();
  };
  EXPECT_EQ(trace_of(true), 1) << "without its values a kernel may go elsewhere";
  try {
    trace_of(false);
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("differs from the first: AIV 0, instruction 0"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tilesim

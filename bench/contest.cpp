#include "bench/contest.h"

#include <benchmark/benchmark.h>
#include <omp.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "ops/harness/device_tensor.h"
#include "ops/operator_run.h"

namespace tilesim::bench {
namespace {

// Of one thread: what the process computes for, whoever else is on the machine. Of more: what passes.
double SecondsNow(int threads) {
  if (threads > 1) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class F>
void TimeEach(benchmark::State& state, int threads, F&& run) {
  run();  // touches the memory
  for (auto _ : state) {
    const double start = SecondsNow(threads);
    run();
    state.SetIterationTime(SecondsNow(threads) - start);
  }
}

void RunPeer(benchmark::State& state, const Contest& contest) {
  omp_set_num_threads(1);
  const std::unique_ptr<Peer> peer = contest.make_peer();
  TimeEach(state, 1, [&] { peer->Run(); });
  state.SetLabel(peer->implementation());
}

// Times the launch alone: tensors stand where the device wants them, as the peer's do.
void RunTilesim(benchmark::State& state, const Contest& contest, const RunMode& mode, int threads) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::unique_ptr<Operator> op = contest.make_operator();
  const Plan plan = op->MakePlan(PlannerKind::kOp, soc, CoresOf(*op, soc));
  std::vector<Tensor> tensors = contest.make_inputs(*op);
  const std::vector<OperatorTensor> inputs = op->Inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors[i] = ToDevice(std::move(tensors[i]), inputs[i].device);
  }
  for (const OperatorTensor& output : op->Outputs()) {
    tensors.emplace_back(output.dtype, output.device);
  }
  for (const OperatorTensor& own : op->Workspace(plan)) {
    tensors.emplace_back(own.dtype, own.device);
  }
  LaunchOptions launch = TimedLaunch(*op, plan, {.threads = threads});
  launch.mode = mode;
  launch.gm = {};
  std::vector<uint8_t*> gm;
  for (size_t i = 0; i < tensors.size(); ++i) {
    gm.push_back(reinterpret_cast<uint8_t*>(tensors[i].data()));
    launch.gm.Add({.name = i < inputs.size() ? inputs[i].name : "output",
                   .address = reinterpret_cast<uint64_t>(gm.back()),
                   .size_bytes = tensors[i].size_bytes(),
                   .initialised = i < inputs.size()});
  }
  TimeEach(state, threads, [&] {
    const LaunchResult result = Launch(soc, launch, [&] { op->Kernel(plan, gm); });
    if (!result.faults.empty()) {
      state.SkipWithError(result.faults.front().Text().c_str());
    }
  });
}

void RunClock(benchmark::State& state, const Contest& contest) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::unique_ptr<Operator> op = contest.make_operator();
  const Plan plan = op->MakePlan(PlannerKind::kOp, soc, CoresOf(*op, soc));
  int64_t instructions = 0;
  double seconds = 0;
  for (auto _ : state) {
    const LaunchResult result = TimeOperator(*op, plan, soc, {.mode = {}, .threads = 1});
    state.SetIterationTime(result.host_ms / 1000);
    instructions += result.Instructions();
    seconds += result.host_ms / 1000;
  }
  state.counters["instructions_per_second"] = static_cast<double>(instructions) / seconds;
}

// Prints as usual and keeps the times.
class Keeper : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      seconds[run.run_name.function_name] = run.GetAdjustedRealTime() / 1e3;
    }
  }
  std::map<std::string, double> seconds;  // reported in ms
};

// The contests whose values-only ratio is below `least`.
std::vector<std::string> PrintRatios(const std::vector<Contest>& contests,
                                     const std::map<std::string, double>& seconds, double least) {
  std::vector<std::string> slow;
  const auto at = [&](const std::string& name) {
    const auto found = seconds.find(name);
    return found == seconds.end() ? 0.0 : found->second;
  };
  std::printf(
      "\nspeed relative to the peer on one thread (1.0: as fast), of CPU time; and two threads to one\n");
  std::printf("%-28s %12s %12s %18s\n", "contest", "values only", "full", "full, 2 thr / 1");
  for (const Contest& contest : contests) {
    const double peer = at(contest.name + "/peer");
    if (peer == 0) {
      continue;  // not asked for
    }
    const double full = at(contest.name + "/full");
    const double values = at(contest.name + "/values");
    const double two_threads = at(contest.name + "/full_2_threads");
    const auto ratio = [](double of, double to) { return of > 0 && to > 0 ? of / to : 0; };  // 0: did not run
    std::printf("%-28s %12.2f %12.2f %18.2f\n", contest.name.c_str(), ratio(peer, values), ratio(peer, full),
                ratio(full, two_threads));
    if (least > 0 && !(values > 0 && peer / values >= least)) {  // one that did not run is slow, too
      slow.push_back(contest.name);
    }
  }
  return slow;
}

// Takes --least=<ratio> out of the arguments; 0 without one, nothing where it is no ratio.
std::optional<double> TakeLeast(int& argc, char** argv) {
  constexpr std::string_view kOption = "--least=";
  double least = 0;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (!std::string_view(argv[i]).starts_with(kOption)) {
      argv[kept++] = argv[i];
      continue;
    }
    const char* const text = argv[i] + kOption.size();
    char* end = nullptr;
    least = std::strtod(text, &end);
    if (end == text || *end != '\0' || !(least > 0) || std::isinf(least)) {
      std::fprintf(stderr, "--least = '%s': must be a ratio above 0; give one such as 0.5\n", text);
      return std::nullopt;
    }
  }
  argc = kept;
  return least;
}

}  // namespace

std::vector<Tensor> RandomInputs(const Operator& op) {
  std::vector<Tensor> inputs;
  for (const OperatorTensor& input : op.Inputs()) {
    FillRandom(inputs.emplace_back(input.dtype, input.host), inputs.size(), -1, 1);
  }
  return inputs;
}

int RunContests(const std::vector<Contest>& contests, int argc, char** argv) {
  const RunMode values{.values = true, .time = false, .hazards = false};
  for (const Contest& contest : contests) {
    const auto add = [&](const std::string& name, auto run) {
      return benchmark::RegisterBenchmark((contest.name + "/" + name).c_str(), run)
          ->Unit(benchmark::kMillisecond);
    };
    using State = benchmark::State;
    add("peer", [=](State& state) { RunPeer(state, contest); })->UseManualTime();
    add("values", [=](State& state) { RunTilesim(state, contest, values, 1); })->UseManualTime();
    add("full", [=](State& state) { RunTilesim(state, contest, {}, 1); })->UseManualTime();
    add("full_2_threads", [=](State& state) { RunTilesim(state, contest, {}, 2); })->UseManualTime();
    add("clock", [=](State& state) { RunClock(state, contest); })->UseManualTime();
  }
  const std::optional<double> least = TakeLeast(argc, argv);
  if (!least) {
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  const std::vector<std::string> slow = PrintRatios(contests, keeper.seconds, *least);
  for (const std::string& name : slow) {
    std::fprintf(stderr, "%s: values only is below --least=%g times the peer's speed\n", name.c_str(),
                 *least);
  }
  return slow.empty() ? 0 : 1;
}

}  // namespace tilesim::bench

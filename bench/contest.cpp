#include "bench/contest.h"

#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstdio>
#include <map>

#include "ops/operator_run.h"

namespace tilesim::bench {
namespace {

void RunPeer(benchmark::State& state, const Contest& contest) {
  omp_set_num_threads(1);
  const std::unique_ptr<Peer> peer = contest.make_peer();
  peer->Run();
  for (auto _ : state) {
    peer->Run();
  }
  state.SetLabel(peer->implementation());
}

// Times the launch alone: inputs are not made and layouts not changed while the clock runs.
void RunTilesim(benchmark::State& state, const Contest& contest, const RunMode& mode, int threads) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::unique_ptr<Operator> op = contest.make_operator();
  const Plan plan = op->MakePlan(PlannerKind::kOp, soc, CoresOf(*op, soc));
  for (auto _ : state) {
    const OperatorRun run =
        RunOperator(*op, plan, soc, contest.make_inputs(*op), {.mode = mode, .threads = threads});
    state.SetIterationTime(run.launch.host_ms / 1000);
    if (!run.launch.faults.empty()) {
      state.SkipWithError(run.launch.faults.front().Text().c_str());
    }
  }
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

void PrintRatios(const std::vector<Contest>& contests, const std::map<std::string, double>& seconds) {
  const auto at = [&](const std::string& name) {
    const auto found = seconds.find(name);
    return found == seconds.end() ? 0.0 : found->second;
  };
  std::printf("\nspeed relative to the peer on one thread (1.0: as fast), and two threads to one\n");
  std::printf("%-28s %12s %12s %18s\n", "contest", "values only", "full", "full, 2 thr / 1");
  for (const Contest& contest : contests) {
    const double peer = at(contest.name + "/peer");
    if (peer == 0) {
      continue;  // not asked for
    }
    const double full = at(contest.name + "/full");
    std::printf("%-28s %12.2f %12.2f %18.2f\n", contest.name.c_str(), peer / at(contest.name + "/values"),
                peer / full, full / at(contest.name + "/full_2_threads"));
  }
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
    add("peer", [=](State& state) { RunPeer(state, contest); })->UseRealTime();
    add("values", [=](State& state) { RunTilesim(state, contest, values, 1); })->UseManualTime();
    add("full", [=](State& state) { RunTilesim(state, contest, {}, 1); })->UseManualTime();
    add("full_2_threads", [=](State& state) { RunTilesim(state, contest, {}, 2); })->UseManualTime();
    add("clock", [=](State& state) { RunClock(state, contest); })->UseManualTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  PrintRatios(contests, keeper.seconds);
  return 0;
}

}  // namespace tilesim::bench

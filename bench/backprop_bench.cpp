// Both gradients in simulation against oneDNN's f32 backward convolutions in the same process: values only,
// with time and checks, and on two threads; and how many instructions a second the clock alone takes. Ratios
// are printed, never asserted. Usage: backprop_bench [--benchmark_filter=filter/bench_03]
#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "bench/onednn_gradient.h"
#include "ops/case_file.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"

namespace tilesim::bench {
namespace {

struct Layer {
  std::string name;  // "filter/bench_03"
  Gradient gradient;
  Conv3dProblem problem;

  [[nodiscard]] std::unique_ptr<Operator> MakeOperator() const {
    if (gradient == Gradient::kFilter) {
      return std::make_unique<FilterOperator>(problem);
    }
    return std::make_unique<InputOperator>(problem);
  }
};

std::vector<Layer> Layers() {
  std::vector<Layer> layers;
  const auto add = [&](const std::string& name, const Conv3dProblem& problem) {
    layers.push_back({"filter/" + name, Gradient::kFilter, problem});
    layers.push_back({"input/" + name, Gradient::kInput, problem});
  };
  for (const Case& item : ReadCaseFile("configs/cases/conv3d_backprop_filter.csv").cases) {
    for (const char* id : {"bench_03", "bench_04", "bench_10", "bench_18"}) {
      if (item.id == id) {
        add(item.id, item.conv());
      }
    }
  }
  Conv3dProblem resnet;
  resnet.dtype = DType::kFp16;
  resnet.batch = 8;
  resnet.cin = resnet.cout = 64;
  resnet.in = {1, 56, 56};
  resnet.kernel = {1, 3, 3};
  resnet.pad = {0, 0, 1, 1, 1, 1};
  resnet.out = ForwardExtents(resnet);
  add("resnet_8x64x1x56x56", resnet);
  return layers;
}

void RunOneDnn(benchmark::State& state, const Layer& layer, int threads) {
  omp_set_num_threads(threads);
  OneDnnGradient peer(layer.problem, layer.gradient);
  peer.Run();
  for (auto _ : state) {
    peer.Run();
  }
  state.SetLabel(peer.implementation());
}

// Times the launch alone: inputs are not made and layouts not changed while the clock runs.
void RunTilesim(benchmark::State& state, const Layer& layer, const RunMode& mode, int threads) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::unique_ptr<Operator> op = layer.MakeOperator();
  const Plan plan = op->MakePlan(PlannerKind::kOp, soc, soc.aic_cores);
  for (auto _ : state) {
    std::vector<Tensor> inputs;
    for (const OperatorTensor& input : op->Inputs()) {
      FillRandom(inputs.emplace_back(input.dtype, input.host), inputs.size(), -1, 1);
    }
    const OperatorRun run =
        RunOperator(*op, plan, soc, std::move(inputs), {.mode = mode, .threads = threads});
    state.SetIterationTime(run.launch.host_ms / 1000);
    if (!run.launch.faults.empty()) {
      state.SkipWithError(run.launch.faults.front().Text().c_str());
    }
  }
}

void RunClock(benchmark::State& state, const Layer& layer) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const std::unique_ptr<Operator> op = layer.MakeOperator();
  const Plan plan = op->MakePlan(PlannerKind::kOp, soc, soc.aic_cores);
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

void PrintRatios(const std::vector<Layer>& layers, const std::map<std::string, double>& seconds) {
  const auto at = [&](const std::string& name) {
    const auto found = seconds.find(name);
    return found == seconds.end() ? 0.0 : found->second;
  };
  std::printf("\nspeed relative to oneDNN f32 on one thread (1.0: as fast), and two threads to one\n");
  std::printf("%-28s %12s %12s %18s\n", "layer", "values only", "full", "full, 2 thr / 1");
  for (const Layer& layer : layers) {
    const double peer = at(layer.name + "/oneDNN");
    if (peer == 0) {
      continue;  // not asked for
    }
    const double full = at(layer.name + "/full");
    std::printf("%-28s %12.2f %12.2f %18.2f\n", layer.name.c_str(), peer / at(layer.name + "/values"),
                peer / full, full / at(layer.name + "/full_2_threads"));
  }
}

int Main(int argc, char** argv) {
  const std::vector<Layer> layers = Layers();
  const RunMode values{.values = true, .time = false, .hazards = false};
  for (const Layer& layer : layers) {
    const auto add = [&](const std::string& name, auto run) {
      return benchmark::RegisterBenchmark((layer.name + "/" + name).c_str(), run)
          ->Unit(benchmark::kMillisecond);
    };
    add("oneDNN", [=](benchmark::State& state) { RunOneDnn(state, layer, 1); })->UseRealTime();
    add("values", [=](benchmark::State& state) { RunTilesim(state, layer, values, 1); })->UseManualTime();
    add("full", [=](benchmark::State& state) { RunTilesim(state, layer, {}, 1); })->UseManualTime();
    add("full_2_threads", [=](benchmark::State& state) { RunTilesim(state, layer, {}, 2); })->UseManualTime();
    add("clock", [=](benchmark::State& state) { RunClock(state, layer); })->UseManualTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  PrintRatios(layers, keeper.seconds);
  return 0;
}

}  // namespace
}  // namespace tilesim::bench

int main(int argc, char** argv) { return tilesim::bench::Main(argc, argv); }

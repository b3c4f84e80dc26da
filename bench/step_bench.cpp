// What a block of K costs the host where only time is asked for: a core's tile program recorded with all
// checks and without (RunMode::cost_only), and the recording replayed, of that core and of all. Time an item
// is that of a Mmad, of poolings of an instruction; one thread. Run it in the source folder.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ops/cases/case_file.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "sim/core/lone_cores.h"
#include "sim/core/replay.h"
#include "sim/soc/soc_config.h"

namespace {

using namespace tilesim;

// A planned case, as it is launched.
struct Program {
  Program(const Case& item, const SocConfig& part)
      : soc(part),
        op(MakeOperator(item)),
        plan(op->MakePlan(PlannerKind::kOp, soc, CoresOf(*op, soc))),
        launch(TimedLaunch(*op, plan, {})) {
    for (const GmBuffer& buffer : launch.gm.buffers()) {
      gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
    }
  }

  [[nodiscard]] LoneCores Record(bool cost_only, size_t cores) const {
    LaunchOptions options = launch;
    options.mode.cost_only = cost_only;
    std::vector<size_t> which(cores);
    std::iota(which.begin(), which.end(), size_t{0});
    return RunLoneCores(soc, options, which, [this] { op->Kernel(plan, gm); });
  }
  [[nodiscard]] size_t cores() const { return CoresOf(launch).size(); }

  const SocConfig& soc;
  std::unique_ptr<Operator> op;
  Plan plan;
  LaunchOptions launch;
  std::vector<uint8_t*> gm;
};

// Mmads, or instructions where there are none.
int64_t ItemsOf(const LaunchRecording& recording) {
  int64_t products = 0;
  int64_t all = 0;
  for (const Recording& core : recording.recordings) {
    core.ForDistinctSteps([&](const Step& step, int64_t times) {
      const bool runs = step.kind == Step::Kind::kRun;
      products += runs && step.pipe == Pipe::kM ? times : 0;
      all += runs ? times : 0;
    });
  }
  return products > 0 ? products : all;
}

void SetItems(benchmark::State& state, const LaunchRecording& recording) {
  const auto items = static_cast<double>(ItemsOf(recording));
  state.counters["items"] = items;
  state.counters["per_item"] = benchmark::Counter(items * static_cast<double>(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void RecordCore(benchmark::State& state, const Program& program, bool cost_only) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(program.Record(cost_only, 1));
  }
  SetItems(state, program.Record(cost_only, 1).recording);
}

void ReplayCores(benchmark::State& state, const Program& program, size_t cores) {
  const LoneCores lone = program.Record(true, cores);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Replay(lone.recording, program.soc));
  }
  SetItems(state, lone.recording);
}

void Register(const std::string& file, const std::vector<std::string>& ids, const SocConfig& soc) {
  for (const Case& item : ReadCaseFile("configs/cases/" + file + ".csv").cases) {
    if (std::ranges::find(ids, item.id) == ids.end()) {
      continue;
    }
    const auto program = std::make_shared<const Program>(item, soc);
    const std::string name = file + "/" + item.id;
    const auto add = [&](const std::string& what, auto&& run) {
      benchmark::RegisterBenchmark((name + "/" + what).c_str(), [program, run](benchmark::State& state) {
        run(state, *program);
      })->Unit(benchmark::kMicrosecond);
    };
    add("record_checked", [](auto& state, const Program& p) { RecordCore(state, p, false); });
    add("record_cost_only", [](auto& state, const Program& p) { RecordCore(state, p, true); });
    add("replay_one_core", [](auto& state, const Program& p) { ReplayCores(state, p, 1); });
    add("replay_all_cores", [](auto& state, const Program& p) { ReplayCores(state, p, p.cores()); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const SocConfig soc = LoadSoc("ascend910b2");
  Register("conv3d_backprop_filter", {"bench_07", "bench_18"}, soc);
  Register("conv3d_backprop_input", {"bench_07", "bench_18"}, soc);
  Register("matmul", {"square_1024", "square_4096"}, soc);
  Register("max_pool", {"resnet50_stem"}, soc);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// How fast the host computes the values of elementwise instructions, as one table: the part of the speed of
// the machine's own loop over the same bytes, which are in its L1 cache, and of the elementary functions the
// part of oneDNN's. fp16 is also beside fp32 of as many bytes, half as many elements, which
// nothing is asked of. Medians of CPU time.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine_loops.h"
#include "formats/error.h"
#include "sim/isa/elementwise.h"

namespace tilesim::bench {
namespace {

using isa::ElementwiseKind;
using isa::VectorType;

constexpr int64_t kBytes = 8 * 1024;  // of each operand
constexpr double kOfLoop = 0.5;
constexpr double kOfOneDnn = 0.3;

struct Data {
  alignas(64) std::byte a[kBytes];
  alignas(64) std::byte b[kBytes];
  alignas(64) std::byte dst[kBytes];
};

// Numbers whose sums and products, again and again, neither grow nor become subnormal.
Data& DataOf(VectorType type) {
  static Data data;
  for (int64_t i = 0; i < kBytes / 4; ++i) {
    const float value = 0.5F + static_cast<float>(i % 97) / 128.0F;
    const auto put = [&](std::byte* to) {
      if (type == VectorType::kFp16) {
        const uint32_t halves = 0x38003800U + static_cast<uint32_t>(i % 97) * 0x00040004U;  // 0.5 and above
        std::memcpy(to + 4 * i, &halves, 4);
      } else {
        std::memcpy(to + 4 * i, &value, 4);
      }
    };
    put(data.a);
    put(data.b);
    std::memset(data.dst + 4 * i, 0, 4);
  }
  return data;
}

void Simulated(benchmark::State& state, ElementwiseKind kind, VectorType type) {
  Data& data = DataOf(type);
  const isa::ElementwiseRun run = isa::ElementwiseRunFor(
      kind, type, type,
      type == VectorType::kFp16 ? isa::ResultRange::kSaturated : isa::ResultRange::kUnbounded);
  const isa::VectorRun all{.count = kBytes * 8 / isa::ElementBits(type)};
  if (kind == ElementwiseKind::kShiftLeft || kind == ElementwiseKind::kShiftRight) {
    std::memset(data.b, 0, 4);
    data.b[0] = std::byte{3};
  }
  for (auto _ : state) {
    run(data.a, data.b, data.dst, all);
    benchmark::DoNotOptimize(data.dst);
    benchmark::ClobberMemory();
  }
}

void Machine(benchmark::State& state, const MachineLoop& loop) {
  Data& data = DataOf(loop.type);
  for (auto _ : state) {
    loop.run(data.a, data.b, data.dst, kBytes * 8 / isa::ElementBits(loop.type));
    benchmark::DoNotOptimize(data.dst);
    benchmark::ClobberMemory();
  }
}

struct OneDnnFunction {
  ElementwiseKind kind;
  dnnl::algorithm algorithm;
  float alpha;
  float beta;
};
constexpr OneDnnFunction kFunctions[] = {{ElementwiseKind::kExp, dnnl::algorithm::eltwise_exp, 0, 0},
                                         {ElementwiseKind::kLn, dnnl::algorithm::eltwise_log, 0, 0},
                                         {ElementwiseKind::kSqrt, dnnl::algorithm::eltwise_sqrt, 0, 0},
                                         {ElementwiseKind::kRsqrt, dnnl::algorithm::eltwise_pow, 1, -0.5F},
                                         {ElementwiseKind::kReciprocal, dnnl::algorithm::eltwise_pow, 1, -1}};

void OneDnn(benchmark::State& state, const OneDnnFunction& function) {
  Data& data = DataOf(VectorType::kFp32);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const dnnl::memory::desc desc({1, kBytes / 4}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
  const dnnl::eltwise_forward primitive(
      {{dnnl::prop_kind::forward_inference, function.algorithm, desc, function.alpha, function.beta},
       engine});
  const std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, dnnl::memory(desc, engine, data.a)},
      {DNNL_ARG_DST, dnnl::memory(desc, engine, data.dst)}};
  for (auto _ : state) {
    primitive.execute(stream, arguments);
    stream.wait();
  }
}

// Keeps the medians and prints nothing.
class Medians : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name == "median") {
        ns_[run.run_name.function_name] = run.GetAdjustedCPUTime();
      }
    }
  }
  [[nodiscard]] std::optional<double> Of(const std::string& name) const {
    const auto at = ns_.find(name);
    return at == ns_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::map<std::string, double> ns_;
};

std::string NameOf(const char* what, ElementwiseKind kind, VectorType type) {
  return Say(what, " ", isa::RowOf(kind).name, " ", isa::Name(type));
}

struct Row {
  ElementwiseKind kind;
  VectorType type;
  std::string other;  // the benchmark that it is beside
  double least;       // 0: nothing is asked
};

template <class F>
void Register(const std::string& name, F&& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->Repetitions(5)->MinTime(0.02)->ReportAggregatesOnly(true);
}

std::vector<Row> RegisterAll() {
  std::vector<Row> rows;
  const auto add = [&](ElementwiseKind kind, VectorType type, const std::string& other, double least) {
    const auto same = [&](const Row& row) { return row.kind == kind && row.type == type; };
    if (std::ranges::none_of(rows, same)) {
      Register(NameOf("simulated", kind, type),
               [=](benchmark::State& state) { Simulated(state, kind, type); });
    }
    rows.push_back({kind, type, other, least});
  };
  for (const MachineLoop& loop : MachineLoops()) {
    const std::string name = NameOf("loop", loop.kind, loop.type);
    Register(name, [=](benchmark::State& state) { Machine(state, loop); });
    add(loop.kind, loop.type, name, kOfLoop);
    if (loop.type == VectorType::kFp32) {
      add(loop.kind, VectorType::kFp16, name, 0);
    }
  }
  for (const OneDnnFunction& function : kFunctions) {
    const std::string name = NameOf("oneDNN", function.kind, VectorType::kFp32);
    Register(name, [=](benchmark::State& state) { OneDnn(state, function); });
    add(function.kind, VectorType::kFp32, name, kOfOneDnn);
    add(function.kind, VectorType::kFp16, name, kOfOneDnn);
  }
  return rows;
}

void Print(const std::vector<Row>& rows, const Medians& medians) {
  std::printf("| instruction | type | ns | beside | ns | ratio | asked |\n|---|---|---|---|---|---|---|\n");
  int below = 0;
  for (const Row& row : rows) {
    const auto own = medians.Of(NameOf("simulated", row.kind, row.type));
    const auto other = medians.Of(row.other);
    if (own && other) {
      const double ratio = *other / *own;
      below += ratio < row.least ? 1 : 0;
      std::printf("| %s | %s | %.0f | %s | %.0f | %.2f%s | %.1f |\n", isa::RowOf(row.kind).name,
                  std::string(isa::Name(row.type)).c_str(), *own, row.other.c_str(), *other, ratio,
                  ratio < row.least ? " *" : "", row.least);
    }
  }
  std::printf("%zu rows, %d below what is asked (*)\n", rows.size(), below);
}

}  // namespace
}  // namespace tilesim::bench

int main(int argc, char** argv) {
  omp_set_num_threads(1);  // oneDNN's: what an instruction is held against runs on one core, too
  benchmark::Initialize(&argc, argv);
  const std::vector<tilesim::bench::Row> rows = tilesim::bench::RegisterAll();
  tilesim::bench::Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  tilesim::bench::Print(rows, medians);
  return 0;
}

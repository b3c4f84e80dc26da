// How fast the host computes the instructions that carry a layer: Mmad, LoadData 3D, Fixpipe, and the cost of
// an instruction's checks and time alone.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/gm.h"
#include "sim/core/interval_set.h"
#include "sim/isa/cube.h"
#include "sim/isa/data_move.h"
#include "sim/isa/fixpipe.h"
#include "sim/isa/load.h"
#include "sim/isa/load3d.h"
#include "sim/soc/soc_config.h"

namespace tilesim::isa {
namespace {

// A core with one buffer of GM.
struct Bench {
  explicit Bench(const RunMode& mode = {.values = true, .time = false, .hazards = false}) : memory(1 << 22) {
    space.Add({.name = "gm",
               .address = reinterpret_cast<uint64_t>(memory.data()),
               .size_bytes = memory.size() * 4});
    core = std::make_unique<Core>(soc, space, written, CoreIdentity{}, mode);
    core->ReachAll();
    if (mode.values) {
      Fill();
    }
  }
  void Fill() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    auto* l1 = reinterpret_cast<uint16_t*>(core->l1());
    for (int64_t i = 0; i < soc.l1_bytes / 2; ++i) {
      l1[i] = Half(values(random)).bits;
    }
    for (L0Memory* memory_l0 : {&core->l0a(), &core->l0b()}) {
      for (int64_t i = 0; i < memory_l0->num_fractals(); ++i) {
        memory_l0->type(i) = FractalType::kFp16;
        for (int64_t j = 0; j < L0Memory::kFloats; ++j) {
          memory_l0->Fractal(i)[j] = Half(values(random));
        }
      }
    }
    std::fill(core->l0c(), core->l0c() + soc.l0c_bytes / 4, 0.5F);
  }
  Operand Gm() const { return {.memory = Memory::kGm, .begin = reinterpret_cast<uint64_t>(memory.data())}; }

  SocConfig soc = LoadSoc("ascend910b2");
  std::vector<float> memory;
  GmSpace space;
  IntervalSet written;
  std::unique_ptr<Core> core;
};

Operand At(Memory memory) { return {.memory = memory}; }

void MmadValues(benchmark::State& state) {
  Bench bench;
  const Mmad op{.dst = At(Memory::kL0C),
                .a = At(Memory::kL0A),
                .b = At(Memory::kL0B),
                .m = state.range(0),
                .n = state.range(1),
                .k = state.range(2),
                .init = false};
  for (auto _ : state) {
    op.Execute(*bench.core);
    benchmark::ClobberMemory();
  }
  const double flops = 2.0 * static_cast<double>(op.m * op.n * op.k);
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(MmadValues)
    ->ArgNames({"m", "n", "k"})
    ->Args({128, 128, 128})
    ->Args({128, 256, 64})
    ->Args({256, 128, 64})
    ->Args({64, 64, 512})
    ->Args({128, 128, 49})
    ->Args({128, 128, 16})
    ->Args({16, 256, 128})
    ->Args({256, 16, 128})
    ->Args({16, 16, 1024})
    ->Args({125, 125, 128})
    ->Args({63, 72, 128})
    ->Args({1, 256, 128});

LoadData3D Img2Col(Memory dst, bool transpose, int64_t filter, int64_t stride, int64_t k, int64_t m,
                   DType dtype) {
  return {.dst = At(dst),
          .src = At(Memory::kL1),
          .dtype = dtype,
          .channels = filter == 1 ? 128 : 64,
          .k_extension = k,
          .m_extension = m,
          .stride_w = stride,
          .stride_h = stride,
          .filter_w = filter,
          .filter_h = filter,
          .transpose = transpose};
}

void LoadData3DValues(benchmark::State& state) {
  Bench bench;
  const auto dst = state.range(0) == 0 ? Memory::kL0A : Memory::kL0B;
  const int64_t filter = state.range(2);
  const LoadData3D op =
      Img2Col(dst, state.range(1) != 0, filter, state.range(3), 128, state.range(4), DType::kFp16);
  bench.core->registers().feature_map[0] = {
      .height = 24, .width = 56, .pad = {filter / 2, filter / 2, filter / 2, filter / 2}};
  op.Check(*bench.core);
  for (auto _ : state) {
    op.Execute(*bench.core);
    benchmark::ClobberMemory();
  }
  const double blocks = 128.0 * static_cast<double>(op.m_extension) / 16;
  state.counters["blocks/s"] = benchmark::Counter(blocks, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(LoadData3DValues)
    ->ArgNames({"l0b", "transpose", "filter", "stride", "m"})
    ->Args({1, 0, 3, 1, 16})
    ->Args({1, 0, 3, 1, 32})
    ->Args({1, 0, 3, 1, 64})
    ->Args({1, 0, 3, 1, 128})
    ->Args({1, 0, 3, 1, 256})
    ->Args({1, 0, 3, 2, 128})
    ->Args({1, 0, 1, 1, 128})
    ->Args({0, 1, 1, 1, 128})
    ->Args({0, 0, 3, 1, 128})
    ->Args({0, 0, 1, 1, 128});

void LoadData2DValues(benchmark::State& state) {
  Bench bench;
  const LoadData2D op{.dst = At(Memory::kL0A),
                      .src = At(Memory::kL1),
                      .repeat_times = 64,
                      .src_stride = 1,
                      .transpose = state.range(0) != 0};
  for (auto _ : state) {
    op.Execute(*bench.core);
    benchmark::ClobberMemory();
  }
  state.counters["blocks/s"] = benchmark::Counter(64.0 * 16, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(LoadData2DValues)->ArgName("transpose")->Arg(0)->Arg(1);

void FixpipeValues(benchmark::State& state) {
  Bench bench;
  bench.core->registers().atomic = state.range(2) != 0 ? AtomicOp::kAdd : AtomicOp::kNone;
  const bool to_half = state.range(1) != 0;
  const auto layout = state.range(0) != 0 ? FixpipeLayout::kNz : FixpipeLayout::kRowMajor;
  const Fixpipe op{.dst = bench.Gm(),
                   .src = At(Memory::kL0C),
                   .layout = layout,
                   .dtype = to_half ? DType::kFp16 : DType::kFp32,
                   .quant = to_half ? Quant::kF322F16 : Quant::kNone,
                   .n = 128,
                   .m = 128,
                   .src_stride = 128,
                   .dst_stride = layout == FixpipeLayout::kNz ? 128 * 2 : 128};
  for (auto _ : state) {
    op.Execute(*bench.core);
    benchmark::ClobberMemory();
  }
  state.counters["fp32 GB/s"] =
      benchmark::Counter(128.0 * 128 * 4e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(FixpipeValues)
    ->ArgNames({"nz", "fp16", "atomic"})
    ->Args({1, 0, 0})
    ->Args({1, 0, 1})
    ->Args({1, 1, 0})
    ->Args({0, 0, 0})
    ->Args({0, 1, 0});

// A step of a tile program without values: what timing mode does.
void TimingOnly(benchmark::State& state) {
  Bench bench({.values = false, .time = true, .hazards = false});
  bench.core->registers().feature_map = {FeatureMap{.height = 24, .width = 56, .pad = {1, 1, 1, 1}},
                                         FeatureMap{.height = 24, .width = 56, .pad = {1, 1, 1, 1}}};
  const LoadData3D a = Img2Col(Memory::kL0A, true, 1, 1, 64, 64, DType::kFp16);
  const LoadData3D b = Img2Col(Memory::kL0B, false, 3, 1, 128, 64, DType::kFp16);
  const Mmad mmad{.dst = At(Memory::kL0C),
                  .a = At(Memory::kL0A),
                  .b = At(Memory::kL0B),
                  .m = 64,
                  .n = 128,
                  .k = 64,
                  .init = false};
  const CopyFromGm copy{.dst = At(Memory::kL1),
                        .src = bench.Gm(),
                        .blocks = {.count = 4, .length_blocks = 512, .src_gap_blocks = 512}};
  for (auto _ : state) {
    bench.core->Issue(a, SourceLine::Here());
    bench.core->Issue(b, SourceLine::Here());
    bench.core->Issue(mmad, SourceLine::Here());
    bench.core->Issue(copy, SourceLine::Here());
  }
  state.counters["instructions/s"] = benchmark::Counter(4, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(TimingOnly);

}  // namespace
}  // namespace tilesim::isa

BENCHMARK_MAIN();

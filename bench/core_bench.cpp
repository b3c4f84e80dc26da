// What an instruction costs the host on its way through a core's door, without values: instructions a second,
// flags included. One thread.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "sim/ascendc/kernel_operator.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace {

using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

constexpr uint64_t kGmBytes = 1 << 24;
constexpr uint64_t kGmAddress = uint64_t{1} << 40;  // only a number: nothing is read or written

// The inner loop of a tile program: two loads, a product, flags both ways, double buffers.
void CubeLoop(int steps) {
  TPipe pipe;
  TBuf<TPosition::A1> l1;
  TBuf<TPosition::A2> l0a;
  TBuf<TPosition::B2> l0b;
  TBuf<TPosition::CO1> l0c;
  pipe.InitBuffer(l1, 1 << 17);
  pipe.InitBuffer(l0a, 65536);
  pipe.InitBuffer(l0b, 65536);
  pipe.InitBuffer(l0c, 65536);
  const LocalTensor<half> src = l1.Get<half>();
  AscendC::InitConstValue(src, {1, 4096, 0, half(0)});
  AscendC::SetFlag<HardEvent::MTE2_MTE1>(0);
  AscendC::WaitFlag<HardEvent::MTE2_MTE1>(0);
  const AscendC::LoadData2DParams load(0, 64, 1, 0, 0, false, 0);
  AscendC::MmadParams product(128, 128, 128, false);
  for (int i = 0; i < steps; ++i) {
    const int ping = i % 2;
    const LocalTensor<half> a = l0a.Get<half>()[static_cast<uint32_t>(ping) * 16384];
    const LocalTensor<half> b = l0b.Get<half>()[static_cast<uint32_t>(ping) * 16384];
    AscendC::WaitFlag<HardEvent::M_MTE1>(ping);
    AscendC::LoadData(a, src, load);
    AscendC::LoadData(b, src, load);
    AscendC::SetFlag<HardEvent::MTE1_M>(ping);
    AscendC::WaitFlag<HardEvent::MTE1_M>(ping);
    product.cmatrixInitVal = i == 0;
    AscendC::Mmad(l0c.Get<float>(), a, b, product);
    AscendC::SetFlag<HardEvent::M_MTE1>(ping);
  }
}

// Moves of 56 rows of 1 KiB each from GM into two halves of L1.
void MoveLoop(int steps) {
  TPipe pipe;
  TBuf<TPosition::A1> l1;
  pipe.InitBuffer(l1, 1 << 17);
  AscendC::GlobalTensor<half> gm;
  gm.SetGlobalBuffer(reinterpret_cast<half*>(kGmAddress), kGmBytes / 2);
  const AscendC::DataCopyParams rows(56, 32, 96, 0);
  AscendC::SetFlag<HardEvent::MTE1_MTE2>(0);
  AscendC::SetFlag<HardEvent::MTE1_MTE2>(1);
  for (int i = 0; i < steps; ++i) {
    const int ping = i % 2;
    AscendC::WaitFlag<HardEvent::MTE1_MTE2>(ping);
    AscendC::DataCopy(l1.Get<half>()[static_cast<uint32_t>(ping) * 32768],
                      gm[static_cast<uint64_t>(i % 60) * 131072], rows);
    AscendC::SetFlag<HardEvent::MTE2_MTE1>(ping);
    AscendC::WaitFlag<HardEvent::MTE2_MTE1>(ping);
    AscendC::SetFlag<HardEvent::MTE1_MTE2>(ping);
  }
  AscendC::WaitFlag<HardEvent::MTE1_MTE2>(0);
  AscendC::WaitFlag<HardEvent::MTE1_MTE2>(1);
}

void VectorLoop(int steps) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> ub;
  pipe.InitBuffer(ub, 1 << 16);
  const LocalTensor<float> a = ub.Get<float>();
  AscendC::Duplicate(a, 1.0F, 4096);
  for (int i = 0; i < steps; ++i) {
    AscendC::Add(a[2048], a, a[1024], 256);
    AscendC::Muls(a[3072], a[2048], 0.5F, uint64_t{40}, 4, {1, 1, 8, 8});
    AscendC::Add(a[1024], a, a[3072], uint64_t{40}, 4, {1, 1, 1, 8, 8, 8});
  }
}
// Where all bytes have values: without hazards, with them, and with bits followed that hold none.
void RunValues(benchmark::State& state) {
  const tilesim::SocConfig soc = tilesim::LoadSoc("ascend910b2");
  tilesim::LaunchOptions options;
  options.type = tilesim::KernelType::kAivOnly;
  options.mode = {
      .values = true, .time = true, .hazards = state.range(0) != 0, .follows_undefined = state.range(0) == 2};
  options.threads = 1;
  int64_t instructions = 0;
  for (auto _ : state) {
    const tilesim::LaunchResult result = tilesim::Launch(soc, options, [&] { VectorLoop(20000); });
    if (!result.faults.empty()) {
      state.SkipWithError(result.faults[0].Text().c_str());
      return;
    }
    instructions += result.Instructions();
  }
  state.SetItemsProcessed(instructions);
}
BENCHMARK(RunValues)->DenseRange(0, 2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void Run(benchmark::State& state, void (*loop)(int)) {
  const tilesim::SocConfig soc = tilesim::LoadSoc("ascend910b2");
  tilesim::LaunchOptions options;
  options.mode = {.values = false, .time = true, .hazards = state.range(0) != 0};
  options.threads = 1;
  options.gm.Add({.name = "x", .address = kGmAddress, .size_bytes = kGmBytes});
  int64_t instructions = 0;
  for (auto _ : state) {
    const tilesim::LaunchResult result = tilesim::Launch(soc, options, [&] { loop(20000); });
    if (!result.faults.empty()) {
      state.SkipWithError(result.faults[0].Text().c_str());
      return;
    }
    instructions += result.Instructions();
  }
  state.SetItemsProcessed(instructions);
}

BENCHMARK_CAPTURE(Run, cube_loop, &CubeLoop)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("hazards")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Run, move_loop, &MoveLoop)
    ->Arg(0)
    ->Arg(1)
    ->ArgName("hazards")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();

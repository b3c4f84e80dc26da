// A vector core of its own for a benchmark of single instructions. `mode` 0: values only; 1: time only; 2:
// values, time and hazards.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/gm.h"
#include "sim/core/interval_set.h"
#include "sim/isa/vector_fill.h"
#include "sim/soc/soc_config.h"

namespace tilesim::isa {

// Of UB, for each of three operands of at most 240 repeats; behind them are Select's bits, and the last 8 KiB
// are its scratch.
inline constexpr uint64_t kPart = 60 * 1024;
inline constexpr int64_t kGmBytes = 1 << 24;

inline RunMode ModeOf(int64_t mode) { return {.values = mode != 1, .time = mode != 0, .hazards = mode == 2}; }

// A vector core with UB full of numbers, and one buffer of GM.
struct VectorBench {
  explicit VectorBench(const RunMode& mode) : memory(kGmBytes / 4, 1.5F) {
    space.Add({.name = "gm",
               .address = reinterpret_cast<uint64_t>(memory.data()),
               .size_bytes = static_cast<uint64_t>(kGmBytes)});
    core = std::make_unique<Core>(soc, space, written, CoreIdentity{.kind = CoreKind::kAiv}, mode);
    core->ReachAll();
    for (int64_t i = 0; i < (mode.values ? soc.ub_bytes / 4 : 0); ++i) {
      reinterpret_cast<float*>(core->ub())[i] = static_cast<float>(i % 997) * 0.25F;
    }
    core->Issue(VectorDuplicate{.dst = {.at = {.memory = Memory::kUb}},
                                .value_bits = 0x3f800000,
                                .work = WorkOfCount(64, soc.ub_bytes / 4)},
                SourceLine::Here());
  }
  Operand Gm() const { return {.memory = Memory::kGm, .begin = reinterpret_cast<uint64_t>(memory.data())}; }

  SocConfig soc = LoadSoc("ascend910b2");
  std::vector<float> memory;
  GmSpace space;
  IntervalSet written;
  std::unique_ptr<Core> core;
};

inline VectorOperand Lanes(uint64_t part, int64_t repeat_stride, int64_t bits = 32) {
  return {.at = {.memory = Memory::kUb, .begin = part * kPart},
          .element_bits = bits,
          .block_stride = 1,
          .repeat_stride = repeat_stride};
}

// Issues `op` over and over; it reads and writes `bytes`.
template <class Op>
void IssueAll(benchmark::State& state, const Op& op, int64_t bytes) {
  VectorBench bench(ModeOf(state.range(0)));
  for (auto _ : state) {
    bench.core->Issue(op, SourceLine::Here());
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

}  // namespace tilesim::isa

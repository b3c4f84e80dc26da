// How fast the host computes transpositions in UB and moves between GM and UB. `repeats` 1 shows what an
// instruction costs by itself.
#include <benchmark/benchmark.h>

#include <type_traits>

#include "bench/vector_bench.h"
#include "sim/isa/ub_move.h"
#include "sim/isa/vector_transpose.h"

namespace tilesim::isa {
namespace {

// Points of 64 lanes out of rows of 64 planes: 16 rows of planes become 8 (fp32) or 16 points of them.
template <VectorType kType>
void TransDataTo5HD(benchmark::State& state) {
  constexpr bool kWide = kType == VectorType::kFp32;
  constexpr uint64_t kPlaneBytes = 255 * 32 / 15 / 32 * 32;
  VectorTranspose op{.dst = {},
                     .src = {},
                     .type = kType,
                     .repeats = state.range(1),
                     .dst_repeat_stride = kWide ? 16 : 32,
                     .src_repeat_stride = 1};
  for (uint64_t i = 0; i < 16; ++i) {
    op.src[i] = {.memory = Memory::kUb, .begin = 2 * kPart + i * kPlaneBytes, .limit = 0};
    op.dst[i] = {.memory = Memory::kUb, .begin = kWide ? i / 2 * 64 + i % 2 * 32 : i * 64, .limit = 0};
  }
  IssueAll(state, op, state.range(1) * 2 * 512);
}

// `repeats` blocks of `stride` bytes, each as far again apart in GM.
template <class Move>
Move PadMove(const benchmark::State& state, const VectorBench& bench) {
  if constexpr (std::is_same_v<Move, CopyPadFromGm>) {
    return {.dst = Lanes(0, 8).at,
            .src = bench.Gm(),
            .element_bytes = 4,
            .count = state.range(1),
            .block_bytes = state.range(2),
            .src_gap_bytes = state.range(2)};
  } else {
    return {.dst = bench.Gm(),
            .src = Lanes(0, 8).at,
            .element_bytes = 4,
            .count = state.range(1),
            .block_bytes = state.range(2),
            .dst_gap_bytes = state.range(2)};
  }
}
template <class Move>
void DataCopyPad(benchmark::State& state) {
  VectorBench bench(ModeOf(state.range(0)));
  Move op = PadMove<Move>(state, bench);
  Operand& gm = std::is_same_v<Move, CopyPadFromGm> ? op.src : op.dst;
  const uint64_t first = gm.begin;
  const auto step = static_cast<uint64_t>(op.count * op.block_bytes * 2);
  for (auto _ : state) {
    bench.core->Issue(op, SourceLine::Here());
    gm.begin = gm.begin + 2 * step > first + kGmBytes ? first : gm.begin + step;
  }
  state.SetBytesProcessed(state.iterations() * 2 * op.count * op.block_bytes);
}

void Blocks(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"mode", "blocks", "bytes"});
  for (const int64_t mode : {0, 1, 2}) {
    bench->Args({mode, 1, 32})->Args({mode, 64, 32})->Args({mode, 64, 224})->Args({mode, 15, 4096});
  }
  bench->Args({0, 64, 36})->Args({0, 64, 28});
}

using enum VectorType;

BENCHMARK(TransDataTo5HD<kFp32>)
    ->ArgNames({"mode", "repeats"})
    ->Args({0, 1})
    ->Args({0, 15})
    ->Args({1, 15})
    ->Args({2, 15});
BENCHMARK(TransDataTo5HD<kFp16>)
    ->ArgNames({"mode", "repeats"})
    ->Args({0, 1})
    ->Args({0, 15})
    ->Args({1, 15})
    ->Args({2, 15});
BENCHMARK(DataCopyPad<CopyPadFromGm>)->Apply(Blocks);
BENCHMARK(DataCopyPad<CopyPadToGm>)->Apply(Blocks);

}  // namespace
}  // namespace tilesim::isa
